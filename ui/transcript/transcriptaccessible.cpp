// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "transcript/transcriptaccessible.h"

#include "text/inerttext.h"
#include "theme/announcer.h"
#include "transcript/accessibletext.h"
#include "transcript/rowtext.h"
#include "transcript/transcriptmodel.h"
#include "transcript/transcriptview.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>

#include <optional>
#include <utility>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostText = 64 * 1024; // Of one row; the clipboard and an export have the rest.

class RowInterface;

/// The view: a list of rows, then whatever widgets it shows.
class ViewInterface final : public QAccessibleWidget {
public:
    explicit ViewInterface(TranscriptView *view)
        : QAccessibleWidget(view, QAccessible::List)
        , m_view(view)
    { }
    ~ViewInterface() override
    {
        for (const QAccessible::Id id : std::as_const(m_rows))
            QAccessible::deleteAccessibleInterface(id);
        for (const QAccessible::Id id : std::as_const(m_targets))
            QAccessible::deleteAccessibleInterface(id);
    }
    [[nodiscard]] int rowCount() const { return m_view && m_view->model() ? m_view->model()->rowCount() : 0; }
    int childCount() const override { return rowCount() + QAccessibleWidget::childCount(); }
    QAccessibleInterface *child(int index) const override
    {
        if (index < 0)
            return nullptr;
        if (index < rowCount())
            return row(m_view->model()->rowAt(index).row);
        return QAccessibleWidget::child(index - rowCount());
    }
    int indexOfChild(const QAccessibleInterface *child) const override;
    QAccessibleInterface *childAt(int x, int y) const override
    {
        if (!m_view)
            return nullptr;
        const QPoint point = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        for (int i = 0; i < rowCount(); ++i) {
            if (m_view->rowRect(i).contains(point))
                return row(m_view->model()->rowAt(i).row);
        }
        return QAccessibleWidget::childAt(x, y);
    }
    QAccessibleInterface *focusChild() const override
    {
        if (m_view && m_view->hasFocus() && m_view->currentPlace() >= 0
            && m_view->currentPlace() < rowCount()) {
            const qint64 number = m_view->model()->rowAt(m_view->currentPlace()).row;
            const int at = m_view->currentTarget();
            return at >= 0 ? target(number, at) : row(number);
        }
        return QAccessibleWidget::focusChild();
    }
    [[nodiscard]] QAccessibleInterface *row(qint64 number) const;
    [[nodiscard]] QAccessibleInterface *target(qint64 row, int number) const;

private:
    QPointer<TranscriptView> m_view;
    mutable QHash<qint64, QAccessible::Id> m_rows;
    mutable QHash<std::pair<qint64, int>, QAccessible::Id> m_targets; ///< By row and place in it.
};

ViewInterface *viewInterface(TranscriptView *view)
{
    return dynamic_cast<ViewInterface *>(QAccessible::queryAccessibleInterface(view));
}

/// Null if nobody listens: then nothing needs to be told.
ViewInterface *interfaceOf(TranscriptView *view)
{
    return QAccessible::isActive() ? viewInterface(view) : nullptr;
}

