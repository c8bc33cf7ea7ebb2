// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/statelook.h"

#include "text/inerttext.h"

#include <QCoreApplication>

#include <array>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestWord = 40; // Of a state that this version does not know.

struct Entry {
    QLatin1StringView state;
    QLatin1StringView glyph;
    Role color;
    const char *word;
};

#define WORD(text) QT_TRANSLATE_NOOP("Pilothouse::StateLook", text)

constexpr std::array Conversations{
    Entry{"idle"_L1, "idle"_L1, Role::Text3, WORD("Idle")},
    Entry{"connecting"_L1, "connecting"_L1, Role::Accent, WORD("Connecting")},
    Entry{"thinking"_L1, "thinking"_L1, Role::Accent, WORD("Thinking")},
    Entry{"writing"_L1, "thinking"_L1, Role::Accent, WORD("Writing")},
    Entry{"calling"_L1, "calling"_L1, Role::Accent, WORD("Calling")},
    Entry{"waiting"_L1, "approval"_L1, Role::Waiting, WORD("Waiting for you")},
    Entry{"retrying"_L1, "retrying"_L1, Role::Text2, WORD("Retrying")},
    Entry{"stopping"_L1, "stopping"_L1, Role::Text, WORD("Stopping")},
    Entry{"frozen"_L1, "frozen"_L1, Role::Frozen, WORD("Frozen")},
    Entry{"interrupted"_L1, "interrupted"_L1, Role::Interrupted, WORD("Interrupted")},
    Entry{"failed"_L1, "failed"_L1, Role::Failed, WORD("Failed")},
    Entry{"finished"_L1, "finished"_L1, Role::Finished, WORD("Finished")},
};

constexpr std::array Calls{
    Entry{"proposed"_L1, "proposed"_L1, Role::Text3, WORD("Writing")},
    Entry{"waiting"_L1, "approval"_L1, Role::Waiting, WORD("Waiting for you")},
    Entry{"approved"_L1, "proposed"_L1, Role::Text3, WORD("Allowed, not started")},
    Entry{"running"_L1, "calling"_L1, Role::Accent, WORD("Running")},
    Entry{"done"_L1, "finished"_L1, Role::Finished, ""},
    Entry{"failed"_L1, "failed"_L1, Role::Failed, WORD("Tool failed")},
    Entry{"denied"_L1, "denied"_L1, Role::Text2, WORD("Denied")},
    Entry{"stopped"_L1, "stopping"_L1, Role::Text, WORD("Stopped")},
    Entry{"frozen"_L1, "frozen"_L1, Role::Frozen, WORD("Frozen")},
    Entry{"unknown"_L1, "interrupted"_L1, Role::Interrupted, WORD("Outcome unknown")},
    Entry{"not-run"_L1, "denied"_L1, Role::Text2, WORD("Not run")},
};

constexpr std::array Machines{
    Entry{""_L1, "machine-none"_L1, Role::Text3, WORD("no machine")},
    Entry{"creating"_L1, "machine-starting"_L1, Role::Text2, WORD("starting")},
    Entry{"resuming"_L1, "machine-starting"_L1, Role::Text2, WORD("resuming")},
    Entry{"active"_L1, "machine-active"_L1, Role::Finished, WORD("active")},
    Entry{"pausing"_L1, "machine-starting"_L1, Role::Text2, WORD("pausing")},
    Entry{"paused"_L1, "machine-paused"_L1, Role::Text2, WORD("paused")},
    Entry{"deleting"_L1, "machine-none"_L1, Role::Text2, WORD("deleting")},
    Entry{"deleted"_L1, "machine-none"_L1, Role::Text3, WORD("deleted")},
    Entry{"released"_L1, "machine-none"_L1, Role::Text3, WORD("let go")},
    Entry{"gone"_L1, "machine-failed"_L1, Role::Failed, WORD("gone")},
    Entry{"lost"_L1, "machine-failed"_L1, Role::Failed, WORD("lost")},
    Entry{"failed"_L1, "machine-failed"_L1, Role::Failed, WORD("failed")},
    Entry{"unknown"_L1, "machine-failed"_L1, Role::Interrupted, WORD("state unknown")},
};

QString translated(const char *word)
{
    return *word == '\0' ? QString() : QCoreApplication::translate("Pilothouse::StateLook", word);
}

template <typename Table>
StateLook lookIn(const Table &table, const QString &state, QLatin1StringView otherGlyph)
{
    for (const Entry &entry : table) {
        if (state == entry.state)
            return {QString(entry.glyph), entry.color, translated(entry.word)};
    }
    return {QString(otherGlyph), Role::Text2, inertLine(state, LongestWord)};
}

} // namespace

StateLook conversationLook(const QString &state) { return lookIn(Conversations, state, "idle"_L1); }

StateLook conversationLook(const QString &state, const QString &detail)
{
    StateLook look = conversationLook(state);
    if (state != "waiting"_L1)
        return look;
    const bool limit = detail == "limit"_L1 || detail == "step-limit"_L1;
    look.glyph = limit ? u"limit"_s : u"approval"_s;
    look.word = translated(limit ? WORD("Limit") : WORD("Approval"));
    return look;
}

StateLook callLook(const QString &state, std::optional<int> exitCode)
{
    StateLook look = lookIn(Calls, state, "proposed"_L1);
    if (state == "done"_L1 && exitCode.value_or(0) != 0) {
        look = {u"exitbad"_s, Role::Failed,
                QCoreApplication::translate("Pilothouse::StateLook", "exit %1").arg(*exitCode)};
    }
    return look;
}

StateLook machineLook(const QString &sandboxState)
{
    return lookIn(Machines, sandboxState, "machine-failed"_L1);
}

#undef WORD

} // namespace Pilothouse
