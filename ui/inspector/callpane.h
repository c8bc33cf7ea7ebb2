// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "util/error.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QStackedWidget;

namespace Pilothouse {

class Button;
class CallHeader;
class CallModel;
class ElidedLabel;
class EmptyState;
class Label;
class OutputModel;
class OutputView;
class Segmented;
class TextBox;
class ToolButton;

/// The Call pane: one call with what it was asked to do, its output as it comes, and what the model received.
/// Without a call it says how to get one.
class CallPane : public QWidget {
    Q_OBJECT
public:
    enum class Tab { Output = 0, Arguments = 1, Received = 2 }; ///< Also the place of its choice.
    /// Asks for a file name and calls back with it, later, or not at all. Opens no loop of its own.
    using AskFileName =
        std::function<void(QWidget *parent, const QString &suggestion, std::function<void(const QString &)>)>;

    /// `model` outlives the pane.
    explicit CallPane(CallModel *model, QWidget *parent = nullptr);

    void setAskFileName(AskFileName ask); ///< The system's file dialog unless set.
    /// False: reading only, nothing can be stopped.
    void setCanStop(bool canStop);
    void setTab(Tab tab);
    [[nodiscard]] Tab tab() const { return m_tab; }
    [[nodiscard]] OutputView *outputView() const { return m_view; }
    void focusContent(); ///< The text that is shown.
    /// Saves the exact bytes: of one channel, or of both in the order in which they arrived.
    enum class What { All = 1, Stdout, Stderr };
    void saveOutput(What what);

Q_SIGNALS:
    void stopCallRequested(const QString &conversation, const QString &callId);
    void saved(const QString &fileName, qint64 bytes);
    void problem(const Pilothouse::Error &error);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void makeSubject();
    void makeToolbar();
    void onOpened();
    void onChanged();
    void updateSubject();
    void updateTexts();
    void updateCounts();
    void updatePage();
    void updateFoot();
    void updateTick();
    void onSaveClicked();
    [[nodiscard]] OutputView *shownView() const;

    CallModel *m_model;
    AskFileName m_ask;
    QStackedWidget *m_pages; ///< Empty, or the call.
    EmptyState *m_empty;
    CallHeader *m_header;
    Label *m_subjectLabel;
    TextBox *m_subject;
    ElidedLabel *m_meta;
    Label *m_startLabel;
    Segmented *m_tabs;
    Label *m_counts;
    ToolButton *m_wrap;
    ToolButton *m_copy;
    ToolButton *m_save;
    QStackedWidget *m_stack;
    OutputView *m_view;
    OutputModel *m_bodyModel; ///< Text that stands where output would.
    OutputView *m_body;
    OutputModel *m_argsModel;
    OutputView *m_args;
    QWidget *m_receivedPage;
    Label *m_receivedNote;
    OutputModel *m_receivedModel;
    OutputView *m_received;
    EmptyState *m_nothing;
    QWidget *m_foot;
    Button *m_following;
    Label *m_stderrMark;
    Label *m_exit;
    QTimer m_tick;
    Tab m_tab = Tab::Output;
    bool m_tabChosen = false; ///< By the person, for this call.
    bool m_canStop = true;
};

} // namespace Pilothouse
