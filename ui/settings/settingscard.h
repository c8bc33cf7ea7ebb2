// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QVBoxLayout;

namespace Pilothouse {

class Label;

/// A box of rows with lines between them, under a small heading.
class SettingsCard : public QWidget {
    Q_OBJECT
public:
    explicit SettingsCard(const QString &heading, QWidget *parent = nullptr);

    void addRow(QWidget *row); ///< Takes ownership.
    /// A row of a name, what it is for, and a control.
    void addSetting(const QString &name, const QString &hint, QWidget *control);
    /// The same of a thing that somebody else named, at any length: the name is cut where there is no room.
    void addThing(const QString &name, const QString &fact, QWidget *control);
    void removeRow(QWidget *row); ///< With its line; deletes it later.
    void setLineShown(const QWidget *row, bool shown); ///< Of the line below a row that is not always there.
    void clear();

private:
    void addParts(Label *name, Label *hint, QWidget *control);

    QWidget *m_box;
    QVBoxLayout *m_rows;
};

} // namespace Pilothouse
