// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

namespace Pilothouse {

class Button;
class Label;
class WelcomeWay;

/// What stands in the place of a transcript while no conversation is shown: at first the ways in, later what
/// the next message starts.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget *parent = nullptr);

    void setFirstRun(bool firstRun); ///< No conversation was ever made here.
    void setModel(const QString &modelText, bool scripted); ///< What a new conversation gets.
    void setLacksTools(bool lacksTools); ///< That model cannot use tools, as its service says.
    /// Whether messages can be sent; if not, whether it will stay so (the folder is another program's).
    void setUsable(bool usable, bool isReadOnly);
    [[nodiscard]] Button *tourButton() const;
    [[nodiscard]] Button *keysButton() const;
    [[nodiscard]] Button *localButton() const;

Q_SIGNALS:
    void tourRequested();
    void keysRequested();
    void localModelsRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void updateTexts();

    Label *m_headline;
    Label *m_text;
    QWidget *m_card;
    WelcomeWay *m_tour;
    WelcomeWay *m_local;
    WelcomeWay *m_keys;
    Label *m_next;
    QString m_model;
    bool m_scripted = false;
    bool m_lacksTools = false;
    bool m_firstRun = true;
    bool m_usable = false;
    bool m_isReadOnly = false;
};

} // namespace Pilothouse
