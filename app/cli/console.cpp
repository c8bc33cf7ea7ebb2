// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "console.h"

#include "text/inerttext.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

void Console::out(const QByteArray &bytes)
{
    if (bytes.isEmpty() || m_readerGone)
        return;
    if (std::fwrite(bytes.constData(), 1, static_cast<size_t>(bytes.size()), stdout)
        != static_cast<size_t>(bytes.size()))
        noteFailure();
    m_atLineStart = bytes.endsWith('\n');
}

void Console::outJson(const QByteArray &json)
{
    const auto isPlain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
    if (std::all_of(json.begin(), json.end(), isPlain)) {
        out(json);
        return;
    }
    QString text;
    for (const char32_t c : QString::fromUtf8(json).toUcs4()) {
        const QString character = QString::fromUcs4(&c, 1);
        if (!isUnsafeToShow(c)) {
            text += character;
            continue;
        }
        for (const QChar unit : character)
            text += u"\\u%1"_s.arg(static_cast<uint>(unit.unicode()), 4, 16, QChar(u'0'));
    }
    out(text.toUtf8());
}

void Console::outText(const QString &text) { out(inertText(text).toUtf8()); }

void Console::outLine(const QString &text) { out(inertText(text).toUtf8() + '\n'); }

void Console::err(const QString &text)
{
    flush();
    const QByteArray line = inertText(text).toUtf8() + '\n';
    std::fwrite(line.constData(), 1, static_cast<size_t>(line.size()), stderr);
    std::fflush(stderr);
}

void Console::errBytes(const QByteArray &bytes)
{
    if (m_readerGone)
        return;
    if (std::fwrite(bytes.constData(), 1, static_cast<size_t>(bytes.size()), stderr)
        != static_cast<size_t>(bytes.size()))
        noteFailure();
}

void Console::error(const Error &error) { err(u"pilothouse-cli: "_s + error.toText()); }

void Console::noteFailure()
{
    if (errno != EPIPE && !m_readerGone)
        m_writeProblem = qt_error_string(errno);
    m_readerGone = true;
}

void Console::flush()
{
    if (std::fflush(stdout) != 0)
        noteFailure();
}

} // namespace Pilothouse::Cli
