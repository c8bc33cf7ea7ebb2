// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/previewloader.h"

#include "engine/inworker.h"
#include "files/filename.h"
#include "theme/units.h"

#include <QBuffer>
#include <QImageReader>
#include <QLocale>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostImageSide = 2400; // Larger than any pane, at any scale.

} // namespace

Preview decodeImage(Preview preview, const QByteArray &bytes, const QByteArray &format, int most)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer, format.toLower());
    reader.setAutoTransform(true);
    const QSize size = reader.size();
    preview.imageSize = size;
    preview.kind = QString::fromLatin1(format);
    const auto asBytes = [&](const QString &why) {
        preview.note = why;
        preview.isHex = true;
        preview.document = std::make_shared<HexDocument>(
            bytes.first(std::min<qsizetype>(bytes.size(), PreviewLoader::HeadBytes)));
        preview.shownBytes = std::min<qint64>(bytes.size(), PreviewLoader::HeadBytes);
        return preview;
    };
    if (!size.isValid() || size.isEmpty())
        return asBytes(PreviewLoader::tr("The image cannot be read. Its first bytes are shown."));
    preview.kind += u", %1 × %2"_s.arg(size.width()).arg(size.height());
    if (qint64(size.width()) * size.height() > PreviewLoader::MostImagePixels)
        return asBytes(
            PreviewLoader::tr("The image has too many pixels for a preview. Its first bytes are shown."));
    if (std::max(size.width(), size.height()) > most)
        reader.setScaledSize(size.scaled(most, most, Qt::KeepAspectRatio).expandedTo({1, 1}));
    preview.image = reader.read();
    if (preview.image.isNull())
        return asBytes(PreviewLoader::tr("The image is damaged. Its first bytes are shown."));
    preview.image = preview.image.convertToFormat(QImage::Format_ARGB32_Premultiplied);
    return preview;
}

PreviewLoader::PreviewLoader(QObject *parent)
    : QObject(parent)
{ }

PreviewLoader::~PreviewLoader() = default;

void PreviewLoader::cancel()
{
    if (!m_context)
        return;
    delete std::exchange(m_context, nullptr);
    if (m_call != 0)
        m_service->cancel(std::exchange(m_call, 0));
}

void PreviewLoader::load(FilesService *service, const MachinePlace &place, const QByteArray &path,
                         qint64 knownSize)
{
    cancel();
    m_service = service;
    m_place = place;
    m_path = path;
    m_size = knownSize;
    m_context = new QObject(this);
    read(HeadBytes, [this](const FilePart &head) { takeHead(head); });
}

void PreviewLoader::read(qint64 length, std::function<void(const FilePart &)> next)
{
    m_call = m_service->read(m_place, m_path, 0, length, m_context,
                             [this, next = std::move(next)](const Result<FilePart, FileFault> &part) {
                                 m_call = 0;
                                 if (!part)
                                     return fail(part.error());
                                 if (part->total >= 0)
                                     m_size = part->total;
                                 next(*part);
                             });
}

void PreviewLoader::takeHead(const FilePart &head)
{
    Preview preview;
    preview.path = m_path;
    preview.size = m_size;
    const QByteArray format = imageFormat(head.bytes);
    const bool isWhole = m_size <= head.bytes.size();
    const auto note = [](const QString &what, qint64 shown, qint64 size) {
        return size > shown ? PreviewLoader::tr("%1 are shown of %2. Download it to have the rest.")
                                  .arg(what.arg(bytesText(shown)), bytesText(size))
                            : QString();
    };

    if (!format.isEmpty()) {
        if (m_size > MostImageBytes) {
            preview.isHex = true;
            preview.kind = QString::fromLatin1(format);
            preview.shownBytes = head.bytes.size();
            preview.note = tr("An image of %1 is too large for a preview. Its first bytes are shown.")
                               .arg(bytesText(m_size));
            return prepare(
                [bytes = head.bytes](Preview made) {
                    made.document = std::make_shared<HexDocument>(bytes);
                    return made;
                },
                preview);
        }
        const auto decode = [this, format, preview](const FilePart &part) {
            Preview start = preview;
            start.shownBytes = part.bytes.size();
            prepare([bytes = part.bytes, format](
                        Preview made) { return decodeImage(std::move(made), bytes, format, MostImageSide); },
                    start);
        };
        if (isWhole)
            decode(head);
        else
            read(MostImageBytes, decode);
        return;
    }

    const bool isText = looksLikeText(head.bytes);
    const qint64 most = isText ? MostTextBytes : MostHexBytes;
    const auto show = [this, isText, note, preview](const FilePart &part) {
        Preview start = preview;
        start.isHex = !isText;
        start.shownBytes = part.bytes.size();
        start.note = note(tr("The first %1"), part.bytes.size(), m_size);
        prepare(
            [bytes = part.bytes, isText, path = m_path](Preview made) {
                if (isText)
                    made.document = std::make_shared<TextDocument>(bytes, lastSegment(path));
                else
                    made.document = std::make_shared<HexDocument>(bytes);
                made.kind = isText ? countedText(made.document->lineCount(), PreviewLoader::tr("1 line"),
                                                 PreviewLoader::tr("%1 lines"))
                                   : PreviewLoader::tr("binary");
                return made;
            },
            start);
    };
    if (isWhole)
        show(head);
    else
        read(most, show);
}

void PreviewLoader::prepare(std::function<Preview(Preview)> work, const Preview &start)
{
    // The context is what keeps a later file from getting this one's preview.
    inWorker(
        m_context, [work = std::move(work), start] { return work(start); },
        [this](const Preview &made) {
            m_context->deleteLater();
            m_context = nullptr;
            Q_EMIT loaded(made);
        });
}

void PreviewLoader::fail(const FileFault &fault)
{
    m_context->deleteLater();
    m_context = nullptr;
    Q_EMIT failed(m_path, fault);
}

} // namespace Pilothouse
