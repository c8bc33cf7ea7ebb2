// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "transcript/rowstack.h"
#include "transcript/transcriptselection.h"

#include <QAbstractScrollArea>
#include <QClipboard>
#include <QHash>
#include <QPointer>
#include <QSet>
#include <QTimer>
#include <QUrl>

#include <functional>

namespace Pilothouse {

class Button;
class TranscriptCopier;
class TranscriptImages;
class TranscriptModel;

/// Paints a TranscriptModel. Only what is near the viewport is laid out, in small segments; the rest is
/// estimated and put right when it comes near, while what is being read stays where it is to the pixel.
/// Follows the end unless scrolled away from it. Text from models and tools is shown inertly: nothing is
/// fetched, no link is opened by itself.
class TranscriptView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TranscriptView(QWidget *parent = nullptr);
    ~TranscriptView() override;

    void setModel(TranscriptModel *model); ///< Once; the model outlives the view or takes its rows along.
    [[nodiscard]] TranscriptModel *model() const;
    [[nodiscard]] bool isFollowing() const { return m_stack.isFollowing(); }
    void goToEnd();
    void goToLatest(); ///< As goToEnd(), and keys begin there: whoever writes is done with reading further
                       ///< up.
    /// Scrolls so that a call's row is in view, its top first.
    void showCall(const QString &callId);
    /// The same for who is at its widget: whole if it fits, else its end; the row under the keyboard stays.
    void keepCallInView(const QString &callId);

    /// The row under the keyboard, by place; -1: none.
    [[nodiscard]] int currentPlace() const { return m_current; }
    void setCurrentPlace(int place);
    void toggle(int place); ///< Folds or unfolds a row that can; its top stays where it is.
    void toggleCurrent();

    /// Links and buttons of a row that are in view, in the order of reading; their places in the viewport.
    [[nodiscard]] QList<SegmentTarget> targetsOf(int place);
    /// The one of the current row that keys have walked to, by its place in that list; -1: none.
    [[nodiscard]] int currentTarget();
    void pressTargetOf(int place, int number); ///< As if it had been clicked.

    void selectAll();
    void clearSelection();
    [[nodiscard]] QString selectedText() const; ///< As it was written; of rows that are here.
    /// The selection, also what of it is far away, which takes a moment; else the current row.
    void copy();

    /// Shows `widget` in the place of a waiting call's row, as wide as the column and as high as its
    /// sizeHint() or heightForWidth() says; the view becomes its parent. Null gives the row back; the caller
    /// deletes the widget it had given.
    void setCallWidget(const QString &callId, QWidget *widget);
    /// Calls that wait for a person and whose rows are not in view, oldest first.
    [[nodiscard]] const QStringList &callsOutside() const { return m_callsOutside; }
    /// The call that the Call pane shows: its row is tinted. Empty: none.
    void setActiveCall(const QString &callId);
    [[nodiscard]] const QString &activeCall() const { return m_activeCall; }

    /// Opens http, https and mailto addresses that were clicked. Default: nothing is opened.
    void setLinkOpener(std::function<void(const QUrl &)> opener) { m_opener = std::move(opener); }
    [[nodiscard]] TranscriptImages *images() const { return m_images; } ///< To set its sources.

