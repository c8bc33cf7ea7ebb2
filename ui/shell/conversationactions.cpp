// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/conversationactions.h"

#include "shell/workspace.h"
#include "sidebar/conversationlistmodel.h"
#include "sidebar/copytitle.h"
#include "sidebar/statewords.h"
#include "theme/controls/confirmdialog.h"
#include "theme/icons.h"

#include <QActionGroup>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestFileName = 60;
constexpr qsizetype LongestCopyTitle = 200; // Of the log.

// A title as a file's name: what a file system or a shell could take for something else is left out.
QString fileNameOf(const QString &title)
{
    static const QRegularExpression unsafe(u"[^\\p{L}\\p{N} ._-]+"_s);
    QString name = QString(title).replace(unsafe, u" "_s).simplified().left(LongestFileName).trimmed();
    while (name.startsWith(u'.') || name.startsWith(u'-'))
        name.remove(0, 1);
    return name.isEmpty() ? u"conversation"_s : name;
}

// By the log: also one that is gone, until it is let go of.
bool hasMachine(const ConversationSummary &summary)
{
    return !summary.sandboxId.isEmpty() && summary.sandboxState != "deleted"_L1
        && summary.sandboxState != "released"_L1;
}

bool isLost(const ConversationSummary &summary)
{
    return summary.sandboxState == "gone"_L1 || summary.sandboxState == "lost"_L1;
}

bool canBeDeleted(const ConversationSummary &summary)
{
    return hasMachine(summary) && summary.sandboxState != "gone"_L1;
}

} // namespace

ConversationActions::ConversationActions(Workspace *workspace, QWidget *window)
    : QObject(window)
    , m_workspace(workspace)
    , m_window(window)
{ }

QString ConversationActions::duplicateHint()
{
    return tr("A new conversation with the same model, kind of sandbox, instructions, tools and limits. "
              "Messages and the machine are not copied.");
}

const ConversationSummary *ConversationActions::summary(const QString &id) const
{
    return m_workspace->conversations()->summary(id);
}

void ConversationActions::fillMenu(QMenu *menu, const QString &id)
{
    const ConversationSummary *found = summary(id);
    if (!found)
        return;
    const bool canWork = m_workspace->canWork();
    menu->setToolTipsVisible(true);
    QAction *rename =
        menu->addAction(icon(u"pencil"_s), tr("Rename"), this, [this, id] { Q_EMIT renameRequested(id); });
    QAction *copy = menu->addAction(icon(u"copy"_s), tr("Duplicate without messages"), this,
                                    [this, id] { duplicate(id); });
    copy->setToolTip(duplicateHint());
    QAction *archive =
        menu->addAction(icon(u"archive"_s), found->archived ? tr("Take out of the archive") : tr("Archive"),
                        this, [this, id] { toggleArchived(id); });
    menu->addSeparator();
    menu->addAction(icon(u"file-text"_s), tr("Export as Markdown…"), this,
                    [this, id] { exportTo(id, HistoryService::ExportFormat::Markdown); });
    menu->addAction(icon(u"file-code"_s), tr("Export as JSON…"), this,
                    [this, id] { exportTo(id, HistoryService::ExportFormat::Json); });
    menu->addSeparator();
    QAction *remove_ = menu->addAction(icon(u"trash-2"_s), tr("Delete…"), this, [this, id] { remove(id); });
    for (QAction *action : {rename, copy, archive, remove_})
        action->setEnabled(canWork);
}