/// A link or button in a row that is in view.
class TargetInterface final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    TargetInterface(TranscriptView *view, qint64 row, int number)
        : m_view(view)
        , m_row(row)
        , m_number(number)
    { }
    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] std::optional<SegmentTarget> target() const
    {
        const QList<SegmentTarget> all = place() >= 0 ? m_view->targetsOf(place()) : QList<SegmentTarget>();
        return m_number < all.size() ? std::optional(all[m_number]) : std::nullopt;
    }
    bool isValid() const override { return target().has_value(); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    QAccessibleInterface *parent() const override
    {
        const ViewInterface *view = viewInterface(m_view);
        return view && place() >= 0 ? view->row(m_row) : nullptr;
    }
    QAccessibleInterface *child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QString text(QAccessible::Text kind) const override
    {
        const auto found = target();
        if (found && kind == QAccessible::Name)
            return inertLine(found->name, MostName);
        // Where it leads may differ from its words.
        if (found && kind == QAccessible::Description && isLink(*found))
            return inertLine(found->hit.value, MostName);
        return {};
    }
    void setText(QAccessible::Text, const QString &) override { }
    QRect rect() const override
    {
        const auto found = target();
        return found ? QRect(m_view->viewport()->mapToGlobal(found->rect.topLeft()), found->rect.size())
                     : QRect();
    }
    QAccessible::Role role() const override
    {
        const auto found = target();
        return found && isLink(*found) ? QAccessible::Link : QAccessible::Button;
    }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        const auto found = target();
        if (!found) {
            state.invalid = true;
            return state;
        }
        state.focusable = true;
        state.linked = isLink(*found);
        state.focused =
            m_view->hasFocus() && m_view->currentPlace() == place() && m_view->currentTarget() == m_number;
        state.offscreen = !found->rect.intersects(m_view->viewport()->rect());
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface *>(this)
                                                    : nullptr;
    }
    QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString &name) override
    {
        if (name == pressAction() && place() >= 0)
            m_view->pressTargetOf(place(), m_number);
    }
    QStringList keyBindingsForAction(const QString &) const override { return {}; }

private:
    static constexpr qsizetype MostName = 2000;
    static bool isLink(const SegmentTarget &target) { return target.hit.what == SegmentHit::What::Link; }
    [[nodiscard]] int place() const
    {
        return m_view && m_view->model() ? m_view->model()->placeOf(m_row) : -1;
    }

    QPointer<TranscriptView> m_view;
    qint64 m_row;
    int m_number;
};

/// One row, by its number.
class RowInterface final : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    RowInterface(TranscriptView *view, qint64 number)
        : m_view(view)
        , m_number(number)
        , m_text(this)
    { }
    [[nodiscard]] qint64 number() const { return m_number; }
    [[nodiscard]] int place() const
    {
        return m_view && m_view->model() ? m_view->model()->placeOf(m_number) : -1;
    }
    bool isValid() const override { return place() >= 0; }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        for (int i = 0; i < childCount(); ++i) {
            QAccessibleInterface *target = child(i);
            if (target && target->rect().contains(x, y))
                return target;
        }
        return nullptr;
    }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface *child(int index) const override
    {
        const ViewInterface *view = viewInterface(m_view);
        return view && index >= 0 && index < childCount() ? view->target(m_number, index) : nullptr;
    }
    int childCount() const override
    {
        return place() >= 0 ? static_cast<int>(m_view->targetsOf(place()).size()) : 0;
    }
    int indexOfChild(const QAccessibleInterface *child) const override
    {
        const auto *target = dynamic_cast<const TargetInterface *>(child);
        return target && target->parent() == this ? target->number() : -1;
    }
    QString text(QAccessible::Text kind) const override
    {
        const int at = place();
        if (at < 0)
            return {};
        if (kind == QAccessible::Name)
            return rowSpoken(m_view->model()->rowAt(at));
        return {};
    }
    void setText(QAccessible::Text, const QString &) override { }
    QRect rect() const override
    {
        const int at = place();
        if (at < 0)
            return {};
        const QRect inside = m_view->rowRect(at);
        return {m_view->viewport()->mapToGlobal(inside.topLeft()), inside.size()};
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        const int at = place();
        if (at < 0) {
            state.invalid = true;
            return state;
        }
        const TranscriptRow &row = m_view->model()->rowAt(at);
        state.focusable = true;
        state.selectable = true;
        state.readOnly = true;
        state.focused = m_view->hasFocus() && m_view->currentPlace() == at;
        state.selected = state.focused;
        state.invisible = !isShown(row);
        state.offscreen = !m_view->rowRect(at).intersects(m_view->viewport()->rect());
        const bool folds =
            row.kind == TranscriptRow::Kind::Call || row.kind == TranscriptRow::Kind::Reasoning;
        state.expandable = folds;
        state.expanded = folds && m_view->isUnfolded(at);
        state.collapsed = folds && !state.expanded;
        state.busy = !row.closed;
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ActionInterface)
            return static_cast<QAccessibleActionInterface *>(this);
        if (type == QAccessible::TextInterface)
            return static_cast<QAccessibleTextInterface *>(&m_text);
        return nullptr;
    }
    QStringList actionNames() const override
    {
        const int at = place();
        if (at < 0)
            return {};
        const TranscriptRow::Kind kind = m_view->model()->rowAt(at).kind;
        QStringList names{setFocusAction()};
        if (kind == TranscriptRow::Kind::Call || kind == TranscriptRow::Kind::Reasoning)
            names.append(toggleAction());
        if (kind == TranscriptRow::Kind::Call)
            names.append(pressAction());
        return names;
    }
    void doAction(const QString &name) override
    {
        const int at = place();
        if (at < 0)
            return;
        m_view->setCurrentPlace(at);
        if (name == setFocusAction())
            m_view->setFocus();
        else if (name == toggleAction())
            m_view->toggleCurrent();
        else if (name == pressAction())
            Q_EMIT m_view->callActivated(m_view->model()->conversation(),
                                         m_view->model()->rowAt(at).data[u"callId"].toString());
    }
    QStringList keyBindingsForAction(const QString &) const override { return {}; }

