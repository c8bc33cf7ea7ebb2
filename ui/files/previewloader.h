// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/filesservice.h"
#include "files/previewdocument.h"

#include <QImage>
#include <QObject>

#include <memory>
#include <optional>

namespace Pilothouse {

/// A file, made ready to be looked at.
struct Preview {
    QByteArray path;
    qint64 size = -1; ///< Of the whole file; -1: not known.
    qint64 shownBytes = 0; ///< Less than `size`: the begin only.
    QString kind; ///< "PNG, 480 × 152", "text, 31 lines", "binary".
    std::shared_ptr<const PreviewDocument> document; ///< Text or bytes.
    QImage image; ///< Scaled down if it was large.
    QSize imageSize; ///< As it is in the file.
    QString note; ///< What is not shown, and why; empty: all is.
    bool isHex = false;
};

/// Reads the begin of a file, finds out what it is, and makes it ready in a worker thread. One at a time: a
/// new file drops the one before.
class PreviewLoader : public QObject {
    Q_OBJECT
public:
    static constexpr qint64 HeadBytes = 64 * 1024; ///< Enough to tell what it is.
    static constexpr qint64 MostTextBytes = 4 * 1024 * 1024;
    static constexpr qint64 MostHexBytes = 1024 * 1024;
    static constexpr qint64 MostImageBytes = 24 * 1024 * 1024;
    static constexpr qint64 MostImagePixels = 40'000'000; ///< 160 MB while it is decoded.

    explicit PreviewLoader(QObject *parent = nullptr);
    ~PreviewLoader() override;

    /// `service` outlives the load. `knownSize` -1: not known.
    void load(FilesService *service, const MachinePlace &place, const QByteArray &path, qint64 knownSize);
    void cancel();
    [[nodiscard]] bool isLoading() const { return m_context != nullptr; }

Q_SIGNALS:
    void loaded(const Pilothouse::Preview &preview);
    void failed(const QByteArray &path, const Pilothouse::FileFault &fault);

private:
    void takeHead(const FilePart &head);
    void read(qint64 length, std::function<void(const FilePart &)> next);
    void prepare(std::function<Preview(Preview)> work, const Preview &start);
    void fail(const FileFault &fault);

    FilesService *m_service = nullptr;
    MachinePlace m_place;
    QByteArray m_path;
    qint64 m_size = -1;
    FilesService::Call m_call = 0;
    QObject *m_context = nullptr; ///< Of what runs; deleting it drops its replies.
};

/// Decodes `bytes` for a preview of at most `most` on a side. Reads the size first and refuses what would
/// take too much memory. For a worker thread.
[[nodiscard]] Preview decodeImage(Preview preview, const QByteArray &bytes, const QByteArray &format,
                                  int most);

} // namespace Pilothouse