void ConversationActions::fillMachineMenu(QMenu *menu, const QString &id)
{
    menu->clear();
    const ConversationSummary *found = summary(id);
    if (!found) {
        fillBackendMenu(menu);
        return;
    }
    if (!hasMachine(*found)) {
        menu->addAction(tr("There is no machine now; the next turn makes one"))->setEnabled(false);
        return;
    }
    const bool local = found->backend == "local"_L1;
    const bool busy = m_workspace->isRunning(id);
    if (busy)
        menu->addAction(tr("A turn runs on it: stop the turn first"))->setEnabled(false);
    const bool usable = m_workspace->canWork() && !busy;
    const auto addRelease = [&] {
        menu->addAction(icon(u"plus"_s), tr("New machine with the next turn…: this one is let go"), this,
                        [this, id] { releaseMachine(id); })
            ->setEnabled(usable);
    };
    if (isLost(*found)) { // Nothing can be done to it any more.
        menu->addAction(found->sandboxState == "gone"_L1
                            ? tr("The machine is gone: it was deleted outside this conversation")
                            : tr("The machine is lost: the service can no longer start it"))
            ->setEnabled(false);
        addRelease();
        return;
    }
    QAction *pause = menu->addAction(icon(u"pause"_s),
                                     local ? tr("Pause: programs stand still, files are kept")
                                           : tr("Pause: programs and files are kept, nothing is charged"),
                                     this, [this, id] { changeMachine(id, MachineChange::Pause); });
    QAction *resume = menu->addAction(icon(u"play"_s),
                                      local ? tr("Resume: programs go on, on this computer")
                                            : tr("Resume: programs go on, running time is charged"),
                                      this, [this, id] { changeMachine(id, MachineChange::Resume); });
    menu->addSeparator();
    QAction *remove_ = menu->addAction(icon(u"trash-2"_s),
                                       local ? tr("Delete machine…: its files are lost")
                                             : tr("Delete machine…: its files are lost, nothing is charged"),
                                       this, [this, id] { changeMachine(id, MachineChange::Delete); });
    addRelease(); // Also of one that seems well: another address, or another service, may be in use now.
    pause->setEnabled(usable && found->sandboxState == "active"_L1);
    resume->setEnabled(usable && found->sandboxState != "active"_L1);
    remove_->setEnabled(usable);
}

void ConversationActions::fillBackendMenu(QMenu *menu)
{
    auto *group = new QActionGroup(menu);
    for (const ServiceInfo &service : m_workspace->services()) {
        if (service.kind != ServiceInfo::Kind::Sandbox)
            continue;
        const bool noKey = service.keySource == ServiceInfo::KeySource::None;
        QAction *action =
            menu->addAction(noKey ? tr("%1: no key").arg(service.name) : backendText(service.id));
        action->setCheckable(true);
        action->setChecked(m_workspace->draft().backend == service.id);
        action->setEnabled(!noKey);
        group->addAction(action);
        connect(action, &QAction::triggered, m_workspace,
                [this, id = service.id] { m_workspace->setDraftBackend(id); });
    }
}

void ConversationActions::duplicate(const QString &id)
{
    const ConversationSummary *found = summary(id);
    if (!found)
        return;
    QSet<QString> titles;
    const ConversationListModel *list = m_workspace->conversations();
    for (int i = 0; i < list->rowCount(); ++i)
        titles.insert(list->index(i).data(ConversationListModel::TitleRole).toString());
    m_workspace->duplicate(id,
                           copyTitle(titleText(*found), LongestCopyTitle,
                                     [&titles](const QString &title) { return titles.contains(title); }));
}

void ConversationActions::toggleArchived(const QString &id)
{
    if (const ConversationSummary *found = summary(id))
        m_workspace->archive(id, !found->archived);
}

