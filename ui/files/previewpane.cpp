// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "files/previewpane.h"

#include "files/filename.h"
#include "files/filessession.h"
#include "files/imageview.h"
#include "files/linesview.h"
#include "theme/controls/emptystate.h"
#include "theme/controls/errorblock.h"
#include "theme/controls/hairline.h"
#include "theme/controls/label.h"
#include "theme/controls/toolbutton.h"
#include "theme/focus.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"
#include "theme/units.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

/// Letter, path with the name in it strong, then facts; the folders give way first, then the facts.
class PreviewPane::Title : public QWidget {
public:
    explicit Title(QWidget *parent = nullptr)
        : QWidget(parent)
    {
        connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

    void setTexts(const QString &letter, Role letterColor, const QString &folder, const QString &name,
                  const QString &facts)
    {
        m_letter = letter;
        m_letterColor = letterColor;
        m_folder = folder;
        m_name = name;
        m_facts = facts;
        const QString whole = folder + name;
        setToolTip(plainToolTip(whole));
        setAccessibleName(whole);
        setAccessibleDescription(facts);
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::instance();
        QPainter painter(this);
        int x = 0;
        const auto draw = [&](const QFont &font, Role color, const QString &text, int room,
                              Qt::TextElideMode mode) {
            painter.setFont(font);
            painter.setPen(theme.color(color));
            const QString shown = painter.fontMetrics().elidedText(text, mode, std::max(0, room));
            const int width = painter.fontMetrics().horizontalAdvance(shown);
            painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignVCenter | Qt::TextSingleLine, shown);
            x += width;
        };
        if (!m_letter.isEmpty()) {
            draw(theme.font(TextStyle::Section), m_letterColor, m_letter, width(), Qt::ElideNone);
            x += theme.px(Metrics::SpaceS);
        }
        const QFont plain = theme.font(TextStyle::Body);
        const QFont strong = theme.font(TextStyle::BodyStrong);
        const QFont small = theme.font(TextStyle::Small);
        const int nameWidth = QFontMetrics(strong).horizontalAdvance(m_name);
        const int factsWidth = m_facts.isEmpty()
            ? 0
            : QFontMetrics(small).horizontalAdvance(m_facts) + theme.px(Metrics::SpaceM);
        const int room = width() - x;
        const bool hasFacts = nameWidth + factsWidth <= room;
        const int forFolder = room - nameWidth - (hasFacts ? factsWidth : 0);
        if (forFolder > theme.px(Metrics::SpaceXl))
            draw(plain, Role::Text2, m_folder, forFolder, Qt::ElideMiddle);
        draw(strong, Role::Text, m_name, width() - x, Qt::ElideMiddle);
        if (hasFacts) {
            x += theme.px(Metrics::SpaceM);
            draw(small, Role::Text2, m_facts, width() - x, Qt::ElideRight);
        }
    }

private:
    QString m_letter;
    QString m_folder;
    QString m_name;
    QString m_facts;
    Role m_letterColor = Role::Text;
};

PreviewPane::PreviewPane(QWidget *parent)
    : QWidget(parent)
    , m_title(new Title)
    , m_copy(new ToolButton(u"copy"_s, tr("Copy the text")))
    , m_download(new ToolButton(u"download"_s, tr("Download")))
    , m_noteBox(new QWidget)
    , m_note(new Label({}, TextStyle::Small, Role::Text2))
    , m_stack(new QStackedWidget)
    , m_empty(new EmptyState)
    , m_problemPage(new QWidget)
    , m_problem(new ErrorBlock)
    , m_lines(new LinesView)
    , m_image(new ImageView)
{
    const Theme &theme = Theme::instance();
    setAccessibleName(tr("Preview"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *header = new QWidget;
    header->setFixedHeight(theme.px(Metrics::ColumnHeader));
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(theme.px(Metrics::SpaceM), 0, theme.px(Metrics::SpaceXs), 0);
    row->setSpacing(theme.px(Metrics::SpaceXs));
    row->addWidget(m_title, 1);
    row->addWidget(m_copy);
    row->addWidget(m_download);
    column->addWidget(header);
    column->addWidget(new HairLine);

    auto *noteRow = new QHBoxLayout(m_noteBox);
    noteRow->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs),
                                theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceXs));
    m_note->setWordWrap(true);
    m_note->setAccessibleName(tr("What is not shown"));
    noteRow->addWidget(m_note);
    column->addWidget(m_noteBox);

    auto *problemColumn = new QVBoxLayout(m_problemPage);
    problemColumn->setContentsMargins(theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM),
                                      theme.px(Metrics::SpaceM), theme.px(Metrics::SpaceM));
    problemColumn->addWidget(m_problem);
    problemColumn->addStretch(1);
    m_problem->setAction(tr("Try again"));
    connect(m_problem, &ErrorBlock::actionRequested, this, &PreviewPane::reload);

    for (QWidget *page : {static_cast<QWidget *>(m_empty), m_problemPage, static_cast<QWidget *>(m_lines),
                          static_cast<QWidget *>(m_image)})
        m_stack->addWidget(page);
    column->addWidget(m_stack, 1);

    connect(&m_loader, &PreviewLoader::loaded, this, &PreviewPane::take);
    connect(&m_loader, &PreviewLoader::failed, this, &PreviewPane::takeFault);
    connect(m_copy, &QToolButton::clicked, this, &PreviewPane::copyAll);
    connect(m_download, &QToolButton::clicked, this, [this] { Q_EMIT downloadWanted(m_path); });
    clear();
}

