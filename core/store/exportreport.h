// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"
#include "util/result.h"

#include <QString>

class QIODevice;

namespace Pilothouse {

class ExportWriter;
class LogReader;

/// How a report for people writes its parts. Every text is hostile: a format escapes it so that no viewer
/// obeys it. A report has one beginning, then notes and sections in order, then one end; prose, answers and
/// code stand in sections.
class ReportFormat {
public:
    virtual ~ReportFormat() = default;
    virtual void begin(const QString &title, const QString &about) = 0; ///< Each becomes one line.
    virtual void beginSection(const QString &heading) = 0;
    virtual void endSection() { }
    virtual void prose(const QString &text) = 0; ///< A person's words, or ours.
    virtual void answer(const QString &text) { prose(text); } ///< A model's words: Markdown.
    virtual void code(const QString &text) = 0; ///< Arguments and output.
    virtual void note(const QString &text) = 0; ///< One line.
    virtual void end() { }
};

/// Walks the transcript of \a conversation in pages and hands it to \a format; long output is cut in the
/// middle. \a out is what \a format writes to: nothing more is read once it fails. Errors as exportJson().
[[nodiscard]] Result<Done, Error> writeReport(LogReader &reader, const QString &conversation,
                                              ReportFormat &format, const ExportWriter &out);

} // namespace Pilothouse
