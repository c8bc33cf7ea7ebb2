// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptimages.h"

#include "text/dataaddress.h"
#include "text/inerttext.h"
#include "text/markdowninline.h"

#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QThread>

#include <algorithm>
#include <array>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostFaultLine = 200;
constexpr qint64 MostPixels = 50'000'000; // More is an attack on memory, not a chart.
constexpr int MostDecodedMegabytes = 256; // The same for the decoder itself.
constexpr QSize LargestShown{1520, 1280}; // Twice what is ever shown: for screens with two pixels per unit.

struct Decoded {
    QImage image;
    QString problem;
};

QString tooLarge() { return u"It is larger than what is shown here."_s; }

Decoded decoded(QByteArray bytes)
{
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
        return {{}, u"It cannot be decoded: "_s + inertLine(reader.errorString(), MostFaultLine)};
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

TranscriptImages::Bytes TranscriptImages::dataBytes(QStringView address)
{
    const qsizetype comma = address.indexOf(u',');
    if (comma <= 0 || !address.left(comma).endsWith(u";base64", Qt::CaseInsensitive))
        return {{}, u"It is not written in the form that is read here (base64)."_s};
    if (address.size() / 4 * 3 > MostBytes)
        return {{}, tooLarge()};
    QByteArray bytes = QByteArray::fromBase64(address.mid(comma + 1).toLatin1());
    if (bytes.isEmpty())
        return {{}, u"There is nothing in it that can be read."_s};
    return {std::move(bytes), {}};
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
            set(key, {State::Failed, {}, inertLine(bytes.error().toText(), MostFaultLine)});
        else if (bytes->size() > MostBytes)
            set(key, {State::Failed, {}, tooLarge()});
        else
            decodeBytes(key, [content = *bytes] { return Bytes{content, {}}; });
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

void TranscriptImages::decodeFromRow(const QString &key, qint64 row, qsizetype before)
{
    if (m_pictures.contains(key) || !m_wholeText)
        return;
    set(key, {State::Loading, {}, {}});
    m_wholeText(row, this,
                [this, key, before, generation = m_generation](const std::function<QString()> &text) {
                    if (generation != m_generation)
                        return;
                    if (!text) {
                        set(key, {State::Failed, {}, u"The log that has it could not be read."_s});
                        return;
                    }
                    decodeBytes(key, [text, before]() -> Bytes {
                        const QString whole = text();
                        const std::optional<DataAddress> found = nthDataAddress(whole, before);
                        if (!found)
                            return {{}, u"The log does not have it whole."_s};
                        return dataBytes(QStringView(whole).mid(found->begin, found->end - found->begin));
                    });
                });
}

void TranscriptImages::decodeBytes(const QString &key, std::function<Bytes()> bytes)
{
    // The pool is waited for before this object goes, so it is there when the work ends.
    m_pool.start([this, key, generation = m_generation, bytes = std::move(bytes)] {
        Bytes content = bytes();
        Decoded result =
            content.problem.isEmpty() ? decoded(std::move(content.bytes)) : Decoded{{}, content.problem};
        QMetaObject::invokeMethod(
            this,
            [this, key, generation, thread = QThread::currentThreadId(), result = std::move(result)] {
                if (generation != m_generation)
                    return;
                m_decodedIn = thread;
                if (result.image.isNull())
                    set(key, {State::Failed, {}, result.problem});
                else
                    set(key, {State::Shown, QPixmap::fromImage(result.image), {}});
            },
            Qt::QueuedConnection);
    });
}

} // namespace Pilothouse
