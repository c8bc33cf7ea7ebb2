// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "theme/announcer.h"

#include <QAccessible>
#include <QPointer>
#include <QWidget>

namespace Pilothouse {

namespace {

/// What is said, as a notification that belongs to the window.
class Announcement final : public QAccessibleInterface {
public:
    explicit Announcement(QWidget *window)
        : m_window(window)
    { }
    void setWords(const QString &text) { m_words = text; }

    [[nodiscard]] bool isValid() const override { return m_window != nullptr; }
    [[nodiscard]] QObject *object() const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface *parent() const override
    {
        return QAccessible::queryAccessibleInterface(m_window);
    }
    [[nodiscard]] QAccessibleInterface *child(int) const override { return nullptr; }
    [[nodiscard]] QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    [[nodiscard]] int childCount() const override { return 0; }
    [[nodiscard]] int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    [[nodiscard]] QAccessible::Role role() const override { return QAccessible::Notification; }
    [[nodiscard]] QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = true;
        return state;
    }
    [[nodiscard]] QRect rect() const override { return m_window ? m_window->geometry() : QRect(); }
    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Name ? m_words : QString();
    }
    void setText(QAccessible::Text, const QString &) override { }

private:
    QPointer<QWidget> m_window;
    QString m_words;
};

/// Child of the window; with it goes what it said.
class Announcer final : public QObject {
public:
    explicit Announcer(QWidget *window)
        : QObject(window)
        , m_words(new Announcement(window))
        , m_id(QAccessible::registerAccessibleInterface(m_words))
    { }
    ~Announcer() override { QAccessible::deleteAccessibleInterface(m_id); }
    Q_DISABLE_COPY_MOVE(Announcer)

    void say(const QString &text)
    {
        m_words->setWords(text);
        // Windows and macOS take alerts; AT-SPI passes on only that a notification came into view.
        for (const QAccessible::Event type : {QAccessible::Alert, QAccessible::ObjectShow}) {
            QAccessibleEvent event(m_words, type);
            QAccessible::updateAccessibility(&event);
        }
    }

private:
    Announcement *m_words; ///< The registry owns it.
    QAccessible::Id m_id;
};

} // namespace

void announce(const QWidget *from, const QString &text)
{
    if (!QAccessible::isActive() || text.isEmpty())
        return;
    QWidget *window = from->window();
    Announcer *announcer = nullptr;
    for (QObject *child : window->children()) {
        if (auto *known = dynamic_cast<Announcer *>(child))
            announcer = known;
    }
    if (!announcer)
        announcer = new Announcer(window);
    announcer->say(text);
}

} // namespace Pilothouse
