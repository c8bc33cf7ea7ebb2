// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "composer/draftstore.h"

#include "util/ids.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <filesystem>
#include <system_error>

namespace Pilothouse {

using namespace Qt::StringLiterals;

DraftStore::DraftStore(QString folder)
    : m_folder(std::move(folder))
{ }

QString DraftStore::fileName(const QString &conversation) const
{
    // Nothing that came from outside gets into a path.
    if (!conversation.isEmpty() && !isId(conversation))
        return {};
    const QString name = conversation.isEmpty() ? u"new"_s : conversation;
    return QString(m_folder + u'/' + name + u".txt");
}

QString DraftStore::load(const QString &conversation) const
{
    QFile file(fileName(conversation));
    if (file.fileName().isEmpty() || !file.open(QIODevice::ReadOnly) || file.size() > LongestDraft)
        return {};
    return QString::fromUtf8(file.read(LongestDraft));
}

bool DraftStore::save(const QString &conversation, const QString &text)
{
    const QString name = fileName(conversation);
    if (name.isEmpty())
        return false;
    if (text.isEmpty())
        return !QFile::exists(name) || QFile::remove(name);
    const QByteArray utf8 = text.toUtf8();
    if (utf8.size() > LongestDraft)
        return false;
    const bool isNew = !QFile::exists(name);
    if (isNew && !QDir().mkpath(m_folder))
        return false;
    // Whole or not at all, but without waiting for the disk: this is written while a person types.
    QFile file(QString(name + u".part"));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate))
        return false;
    file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    const bool isWritten = file.write(utf8) == utf8.size() && file.flush();
    file.close();
    std::error_code problem;
    if (isWritten)
        std::filesystem::rename(std::filesystem::path(file.fileName().toStdU16String()),
                                std::filesystem::path(name.toStdU16String()), problem);
    if (!isWritten || problem) {
        file.remove();
        return false;
    }
    if (isNew)
        removeOldest();
    return true;
}

void DraftStore::removeOldest() const
{
    const QDir folder(m_folder);
    const QStringList names = folder.entryList({u"*.txt"_s}, QDir::Files, QDir::Time);
    for (qsizetype i = MostDrafts; i < names.size(); ++i)
        QFile::remove(folder.filePath(names[i]));
}

} // namespace Pilothouse