void PreviewPane::clear()
{
    m_loader.cancel();
    m_path.clear();
    m_preview = {};
    m_lines->setDocument({}, tr("No file"));
    m_image->setImage({}, {}, tr("No image"));
    m_state = tr("No file selected");
    m_empty->setTexts(m_state, tr("Select a file to see what is in it."));
    m_stack->setCurrentWidget(m_empty);
    m_copy->hide();
    m_download->hide();
    m_noteBox->hide();
    updateTitle();
}

void PreviewPane::show(FilesService *service, const MachinePlace &place, const QByteArray &path, qint64 size)
{
    m_service = service;
    m_place = place;
    m_again = path == m_path && m_state.isEmpty();
    m_size = size;
    if (!m_again) {
        clear();
        m_path = path;
        m_state = tr("Reading…");
        m_empty->setTexts(m_state, {});
    }
    m_download->show();
    updateTitle();
    m_loader.load(service, place, path, size);
}

void PreviewPane::reload()
{
    if (!m_path.isEmpty() && m_service)
        show(m_service, m_place, m_path, m_size);
}

void PreviewPane::setUnavailable(const QByteArray &path, const QString &headline, const QString &text)
{
    m_loader.cancel();
    m_service = nullptr;
    if (path == m_path && m_state.isEmpty()) {
        Q_EMIT shown();
        return;
    }
    clear();
    m_path = path;
    m_state = headline;
    m_empty->setTexts(headline, text);
    updateTitle();
    Q_EMIT shown();
}

void PreviewPane::take(const Preview &preview)
{
    m_preview = preview;
    m_state.clear();
    const QString name = shownPath(preview.path, FilesSession::home());
    if (!preview.image.isNull()) {
        m_image->setImage(preview.image, preview.imageSize, tr("Image %1, %2").arg(name, preview.kind));
        m_stack->setCurrentWidget(m_image);
    } else {
        m_lines->setDocument(preview.document,
                             preview.isHex ? tr("Bytes of %1").arg(name) : tr("Text of %1").arg(name),
                             m_again);
        m_stack->setCurrentWidget(m_lines);
    }
    m_copy->setVisible(preview.image.isNull());
    m_note->setText(preview.note);
    m_noteBox->setVisible(!preview.note.isEmpty());
    updateTitle();
    Q_EMIT shown();
}

void PreviewPane::takeFault(const QByteArray &path, const FileFault &fault)
{
    if (fault.kind == FileFault::Kind::Cancelled)
        return;
    Error error = fault.error;
    if (fault.kind == FileFault::Kind::Missing)
        error.message = tr("This file is no longer there.");
    else if (fault.kind == FileFault::Kind::NotFolder)
        error.message = tr("This is not a file that can be read: %1").arg(fault.error.message);
    m_state = error.message;
    m_problem->setError(error);
    m_stack->setCurrentWidget(m_problemPage);
    m_copy->hide();
    m_noteBox->hide();
    m_preview = {};
    m_preview.path = path;
    updateTitle();
    Q_EMIT shown();
}

void PreviewPane::setMark(const FileChanges::Mark &mark)
{
    m_mark = mark;
    updateTitle();
}

void PreviewPane::setCanDownload(bool can) { setEnabledKeeping(m_download, can, this); }

QString PreviewPane::stateText() const { return m_state; }

void PreviewPane::updateTitle()
{
    if (m_path.isEmpty()) {
        m_title->setTexts({}, Role::Text, {}, tr("Preview"), {});
        return;
    }
    QString letter;
    Role color = Role::Text;
    switch (m_mark.letter) {
    case FileChanges::Letter::None:
        break;
    case FileChanges::Letter::Modified:
        letter = u"M"_s;
        color = Role::Accent;
        break;
    case FileChanges::Letter::Added:
        letter = u"A"_s;
        color = Role::Finished;
        break;
    case FileChanges::Letter::Deleted:
        letter = u"D"_s;
        color = Role::Failed;
        break;
    }
    QString folder = shownPath(parentPath(m_path), FilesSession::home());
    if (!folder.endsWith(u'/'))
        folder += u'/';
    QStringList facts;
    if (m_state.isEmpty())
        facts = {m_preview.kind, m_preview.size >= 0 ? bytesText(m_preview.size) : QString()};
    facts.removeAll(QString());
    m_title->setTexts(letter, color, folder, shownName(lastSegment(m_path)), facts.join(u", "_s));
}

void PreviewPane::copyAll()
{
    if (m_lines->hasSelection())
        return m_lines->copy();
    if (m_preview.document)
        QGuiApplication::clipboard()->setText(
            m_preview.document->text(0, m_preview.document->lineCount() - 1));
}

void PreviewPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT closed();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace Pilothouse
