// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "approval/approvalcard.h"

#include <QHash>
#include <QObject>
#include <QPointer>

namespace Pilothouse {

class ApprovalBar;
class TranscriptView;
class Workspace;

/// Puts the card of each call that waits where it belongs: in the transcript while its row is in view, above
/// the composer while it is not. What was begun in one goes on in the other.
class ApprovalPlaces : public QObject {
    Q_OBJECT
public:
    /// All outlive this object.
    ApprovalPlaces(Workspace *workspace, TranscriptView *transcript, ApprovalBar *bar, QObject *parent);
    ~ApprovalPlaces() override;

    void update(); ///< The conversation or its waiting calls changed.
    /// The card that is seen of the call that waits after this one, or before it; null: none waits.
    [[nodiscard]] ApprovalCard *nextAfter(const QString &callId) const;

Q_SIGNALS:
    void attended(const QString &callId); ///< One of its cards has the focus, or is written in.
    /// An answer was given in a card that had the focus, by the mouse or by keys.
    void answered(const QString &callId, bool byMouse);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void updateSeen();
    void updateContext();
    void updateRoom();
    void keepInView();
    void noteAnswer(const ApprovalCard *card);
    ApprovalCard *pinned(const QString &callId) const;

    Workspace *m_workspace;
    TranscriptView *m_transcript;
    ApprovalBar *m_bar;
    QHash<QString, QPointer<ApprovalCard>> m_inline; ///< By call.
    bool m_copying = false; ///< A draft goes from one card to the other.
};

} // namespace Pilothouse
