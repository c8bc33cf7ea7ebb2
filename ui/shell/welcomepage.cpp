// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "shell/welcomepage.h"

#include "shell/welcomeway.h"
#include "theme/controls/button.h"
#include "theme/controls/hairline.h"
#include "theme/controls/label.h"
#include "theme/metrics.h"
#include "theme/paint.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace Pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr int PageWidth = 900;
constexpr int StackedBelow = 560; // Narrower than this the columns of a way would be a word wide.

class Card : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        paintBox(&painter, QRectF(rect()), Role::Canvas, Role::Line, Metrics::RadiusCard);
    }
};

} // namespace

WelcomePage::WelcomePage(QWidget *parent)
    : QWidget(parent)
    , m_headline(new Label({}, TextStyle::WelcomeTitle))
    , m_text(new Label({}, TextStyle::Body, Role::Text2))
    , m_card(new Card)
    , m_next(new Label({}, TextStyle::Small, Role::Text2))
{
    // Where the window is too small for it, it scrolls.
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto *scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(tr("Start"));
    scroll->verticalScrollBar()->setAccessibleName(tr("Scroll the page"));
    scroll->horizontalScrollBar()->setAccessibleName(tr("Scroll the page sideways"));
    scroll->viewport()->setAutoFillBackground(false);
    outer->addWidget(scroll);
    auto *content = new QWidget;
    scroll->setWidget(content);
    content->setAutoFillBackground(false);
    auto *row = new QHBoxLayout(content);
    row->setContentsMargins(Metrics::SpaceXl, Metrics::SpaceL, Metrics::SpaceXl, Metrics::SpaceL);
    auto *page = new QWidget;
    page->setMaximumWidth(Theme::instance().px(PageWidth));
    row->addStretch(1);
    row->addWidget(page, 100);
    row->addStretch(1);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Metrics::SpaceS);
    layout->addStretch(2);
    m_text->setWordWrap(true);
    m_next->setWordWrap(true);
    layout->addWidget(m_headline);
    layout->addWidget(m_text);
    layout->addSpacing(Metrics::SpaceM);

    auto *tour = new Button(tr("Start the tour"), Button::Kind::Primary);
    tour->setAccessibleName(tour->text());
    auto *keys = new Button(tr("Add keys…"));
    keys->setAccessibleName(keys->text());
    m_tour = new WelcomeWay(u"ship-wheel"_s, tr("Take the tour"),
                            tr("A scripted agent writes a program, fails a test, fixes it and asks before "
                               "one command. Under a minute."),
                            {{u"check"_s, tr("The sandbox, commands and files are real")},
                             {u"message-square-quote"_s, tr("The words are scripted, there is no AI in it")},
                             {u"wifi-off"_s, tr("No key, no network")}},
                            tour, true);
    auto *local = new Button(tr("Look for models…"));
    local->setAccessibleName(local->text());
    m_local =
        new WelcomeWay(u"cpu"_s, tr("Use a local model"),
                       tr("A model that runs on this computer, in Ollama, LM Studio, llama.cpp or vLLM."),
                       {{u"search"_s, tr("Looked for only when you press the button")},
                        {u"hard-drive"_s, tr("Nothing leaves this computer")}},
                       local, false);
    m_keys = new WelcomeWay(
        u"cloud"_s, tr("Connect Superserve and a model provider"),
        tr("Cloud machines that pause while they wait for you, and models by your own key."),
        {{u"key-round"_s, tr("Keys in the keychain, from the environment, or for this session")},
         {u"shield-check"_s, tr("Each key can be tested; a refusal says why")},
         {u"hand"_s, tr("Agents in the cloud ask before they act")}},
        keys, false);
    // One width, so that the columns of the three stand under one another.
    const QList<Button *> all{tour, local, keys};
    int width = 0;
    for (const Button *button : all)
        width = std::max(width, button->sizeHint().width());
    for (Button *button : all)
        button->setMinimumWidth(width);
    auto *ways = new QVBoxLayout(m_card);
    ways->setContentsMargins(1, 1, 1, 1);
    ways->setSpacing(0);
    ways->addWidget(m_tour);
    ways->addWidget(new HairLine);
    ways->addWidget(m_local);
    ways->addWidget(new HairLine);
    ways->addWidget(m_keys);
    layout->addWidget(m_card);
    layout->addWidget(m_next);
    layout->addStretch(3);
    connect(tour, &Button::clicked, this, &WelcomePage::tourRequested);
    connect(local, &Button::clicked, this, &WelcomePage::localModelsRequested);
    connect(keys, &Button::clicked, this, &WelcomePage::keysRequested);
    connect(&Theme::instance(), &Theme::changed, this, [this] { update(); });
    updateTexts();
}

void WelcomePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool stacked = width() < Theme::instance().px(StackedBelow);
    m_tour->setStacked(stacked);
    m_local->setStacked(stacked);
    m_keys->setStacked(stacked);
}

Button *WelcomePage::tourButton() const { return m_tour->button(); }

Button *WelcomePage::keysButton() const { return m_keys->button(); }

Button *WelcomePage::localButton() const { return m_local->button(); }

void WelcomePage::setLacksTools(bool lacksTools)
{
    m_lacksTools = lacksTools;
    updateTexts();
}

void WelcomePage::setFirstRun(bool firstRun)
{
    m_firstRun = firstRun;
    updateTexts();
}

void WelcomePage::setModel(const QString &modelText, bool scripted)
{
    m_model = modelText;
    m_scripted = scripted;
    updateTexts();
}

void WelcomePage::setUsable(bool usable, bool isReadOnly)
{
    m_usable = usable;
    m_isReadOnly = isReadOnly;
    updateTexts();
}

void WelcomePage::updateTexts()
{
    m_headline->setText(m_firstRun ? tr("Start a first conversation") : tr("Start a conversation"));
    m_card->setVisible(m_usable && m_firstRun);
    if (!m_usable) {
        m_text->setText(!m_firstRun        ? tr("Choose a conversation at the left to read it.")
                            : m_isReadOnly ? tr("There is no conversation in this data folder yet.")
                                           : tr("The data folder is being opened."));
        m_next->hide();
        return;
    }
    m_text->setText(
        m_firstRun
            ? tr("An agent is a model that runs commands in a sandbox, never on this computer itself. You "
                 "watch it, stop it, "
                 "correct it and take out what it made. Choose a way in, or write below what it should do.")
            : tr("Write below what an agent should do, or choose a conversation at the left."));
    m_next->setVisible(!m_model.isEmpty());
    if (m_lacksTools) {
        m_next->setText(tr("%1 cannot use tools, as its service says, so it could do nothing in a sandbox. "
                           "Choose another model above before you write.")
                            .arg(m_model));
        return;
    }
    m_next->setText(m_scripted ? tr("The next message goes to %1, which plays a fixed story and is not an "
                                    "AI; the commands it runs are real.")
                                     .arg(m_model)
                               : tr("The next message goes to %1.").arg(m_model));
}

void WelcomePage::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), Theme::instance().color(Role::Canvas));
}

} // namespace Pilothouse
