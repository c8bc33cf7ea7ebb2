// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "files/filechanges.h"
#include "files/previewloader.h"

#include <QWidget>

class QStackedWidget;

namespace Pilothouse {

class EmptyState;
class ErrorBlock;
class ImageView;
class Label;
class LinesView;
class ToolButton;

/// The viewer right of the tree: what file it is, and the file as text, image or bytes.
class PreviewPane : public QWidget {
    Q_OBJECT
public:
    explicit PreviewPane(QWidget *parent = nullptr);

    /// Reads and shows a file. `service` null or an inactive machine: see setUnavailable().
    void show(FilesService *service, const MachinePlace &place, const QByteArray &path, qint64 size);
    void reload(); ///< The same file anew; the place in it is kept.
    /// Shows the file's name and why it cannot be read now; a preview of it that is there stays.
    void setUnavailable(const QByteArray &path, const QString &headline, const QString &text);
    void clear();
    void setMark(const FileChanges::Mark &mark);
    void setCanDownload(bool can);

    [[nodiscard]] const QByteArray &path() const { return m_path; }
    [[nodiscard]] const Preview &preview() const { return m_preview; }
    [[nodiscard]] LinesView *lines() const { return m_lines; }
    [[nodiscard]] ImageView *image() const { return m_image; }
    [[nodiscard]] bool isLoading() const { return m_loader.isLoading(); }
    [[nodiscard]] QString stateText() const; ///< What stands instead of a preview; empty with one.

Q_SIGNALS:
    void downloadWanted(const QByteArray &path);
    void shown(); ///< A preview, or why there is none.
    void closed(); ///< Esc.

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Title;
    void take(const Preview &preview);
    void takeFault(const QByteArray &path, const FileFault &fault);
    void copyAll();
    void updateTitle();

    PreviewLoader m_loader;
    FilesService *m_service = nullptr;
    MachinePlace m_place;
    QByteArray m_path;
    qint64 m_size = -1;
    Preview m_preview;
    FileChanges::Mark m_mark;
    QString m_state;
    bool m_again = false; ///< The load is of the file that is shown.

    Title *m_title;
    ToolButton *m_copy;
    ToolButton *m_download;
    QWidget *m_noteBox;
    Label *m_note;
    QStackedWidget *m_stack;
    EmptyState *m_empty;
    QWidget *m_problemPage;
    ErrorBlock *m_problem;
    LinesView *m_lines;
    ImageView *m_image;
};

} // namespace Pilothouse
