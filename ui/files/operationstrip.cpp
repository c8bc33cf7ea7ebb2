// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/operationstrip.h"

#include "files/fileoperations.h"
#include "files/noticelabel.h"
#include "text/inerttext.h"
#include "theme/controls/button.h"
#include "theme/controls/label.h"
#include "theme/controls/meter.h"
#include "theme/controls/toolbutton.h"
#include "theme/focus.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QVBoxLayout>

namespace Pilothouse {

using namespace Qt::StringLiterals;

struct OperationLook {
    QString glyph;
    Role color;
    QString word;
};

class OperationGlyph : public QWidget {
public:
    explicit OperationGlyph(QWidget *parent = nullptr)
        : QWidget(parent)
    {
        const Theme &theme = Theme::instance();
        setFixedSize(theme.px(Metrics::IconNormal), theme.px(Metrics::ToolButtonSmall));
        connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
    }
    void setLook(const OperationLook &look)
    {
        m_look = look;
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        if (!m_look.glyph.isEmpty())
            paintIcon(&painter, rect(), m_look.glyph, m_look.color, Role::Window);
    }

private:
    OperationLook m_look = {{}, Role::Text2, {}};
};

namespace {

constexpr qsizetype LongestText = 600; // Error texts may quote a machine.

QString shortened(const QString &text) { return inertText(QStringView(text).left(LongestText)); }

OperationLook lookOf(const FileOperation &operation)
{
    switch (operation.state) {
    case FileOperation::State::Running:
        switch (operation.kind) {
        case FileOperation::Kind::Upload:
            return {u"upload"_s, Role::Accent, {}};
        case FileOperation::Kind::Download:
            return {u"download"_s, Role::Accent, {}};
        case FileOperation::Kind::Rename:
            return {u"pencil"_s, Role::Accent, {}};
        case FileOperation::Kind::Delete:
            return {u"trash-2"_s, Role::Accent, {}};
        case FileOperation::Kind::NewFolder:
            return {u"folder-plus"_s, Role::Accent, {}};
        }
        break;
    case FileOperation::State::Done:
        return {u"finished"_s, Role::Finished, {}};
    case FileOperation::State::Cancelled:
        return {u"stopping"_s, Role::Text2, {}};
    case FileOperation::State::Partly:
    case FileOperation::State::Failed:
        break;
    }
    return {u"failed"_s, Role::Failed, {}};
}

} // namespace

class OperationStrip::Row : public QWidget {
public:
    Row(FileOperations *operations, quint64 id, QWidget *parent)
        : QWidget(parent)
        , m_glyph(new OperationGlyph)
        , m_words(new NoticeLabel(tr("File operation")))
        , m_meter(new Meter(tr("Progress")))
        , m_button(new ToolButton(u"x"_s, tr("Cancel")))
        , m_what(new Label({}, TextStyle::Small, Role::Failed))
        , m_rest(new Label({}, TextStyle::Small, Role::Text2))
    {
        const Theme &theme = Theme::instance();
        auto *row = new QHBoxLayout(this);
        row->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs),
                                theme.px(Metrics::SpaceXs), theme.px(Metrics::SpaceXs));
        row->setSpacing(theme.px(Metrics::SpaceS));
        m_button->setSmall(true);
        m_meter->setFixedWidth(theme.px(Metrics::Rail));
        auto *words = new QVBoxLayout;
        words->setContentsMargins(0, theme.px(Metrics::SpaceXs), 0, 0);
        words->setSpacing(0);
        words->addWidget(m_words);
        row->addWidget(m_glyph, 0, Qt::AlignTop);
        row->addLayout(words, 1);
        row->addWidget(m_meter);
        row->addWidget(m_button, 0, Qt::AlignTop);
        // Wrapped below each other: the column is narrow, and an error is read whole.
        for (Label *label : {m_what, m_rest}) {
            label->setWordWrap(true);
            label->setTextInteractionFlags(Qt::TextSelectableByMouse);
            words->addWidget(label);
        }
        m_what->setAccessibleName(tr("What happened"));
        m_rest->setAccessibleName(tr("What was kept and what to do"));
        connect(m_button, &QToolButton::clicked, operations, [this, operations, id] {
            if (m_running)
                operations->cancel(id);
            else
                operations->dismiss(id);
        });
    }

    void show(const FileOperation &operation)
    {
        m_running = operation.state == FileOperation::State::Running;
        m_glyph->setLook(lookOf(operation));
        m_words->setWords(operation.words);
        m_meter->setVisible(m_running && operation.part.has_value());
        m_meter->setPart(operation.part.value_or(0));
        m_button->setName(m_running ? tr("Cancel") : tr("Dismiss"));
        const bool failed = operation.error.has_value();
        m_words->setVisible(!failed);
        m_what->setVisible(failed);
        m_rest->setVisible(failed);
        if (!failed)
            return;
        const Error &error = *operation.error;
        m_what->setText(shortened(error.message));
        m_rest->setText(shortened(error.kept.isEmpty() || error.todo.isEmpty()
                                      ? QString(error.kept + error.todo)
                                      : QString(error.kept + u' ' + error.todo)));
        m_rest->setVisible(!m_rest->text().isEmpty());
    }

    void takeFocus() { m_button->setFocus(Qt::OtherFocusReason); }

private:
    OperationGlyph *m_glyph;
    NoticeLabel *m_words;
    Meter *m_meter;
    ToolButton *m_button;
    Label *m_what;
    Label *m_rest;
    bool m_running = true;
};

