// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QHash>
#include <QObject>
#include <QPixmap>
#include <QThreadPool>
#include <QUrl>

#include <functional>

class QImage;

namespace Pilothouse {

/// Pictures that texts of a conversation name. Nothing is fetched before a person asks for it; what comes is
/// bounded in bytes and pixels and decoded in another thread. GUI thread.
class TranscriptImages : public QObject {
    Q_OBJECT
public:
    static constexpr qint64 MostBytes = 12 * 1024 * 1024; ///< Of one file.
    static constexpr int MostKept = 40; ///< Pictures in memory; beyond that all are offered again.

    using Reply = std::function<void(const Result<QByteArray, Error> &)>;
    /// How bytes are got; an empty function: such pictures are only named. Called in the GUI thread, answered
    /// there once, unless the context died. At most `most` bytes may come.
    struct Sources {
        /// Without credentials, cookies or a referrer.
        std::function<void(const QUrl &url, qint64 most, QObject *context, Reply reply)> remote;
        /// A file of the conversation's sandbox, by the sandbox API only.
        std::function<void(const QString &path, qint64 most, QObject *context, Reply reply)> sandbox;
    };
    /// Gets the whole text of a row whose text is shortened: answers with what makes it, for another thread;
    /// with nothing if the log cannot be read.
    using WholeText = std::function<void(qint64 row, QObject *context,
                                         std::function<void(std::function<QString()>)> reply)>;
    enum class State { Offered = 1, Loading, Shown, Failed };
    struct Picture {
        State state = State::Offered;
        QPixmap pixmap; ///< Scaled down to at most the transcript's width.
        QString problem; ///< Failed: one line, inert.
    };

    explicit TranscriptImages(QObject *parent = nullptr);
    ~TranscriptImages() override;

    void setSources(Sources sources) { m_sources = std::move(sources); }
    [[nodiscard]] Picture picture(const QString &key) const { return m_pictures.value(key); }
    /// Whether load() could get this target: http(s) or a path of the sandbox. Never a local file.
    [[nodiscard]] bool canLoad(const QString &target) const;
    [[nodiscard]] static bool isRemote(const QString &target);
    void load(const QString &key, const QString &target);
    /// A data: address as it stands in the text.
    void decode(const QString &key, const QString &dataAddress);
    /// The data: address that comes after `before` others in the text of a row, which has not all of it.
    void decodeFromRow(const QString &key, qint64 row, qsizetype before);
    void setWholeText(WholeText source) { m_wholeText = std::move(source); }
    void clear(); ///< Another conversation.
    /// The thread that decoded the last picture, for tests.
    [[nodiscard]] Qt::HANDLE decodedIn() const { return m_decodedIn; }

Q_SIGNALS:
    void changed(const QString &key);

private:
    struct Bytes {
        QByteArray bytes;
        QString problem; ///< Why there are none.
    };
    [[nodiscard]] static Bytes dataBytes(QStringView address);
    void decodeBytes(const QString &key, std::function<Bytes()> bytes);
    void set(const QString &key, Picture picture);

    Sources m_sources;
    WholeText m_wholeText;
    QHash<QString, Picture> m_pictures;
    QThreadPool m_pool;
    Qt::HANDLE m_decodedIn = nullptr;
    int m_generation = 0; ///< Answers of an earlier one are dropped.
};

} // namespace Pilothouse
