// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class Button;
class ElidedLabel;
class Label;
struct CallFacts;

/// The head of the Call pane: glyph, tool, state in words, which call of which step, time, Stop call.
class CallHeader : public QWidget {
    Q_OBJECT
public:
    explicit CallHeader(QWidget *parent = nullptr);

    void setFacts(const CallFacts &facts, bool canStop);
    void updateTime(const CallFacts &facts);

Q_SIGNALS:
    void stopClicked();
    void focusLeft(); ///< The button that has the focus goes: the pane says where the focus belongs.

private:
    class Glyph;
    void updateStop(bool visible, bool enabled);

    Glyph *m_glyph;
    Label *m_tool;
    Label *m_state;
    ElidedLabel *m_place;
    Label *m_time;
    Button *m_stop;
    QString m_call;
    QString m_stopping; ///< Id of the call that was told to stop.
};

} // namespace Pilothouse
