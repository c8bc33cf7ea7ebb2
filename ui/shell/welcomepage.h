// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace Pilothouse {

/// What stands in the place of a transcript while no conversation is shown.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget *parent = nullptr);

    void setFirstRun(bool firstRun); ///< No conversation was ever made here.
    void setModel(const QString &modelText, bool scripted); ///< What a new conversation gets.
    void setUsable(bool usable);

Q_SIGNALS:
    void tourRequested();

private:
    void updateTexts();

    QLabel *m_headline;
    QLabel *m_text;
    QPushButton *m_tour;
    QString m_model;
    bool m_scripted = false;
    bool m_firstRun = true;
    bool m_usable = false;
};

} // namespace Pilothouse