/// All that ended without an error: the latest in words, the others on request.
class OperationStrip::DoneRow : public QWidget {
public:
    explicit DoneRow(QWidget *parent)
        : QWidget(parent)
        , m_glyph(new OperationGlyph)
        , m_words(new NoticeLabel(tr("Done last")))
        , m_all(new Button({}, Button::Kind::Plain))
        , m_dismiss(new ToolButton(u"x"_s, tr("Dismiss what is done")))
        , m_list(new Label({}, TextStyle::Small, Role::Text2))
    {
        const Theme &theme = Theme::instance();
        auto *column = new QVBoxLayout(this);
        column->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs),
                                   theme.px(Metrics::SpaceXs), theme.px(Metrics::SpaceXs));
        column->setSpacing(theme.px(Metrics::SpaceXs));
        auto *row = new QHBoxLayout;
        row->setSpacing(theme.px(Metrics::SpaceS));
        auto *words = new QVBoxLayout;
        words->setContentsMargins(0, theme.px(Metrics::SpaceXs), 0, 0);
        words->addWidget(m_words);
        row->addWidget(m_glyph, 0, Qt::AlignTop);
        row->addLayout(words, 1);
        row->addWidget(m_all, 0, Qt::AlignTop);
        row->addWidget(m_dismiss, 0, Qt::AlignTop);
        column->addLayout(row);
        column->addWidget(m_list);
        m_all->setSmall(true);
        m_all->setCheckable(true);
        m_dismiss->setSmall(true);
        m_list->setWordWrap(true);
        m_list->setAccessibleName(tr("What is done, the latest first"));
        m_list->hide();
        connect(m_all, &QPushButton::toggled, m_list, &QWidget::setVisible);
    }

    /// `done` is not empty, the oldest first.
    void show(const QList<FileOperation> &done)
    {
        m_glyph->setLook(lookOf(done.last()));
        m_words->setWords(done.last().words);
        QStringList words;
        bool isAllDone = true;
        for (auto operation = done.crbegin(); operation != done.crend(); ++operation) {
            words.append(operation->words);
            isAllDone = isAllDone && operation->state == FileOperation::State::Done;
        }
        const QString count =
            (isAllDone ? tr("%1 done") : tr("%1 ended")).arg(QLocale().toString(done.size()));
        m_all->setText(count);
        m_all->setAccessibleName(count);
        m_all->setAccessibleDescription(tr("Shows them all"));
        m_all->setToolTip(plainToolTip(words.join(u'\n')));
        m_all->setVisible(done.size() > 1);
        if (done.size() < 2)
            m_all->setChecked(false);
        m_list->setText(words.join(u'\n'));
    }

    [[nodiscard]] ToolButton *dismiss() const { return m_dismiss; }

private:
    OperationGlyph *m_glyph;
    NoticeLabel *m_words;
    Button *m_all;
    ToolButton *m_dismiss;
    Label *m_list;
};

OperationStrip::OperationStrip(FileOperations *operations, QWidget *parent)
    : QWidget(parent)
    , m_operations(operations)
    , m_rows(new QVBoxLayout(this))
    , m_done(new DoneRow(this))
{
    setAccessibleName(tr("File operations"));
    m_rows->setContentsMargins(0, Metrics::StrokeHair, 0, 0);
    m_rows->setSpacing(0);
    m_rows->addWidget(m_done);
    m_done->hide();
    connect(m_done->dismiss(), &QToolButton::clicked, operations,
            [this] { m_operations->dismissDone(m_conversation); });
    connect(operations, &FileOperations::changed, this, &OperationStrip::rebuild);
    connect(operations, &FileOperations::progressed, this, [this](quint64 id) {
        for (const FileOperation &operation : m_operations->operations()) {
            if (operation.id == id && m_byId.contains(id))
                m_byId[id]->show(operation);
        }
    });
    rebuild();
}

void OperationStrip::setConversation(const QString &id)
{
    if (id == m_conversation)
        return;
    m_conversation = id;
    rebuild();
}

void OperationStrip::rebuild()
{
    QHash<quint64, Row *> old = std::exchange(m_byId, {});
    Row *last = nullptr;
    QList<FileOperation> done;
    for (const FileOperation &operation : m_operations->operations()) {
        if (operation.conversation != m_conversation)
            continue;
        if (operation.isDone()) {
            done.append(operation);
            continue;
        }
        Row *row = old.take(operation.id);
        if (!row) {
            row = new Row(m_operations, operation.id, this);
            m_rows->addWidget(row);
        }
        row->show(operation);
        m_byId.insert(operation.id, row);
        last = row;
    }
    bool hadFocus = done.isEmpty() && holdsFocus(m_done);
    for (Row *row : std::as_const(old))
        hadFocus = hadFocus || holdsFocus(row);
    if (!done.isEmpty())
        m_done->show(done);
    m_done->setVisible(!done.isEmpty());
    if (hadFocus && last)
        last->takeFocus();
    else if (hadFocus && !done.isEmpty())
        m_done->dismiss()->setFocus(Qt::OtherFocusReason);
    else if (hadFocus)
        Q_EMIT focusLeft();
    for (Row *row : std::as_const(old)) {
        m_rows->removeWidget(row);
        row->hide();
        row->deleteLater(); // This may be one of its own clicks.
    }
    setVisible(!m_byId.isEmpty() || !done.isEmpty());
}

void OperationStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), Metrics::StrokeHair), Theme::instance().color(Role::Hair));
}

} // namespace Pilothouse
