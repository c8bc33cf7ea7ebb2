// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "readcommands.h"

#include "consoledevice.h"
#include "eventprinter.h"
#include "exitcodes.h"
#include "outputfile.h"
#include "store/exporthtml.h"
#include "store/exportjson.h"
#include "store/exportmarkdown.h"
#include "store/logreader.h"
#include "store/ndjson.h"

namespace Pilothouse::Cli {

using namespace Qt::StringLiterals;

namespace {

constexpr int EventsPerPage = 500;
constexpr int MostHits = 200;

int failed(const Error &error, Console *console)
{
    console->error(error);
    return exitCodeOf(error);
}

Json optionalNumber(const std::optional<qint64> &value) { return value ? Json::number(*value) : Json(); }

Json summaryJson(const ConversationSummary &summary)
{
    Json json = Json::object();
    json.set(u"id"_s, Json::string(summary.id));
    json.set(u"title"_s, Json::string(summary.title));
    json.set(u"state"_s, Json::string(summary.state));
    json.set(u"stateDetail"_s, Json::string(summary.stateDetail));
    json.set(u"provider"_s, Json::string(summary.provider));
    json.set(u"model"_s, Json::string(summary.model));
    json.set(u"backend"_s, Json::string(summary.backend));
    json.set(u"sandboxId"_s, summary.sandboxId.isEmpty() ? Json() : Json::string(summary.sandboxId));
    json.set(u"sandboxState"_s, Json::string(summary.sandboxState));
    json.set(u"createdMs"_s, Json::number(summary.createdMs));
    json.set(u"updatedMs"_s, Json::number(summary.updatedMs));
    json.set(u"turns"_s, Json::number(qint64(summary.turns)));
    json.set(u"lastSeq"_s, Json::number(summary.lastSeq));
    json.set(u"inputTokens"_s, optionalNumber(summary.inputTokens));
    json.set(u"outputTokens"_s, optionalNumber(summary.outputTokens));
    json.set(u"cost"_s,
             summary.costNanos ? Json::number(static_cast<double>(*summary.costNanos) / 1e9) : Json());
    json.set(u"archived"_s, Json::boolean(summary.archived));
    return json;
}

} // namespace

QString resolveConversation(const QString &dataDir, const QString &text, Console *console, int *exitCode)
{
    const auto reader = LogReader::open(dataDir);
    if (!reader) {
        *exitCode = failed(reader.error(), console);
        return {};
    }
    const auto ids = (*reader)->matchConversation(text);
    if (!ids) {
        *exitCode = failed(ids.error(), console);
        return {};
    }
    if (ids->size() == 1)
        return ids->first();
    *exitCode = UsageError;
    console->err(
        ids->isEmpty()
            ? u"pilothouse-cli: there is no conversation %1 (list shows them)"_s.arg(text)
            : u"pilothouse-cli: %1 fits %2 conversations; type more of it"_s.arg(text).arg(ids->size()));
    return {};
}

int listCommand(const QString &dataDir, bool json, Console *console)
{
    const auto reader = LogReader::open(dataDir);
    if (!reader)
        return failed(reader.error(), console);
    const auto all = (*reader)->conversations();
    if (!all)
        return failed(all.error(), console);
    Json array = Json::array();
    for (const ConversationSummary &summary : *all) {
        if (json)
            array.append(summaryJson(summary));
        else
            console->outLine(u"%1  %2  %3  %4"_s.arg(summary.id, summary.state.leftJustified(11),
                                                     summary.sandboxState.leftJustified(8), summary.title));
    }
    if (json)
        console->outJson(array.toJson() + '\n');
    console->flush();
    return Finished;
}

int showCommand(const QString &dataDir, const QString &conversation, bool json, Console *console)
{
    const auto reader = LogReader::open(dataDir);
    if (!reader)
        return failed(reader.error(), console);
    EventPrinter printer(console);
    for (qint64 from = 1; !console->readerGone();) {
        const auto page = (*reader)->events(conversation, from, EventsPerPage);
        if (!page)
            return failed(page.error(), console);
        if (page->isEmpty())
            break;
        for (const EventPtr &event : *page) {
            if (json)
                console->outJson(ndjsonLine(**reader, *event) + '\n');
            else if (event->kind == EventKind::UserMessage)
                console->outLine(u"\nYou: "_s + event->json()[u"text"].toString() + u'\n');
            else
                printer.print(*event);
        }
        from = page->last()->seq + 1;
    }
    console->flush();
    return Finished;
}

int exportCommand(const QString &dataDir, const QString &conversation, const QString &format,
                  const QString &file, Console *console)
{
    const auto reader = LogReader::open(dataDir);
    if (!reader)
        return failed(reader.error(), console);
    const auto write = [&](QIODevice &device) {
        return format == "json"_L1 ? exportJson(**reader, conversation, device)
            : format == "html"_L1  ? exportHtml(**reader, conversation, device)
                                   : exportMarkdown(**reader, conversation, device);
    };
    if (file.isEmpty()) {
        ConsoleDevice out(console,
                          format == "json"_L1 ? ConsoleDevice::Kind::Json : ConsoleDevice::Kind::Other);
        const auto done = write(out);
        console->flush();
        if (console->readerGone())
            return Finished; // Why is told once, at the end of the program; a reader that left is no error.
        return done ? Finished : failed(done.error(), console);
    }
    const auto done = writeOutputFile(file, write);
    return done ? Finished : failed(done.error(), console);
}

int searchCommand(const QString &dataDir, const QString &words, bool json, Console *console)
{
    const auto reader = LogReader::open(dataDir);
    if (!reader)
        return failed(reader.error(), console);
    const auto hits = (*reader)->search(words, MostHits);
    if (!hits)
        return failed(hits.error(), console);
    for (const SearchHit &hit : *hits) {
        if (json)
            console->outJson(JsonBuilder()
                                 .add("conversation"_L1, hit.conversation)
                                 .add("title"_L1, hit.title)
                                 .add("turn"_L1, hit.turn)
                                 .add("seq"_L1, hit.firstSeq)
                                 .add("at_ms"_L1, hit.atMs)
                                 .add("text"_L1, hit.snippet)
                                 .take()
                             + '\n');
        else
            console->outLine(u"%1  %2: %3"_s.arg(hit.conversation.left(8), hit.title, hit.snippet));
    }
    console->flush();
    return Finished;
}

} // namespace Pilothouse::Cli
