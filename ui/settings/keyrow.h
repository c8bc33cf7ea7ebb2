// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "engine/keyring.h"
#include "engine/services.h"
#include "theme/roles.h"
#include "util/secret.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QLineEdit;

namespace Pilothouse {

class Button;
class ColumnsLayout;
class ElidedLabel;
class ErrorBlock;
class Label;

/// One service on the page of keys: which key it uses and from where, what a test saw, and the field for
/// another key.
class KeyRow : public QWidget {
    Q_OBJECT
public:
    explicit KeyRow(const ServiceInfo &info, QWidget *parent = nullptr);

    /// Headings over the columns of rows; `what` heads the names.
    [[nodiscard]] static QWidget *makeHeader(const QString &what);

    void setInfo(const ServiceInfo &info); ///< A changed key forgets what a test saw.
    void setTested(const Result<ServiceTest, Error> &result);
    void setUsable(bool usable);
    /// Why a key was not kept, or not forgotten.
    void setKeyProblem(const Error &error);
    [[nodiscard]] const ServiceInfo &info() const { return m_info; }
    [[nodiscard]] Button *testButton() const { return m_test; }
    [[nodiscard]] Button *enterButton() const { return m_enter; }
    [[nodiscard]] Button *unlistButton() const { return m_unlist; }
    [[nodiscard]] QLineEdit *field() const { return m_field; }
    [[nodiscard]] QString verdict() const; ///< "works", "refused", …

Q_SIGNALS:
    void testRequested(const QString &id);
    void keyEntered(const QString &variable, const Pilothouse::Secret &key, Pilothouse::KeyRing::Place place);
    void keepRequested(const QString &variable); ///< The key of this session, into the keychain.
    void forgetRequested(const QString &variable);
    void keychainRequested(); ///< Ask it again for what it did not give.
    void unwanted(const QString &id); ///< It need not be listed any more.

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    void openField(bool open);
    void takeKey(KeyRing::Place place);
    void setVerdict(const QString &glyph, Role color, const QString &word, const QString &seen);

    ServiceInfo m_info;
    ColumnsLayout *m_columns = nullptr;
    QHBoxLayout *m_errorBox = nullptr;
    Label *m_name;
    ElidedLabel *m_key;
    Label *m_glyph;
    ElidedLabel *m_verdict;
    ElidedLabel *m_seen;
    Button *m_test;
    Button *m_enter;
    Button *m_forget;
    QWidget *m_ways;
    Button *m_keep; ///< The key of this session, into the keychain.
    Button *m_again; ///< Ask the keychain again.
    Button *m_unlist; ///< Off the list, of one that has no key.
    QWidget *m_fieldRow;
    QLineEdit *m_field;
    Button *m_use;
    Button *m_store;
    ErrorBlock *m_error;
    bool m_usable = false;
};

} // namespace Pilothouse
