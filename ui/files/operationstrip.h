// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QWidget>

class QVBoxLayout;

namespace Pilothouse {

class FileOperations;

/// What runs and what became of it, a row each, with Cancel or Dismiss. Hidden while there is nothing.
class OperationStrip : public QWidget {
    Q_OBJECT
public:
    /// `operations` outlives the strip.
    explicit OperationStrip(FileOperations *operations, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    class Row;
    void rebuild();

    FileOperations *m_operations;
    QVBoxLayout *m_rows;
    QHash<quint64, Row *> m_byId;
};

} // namespace Pilothouse