    /// Segments that are laid out right now, for tests: it must not grow with the transcript.
    [[nodiscard]] int layoutCount() const { return m_stack.segmentsLaidOut(); }
    /// A row's place in the viewport, by place; may lie outside of it.
    [[nodiscard]] QRect rowRect(int place) const;
    [[nodiscard]] bool isUnfolded(int place) const;
    /// Rows in view have not been read yet.
    [[nodiscard]] bool isWaitingForRows() const { return m_stack.hasAbsent(); }

Q_SIGNALS:
    void followingChanged(bool following);
    void callActivated(const QString &conversation, const QString &callId); ///< For the Call pane.
    /// A person wants to see on the machine what became of a call.
    void lookWanted(const QString &conversation, const QString &callId);
    void callsOutsideChanged();
    void linkHovered(const QString &target); ///< The whole target, inert; empty: none any more.
    void answerFinished(const QString &text); ///< Once per answer, for a screen reader.

protected:
    bool event(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    struct Target { ///< What is under a point of the viewport.
        int place = -1;
        size_t segment = 0;
        QRect rect; ///< Of the segment.
        SegmentHit hit;
    };
    void onReset();
    void onInserted(int first, int last);
    void onChanged(int first, int last);
    void note(const TranscriptRow &row);
    void updateSteady();
    void copyTo(QClipboard::Mode mode);
    void onSettled();
    void restyle();
    void arrange();
    void placeWidgets();
    void widgetsChanged();
    void updateOutside();
    void updateBar();
    void updateTick();
    void tick();
    void paintRow(QPainter *painter, int place, const QRect &clip);
    [[nodiscard]] RowShape shapeOf(int place) const;
    [[nodiscard]] bool isStacked(int place, int direction) const;
    [[nodiscard]] bool isLastShown(int place) const;
    [[nodiscard]] QRect column() const;
    [[nodiscard]] int widgetHeight(const QString &callId) const;
    void readOutputOf(int place);
    void announce(int place);

    void forEachTarget(int place, const std::function<void(size_t, int, const SegmentTarget &)> &call);
    [[nodiscard]] QList<SegmentTarget> segmentTargets(int place, size_t segment);
    [[nodiscard]] std::optional<Target> keyTarget();
    void setTarget(size_t segment, int index);
    bool moveTarget(int direction); ///< False if there was nowhere to go.
    bool pressTarget();
    bool clearTarget();
    void tellLink(const QString &target);
    [[nodiscard]] Target targetAt(const QPoint &point) const;
    [[nodiscard]] std::optional<TextPoint> pointAt(const QPoint &point) const;
    void activate(const Target &target);
    void setHover(const QPoint &point);
    void selectWord(const QPoint &point);
    void selectParagraph(const QPoint &point);
    void dragTo(const QPoint &point);
    void scrollWhileDragging();
    void moveCurrent(int direction);

    QPointer<TranscriptModel> m_model;
    std::unique_ptr<TranscriptStyle> m_style;
    TranscriptImages *m_images;
    RowStack m_stack;
    QSet<qint64> m_unfolded; ///< Row numbers.
    QSet<qint64> m_showsAll;
    QSet<qint64> m_waiting; ///< Numbers of rows of calls that wait for a person.
    QSet<qint64> m_steady; ///< Of calls of the same steps that ran, or were to, while one waited.
    QHash<qint64, CallOutput> m_outputs; ///< Of unfolded calls.
    QSet<qint64> m_reading; ///< Outputs on their way.
    QSet<qint64> m_open; ///< Answers that are still written.
    QHash<QString, QPointer<QWidget>> m_widgets; ///< By call.
    QString m_conversation; ///< Whose rows are shown.
    qint64 m_readRow = 0; ///< First row in view and its top, to find it again after a reset.
    int m_readTop = 0;
    QString m_activeCall;
    QStringList m_callsOutside;
    std::function<void(const QUrl &)> m_opener;
    Button *m_latest;
    QTimer m_tick;
    QTimer m_ahead; ///< Lays out what is near when nothing else is to do.
    QTimer m_dragScroll;
    QTimer m_late; ///< Rows in view have been awaited for so long that it is said.
    TranscriptSelection m_selection;
    QPointer<TranscriptCopier> m_copier;
    int m_current = -1;
    bool m_isKeyboard = false; ///< The current row was reached by keys: it has a ring.
    qint64 m_targetRow = 0; ///< What keys have walked to in a row: the row's number,
    size_t m_targetSegment = 0;
    int m_targetIndex = -1; ///< and which of the segment's targets; -1: none.
    QPoint m_pressed{-1, -1};
    QPoint m_pointer{-1, -1};
    Target m_hover;
    bool m_isDragging = false;
    int m_clicks = 0; ///< 2: words, 3: paragraphs are selected as the pointer moves.
    QPoint m_lastClick;
    qint64 m_lastClickMs = 0;
    QString m_hoveredLink;
    int m_barPosition = 0; ///< Value of the scroll bar that stands for what is shown.
    bool m_settingBar = false;
    bool m_wasFollowing = true;
    bool m_isStale = false; ///< The model changed and has not settled yet.
};

} // namespace Pilothouse