private:
    class Text final : public AccessibleText {
    public:
        explicit Text(const RowInterface *row)
            : m_row(row)
        { }
        [[nodiscard]] QString words() const override { return m_row->words(); }
        [[nodiscard]] QRect place() const override { return m_row->rect(); }

    private:
        const RowInterface *m_row;
    };

    /// Texts as they are read, of which the name has only the begin; of all else what is spoken.
    [[nodiscard]] QString words() const
    {
        const int at = place();
        if (at < 0)
            return {};
        const TranscriptRow &row = m_view->model()->rowAt(at);
        const bool isText =
            row.kind == TranscriptRow::Kind::Text || row.kind == TranscriptRow::Kind::Reasoning;
        return isText && !row.text.isEmpty() ? readableText(row, MostText) : rowSpoken(row);
    }

    QPointer<TranscriptView> m_view;
    qint64 m_number;
    Text m_text;
};

int ViewInterface::indexOfChild(const QAccessibleInterface *child) const
{
    if (const auto *row = dynamic_cast<const RowInterface *>(child))
        return row->place();
    const int index = QAccessibleWidget::indexOfChild(child);
    return index < 0 ? index : index + rowCount();
}

QAccessibleInterface *ViewInterface::row(qint64 number) const
{
    if (const auto known = m_rows.constFind(number); known != m_rows.cend()) {
        if (QAccessibleInterface *interface = QAccessible::accessibleInterface(*known))
            return interface;
    }
    auto *made = new RowInterface(m_view, number);
    m_rows.insert(number, QAccessible::registerAccessibleInterface(made));
    return made;
}

QAccessibleInterface *ViewInterface::target(qint64 row, int number) const
{
    if (const auto known = m_targets.constFind({row, number}); known != m_targets.cend()) {
        if (QAccessibleInterface *interface = QAccessible::accessibleInterface(*known))
            return interface;
    }
    auto *made = new TargetInterface(m_view, row, number);
    m_targets.insert({row, number}, QAccessible::registerAccessibleInterface(made));
    return made;
}

QAccessibleInterface *makeInterface(const QString &className, QObject *object)
{
    if (className == "Pilothouse::TranscriptView"_L1) {
        if (auto *view = qobject_cast<TranscriptView *>(object))
            return new ViewInterface(view);
    }
    return nullptr;
}

} // namespace

void installTranscriptAccessibility()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isInstalled);
}

void focusRow(TranscriptView *view, qint64 row)
{
    if (const ViewInterface *interface = interfaceOf(view)) {
        QAccessibleEvent event(interface->row(row), QAccessible::Focus);
        QAccessible::updateAccessibility(&event);
    }
}

void focusTarget(TranscriptView *view, qint64 row, int target)
{
    const ViewInterface *interface = target >= 0 ? interfaceOf(view) : nullptr;
    if (!interface)
        return;
    QAccessibleEvent event(interface->target(row, target), QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

void announceRow(TranscriptView *view, qint64 row)
{
    const int place = view->model() ? view->model()->placeOf(row) : -1;
    if (place >= 0)
        announce(view, rowSpoken(view->model()->rowAt(place)));
}

} // namespace Pilothouse
