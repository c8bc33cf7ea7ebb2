// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class ElidedLabel;
class Label;
class SearchField;
class ToolButton;

/// What stands above the tree: the filter, what can be done, and the folder that is shown.
class FilesHead : public QWidget {
    Q_OBJECT
public:
    explicit FilesHead(QWidget *parent = nullptr);

    void setPath(const QString &path);
    void setFilterWords(const QString &words); ///< What the filter shows; empty: it is not on.
    /// Controls that cannot work now pass the keyboard on to `next`.
    void setCan(bool filter, bool change, bool refresh, bool goUp, QWidget *next);

    [[nodiscard]] SearchField *filter() const { return m_filter; }
    [[nodiscard]] ToolButton *upload() const { return m_upload; }

Q_SIGNALS:
    void upWanted();
    void newFolderWanted();
    void uploadWanted();
    void refreshWanted();

private:
    SearchField *m_filter;
    ToolButton *m_newFolder;
    ToolButton *m_upload;
    ToolButton *m_refresh;
    ElidedLabel *m_path;
    ToolButton *m_up;
    Label *m_words;
};

} // namespace Pilothouse
