// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptimages.h"

#include "text/inerttext.h"
#include "text/markdowninline.h"

#include <QBuffer>
#include <QImage>
#include <QImageReader>

#include <array>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostLine = 200;
constexpr qint64 MostPixels = 50'000'000; // More is an attack on memory, not a chart.
constexpr int MostDecodedMegabytes = 256; // The same for the decoder itself.
constexpr QSize LargestShown{1520, 1280}; // Twice what is ever shown: for screens with two pixels per unit.

struct Decoded {
    QImage image;
    QString problem;
};

QByteArray dataBytes(const QString &address)
{
    const qsizetype comma = address.indexOf(u',');
    const bool isBase64 =
        comma > 0 && QStringView(address).left(comma).endsWith(u";base64", Qt::CaseInsensitive);
    if (!isBase64 || address.size() / 4 * 3 > TranscriptImages::MostBytes)
        return {};
    return QByteArray::fromBase64(QStringView(address).mid(comma + 1).toLatin1());
}

Decoded decoded(QByteArray bytes)
{
    if (bytes.isEmpty())
        return {{}, u"There is nothing in it that can be read."_s};
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::ReadOnly))
        return {{}, u"It cannot be read."_s};
    QImageReader reader(&buffer);
    reader.setDecideFormatFromContent(true);
    // Only plain pictures: formats that refer to other files or run for long are not asked.
    static constexpr std::array Formats{"png", "jpeg", "gif", "bmp", "webp"};
    const QByteArray format = reader.format();
    if (std::none_of(Formats.begin(), Formats.end(), [&](const char *known) { return format == known; }))
        return {{}, u"It is no picture of a kind that is shown here."_s};
    const QSize size = reader.size();
    if (!size.isValid() || qint64(size.width()) * size.height() > MostPixels)
        return {{}, u"It has too many pixels to be shown here."_s};
    reader.setAutoTransform(true);
    if (size.width() > LargestShown.width() || size.height() > LargestShown.height())
        reader.setScaledSize(size.scaled(LargestShown, Qt::KeepAspectRatio));
    QImage image = reader.read();
    if (image.isNull())
        return {{}, u"It cannot be decoded: "_s + inertLine(reader.errorString(), MostLine)};
    return {std::move(image), {}};
}

} // namespace

TranscriptImages::TranscriptImages(QObject *parent)
    : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
    QImageReader::setAllocationLimit(MostDecodedMegabytes);
}

TranscriptImages::~TranscriptImages()
{
    m_pool.clear();
    m_pool.waitForDone();
}

bool TranscriptImages::isRemote(const QString &target)
{
    return isOpenableTarget(target) && target.startsWith(u"http"_s, Qt::CaseInsensitive);
}

bool TranscriptImages::canLoad(const QString &target) const
{
    if (isRemote(target))
        return m_sources.remote != nullptr;
    const bool isPath = target.startsWith(u'/') && !target.startsWith(u"//"_s);
    return isPath && m_sources.sandbox != nullptr;
}

void TranscriptImages::set(const QString &key, Picture picture)
{
    if (m_pictures.size() >= MostKept && !m_pictures.contains(key))
        m_pictures.removeIf([](const auto &entry) { return entry.value().state == State::Shown; });
    m_pictures[key] = std::move(picture);
    Q_EMIT changed(key);
}

void TranscriptImages::clear()
{
    ++m_generation;
    m_pool.clear();
    m_pictures.clear();
}

void TranscriptImages::load(const QString &key, const QString &target)
{
    if (!canLoad(target) || m_pictures.value(key).state == State::Loading)
        return;
    set(key, {State::Loading, {}, {}});
    const Reply reply = [this, key, generation = m_generation](const Result<QByteArray, Error> &bytes) {
        if (generation != m_generation)
            return;
        if (!bytes)
            set(key, {State::Failed, {}, inertLine(bytes.error().toText(), MostLine)});
        else if (bytes->size() > MostBytes)
            set(key, {State::Failed, {}, u"It is larger than what is shown here."_s});
        else
            decodeBytes(key, [content = *bytes] { return content; });
    };
    if (isRemote(target))
        m_sources.remote(QUrl(target, QUrl::StrictMode), MostBytes, this, reply);
    else
        m_sources.sandbox(target, MostBytes, this, reply);
}

void TranscriptImages::decode(const QString &key, const QString &dataAddress)
{
    if (m_pictures.contains(key))
        return;
    set(key, {State::Loading, {}, {}});
    decodeBytes(key, [dataAddress] { return dataBytes(dataAddress); });
}

void TranscriptImages::decodeFromRow(const QString &key, qint64 row, qsizetype begin)
{
    if (m_pictures.contains(key) || !m_wholeText)
        return;
    set(key, {State::Loading, {}, {}});
    m_wholeText(row, this,
                [this, key, begin, generation = m_generation](const std::function<QString()> &text) {
                    if (generation != m_generation)
                        return;
                    decodeBytes(key, [text, begin] {
                        const QString whole = text();
                        qsizetype end = begin;
                        while (end < whole.size() && whole[end] != u')' && !whole[end].isSpace())
                            ++end;
                        return dataBytes(whole.mid(begin, end - begin));
                    });
                });
}

void TranscriptImages::decodeBytes(const QString &key, std::function<QByteArray()> bytes)
{
    // The pool is waited for before this object goes, so it is there when the work ends.
    m_pool.start([this, key, generation = m_generation, bytes = std::move(bytes)] {
        Decoded result = decoded(bytes());
        QMetaObject::invokeMethod(
            this,
            [this, key, generation, result = std::move(result)] {
                if (generation != m_generation)
                    return;
                if (result.image.isNull())
                    set(key, {State::Failed, {}, result.problem});
                else
                    set(key, {State::Shown, QPixmap::fromImage(result.image), {}});
            },
            Qt::QueuedConnection);
    });
}

} // namespace Pilothouse