void ConversationActions::exportTo(const QString &id, HistoryService::ExportFormat format)
{
    const ConversationSummary *found = summary(id);
    if (!found)
        return;
    const bool json = format == HistoryService::ExportFormat::Json;
    const QString suffix = json ? u"json"_s : u"md"_s;
    auto *dialog = new QFileDialog(m_window, json ? tr("Export as JSON") : tr("Export as Markdown"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(json ? tr("JSON (*.json)") : tr("Markdown (*.md)"));
    dialog->setDirectory(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    dialog->selectFile(QString(fileNameOf(titleText(*found)) + u'.' + suffix));
    connect(dialog, &QFileDialog::fileSelected, m_workspace,
            [this, id, format](const QString &file) { m_workspace->exportTo(id, format, file); });
    dialog->open();
}

void ConversationActions::remove(const QString &id)
{
    const ConversationSummary *found = summary(id);
    if (!found || !m_workspace->canWork())
        return;
    ConfirmDialog::Question question;
    question.title = tr("Delete “%1”?").arg(quotedTitle(*found));
    question.text = m_workspace->isRunning(id)
        ? tr("The turn that runs is stopped first. Messages, output and figures are deleted from this "
             "computer and cannot be brought back.")
        : tr("Messages, output and figures are deleted from this computer and cannot be brought back.");
    if (canBeDeleted(*found)) {
        question.option = tr("Delete its machine too");
        question.optionOn = tr("The machine %1 and its files are deleted.").arg(found->sandboxId);
        question.optionOff = found->backend == "local"_L1
            ? tr("The machine %1 stays on this computer; pilothouse-cli sandbox list shows it.")
                  .arg(found->sandboxId)
            : tr("The machine %1 stays with Superserve and may cost you; pilothouse-cli sandbox list shows "
                 "it.")
                  .arg(found->sandboxId);
    } else {
        question.text += u' ' + tr("It has no machine.");
    }
    question.confirm = tr("Delete");
    auto *dialog = new ConfirmDialog(question, m_window);
    connect(dialog, &ConfirmDialog::confirmed, m_workspace,
            [this, id](bool withMachine) { m_workspace->remove(id, withMachine); });
    dialog->open();
}

void ConversationActions::changeMachine(const QString &id, MachineChange change)
{
    if (change != MachineChange::Delete) {
        m_workspace->changeMachine(id, change);
        return;
    }
    const ConversationSummary *found = summary(id);
    if (!found)
        return;
    ConfirmDialog::Question question;
    question.title = tr("Delete the machine of “%1”?").arg(quotedTitle(*found));
    question.text = tr("Files and programs on %1 are lost. The conversation stays, and its next turn makes a "
                       "new machine.")
                        .arg(found->sandboxId);
    question.confirm = tr("Delete machine");
    auto *dialog = new ConfirmDialog(question, m_window);
    connect(dialog, &ConfirmDialog::confirmed, m_workspace,
            [this, id] { m_workspace->changeMachine(id, MachineChange::Delete); });
    dialog->open();
}

void ConversationActions::releaseMachine(const QString &id)
{
    const ConversationSummary *found = summary(id);
    if (!found || !hasMachine(*found) || !m_workspace->canWork())
        return;
    const bool local = found->backend == "local"_L1;
    QString left = tr("Nothing is sent to it. If %1 still exists, it stays as it is with its files, and it "
                      "may cost you: pilothouse-cli sandbox list shows it where it was made.")
                       .arg(found->sandboxId);
    if (found->sandboxState == "gone"_L1)
        left = tr("%1 does not exist any more; its files went with it.").arg(found->sandboxId);
    else if (local)
        left = tr("Nothing is sent to it. If %1 still exists, it stays on this computer with its files; "
                  "pilothouse-cli sandbox list shows it.")
                   .arg(found->sandboxId);
    ConfirmDialog::Question question;
    question.title = tr("Let go of the machine of “%1”?").arg(quotedTitle(*found));
    question.text = left + u' '
        + (local ? tr("The conversation keeps all that is shown. Its next turn makes a new, empty machine.")
                 : tr("The conversation keeps all that is shown. Its next turn makes a new, empty machine, "
                      "which is charged while it runs."));
    question.confirm = tr("Let go");
    auto *dialog = new ConfirmDialog(question, m_window);
    connect(dialog, &ConfirmDialog::confirmed, m_workspace, [this, id] { m_workspace->releaseMachine(id); });
    dialog->open();
}

} // namespace Pilothouse
