#include "gui/window/tour.h"

#include "gui/window/bubble_place.h"
#include "gui/window/main_window.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fabricast {

const std::vector<TourStop>& tourStops() {
    static const std::vector<TourStop> kStops = {
        {"dock.scenario",
         "layouts",
         "The question",
         "What is trained, on what, and how much of it. Change any control: all answers follow "
         "at once. What is left on auto the forecast chooses."},
        {"verdict",
         "layouts",
         "The verdict",
         "Whether it fits, how fast it is and what it costs, each with the range in which 80 % of "
         "such runs lie. A click on a number opens its formula."},
        {"layouts.scatter",
         "layouts",
         "The layouts",
         "Each point is a way to divide the GPUs. A click makes it A, a Shift-click puts it "
         "beside as B, and a dragged box filters the list below."},
        {"page.explain",
         "explain",
         "What would help",
         "Where the step's time goes, and what would make it fit or faster. Apply changes the "
         "question; Ctrl+Z takes it back."},
        {"command",
         "explain",
         "The same in a terminal",
         "This command line asks the same. A saved study is a file that every command reads. "
         "Ctrl+K finds all else that the window can do, and Help has this tour."}};
    return kStops;
}

Tour::Tour(MainWindow& window)
    : QFrame(&window),
      window_(window),
      mark_(new QFrame(&window)),
      pageBefore_(window.page()->name()) {
    setObjectName("tour");
    setStyleSheet(
        "QFrame#tour { border: 2px solid palette(highlight); border-radius: 4px; background: "
        "palette(base); }");
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFixedWidth(340);
    setAttribute(Qt::WA_DeleteOnClose);
    mark_->setObjectName("tourMark");
    mark_->setAttribute(Qt::WA_TransparentForMouseEvents);
    mark_->setStyleSheet("QFrame#tourMark { border: 3px solid palette(highlight); }");
    addWords();
    addButtons();
    window.installEventFilter(this);
    goTo(0);
}

void Tour::addWords() {
    auto* column = new QVBoxLayout(this);
    title_ = new QLabel;
    title_->setObjectName("tour.title");
    QFont bold = title_->font();
    bold.setBold(true);
    title_->setFont(bold);
    words_ = new QLabel;
    words_->setObjectName("tour.words");
    words_->setWordWrap(true);
    column->addWidget(title_);
    column->addWidget(words_);
}

void Tour::addButtons() {
    auto* row = new QHBoxLayout;
    auto* skip = new QPushButton("&Skip");
    skip->setObjectName("tour.skip");
    back_ = new QPushButton("Bac&k");
    back_->setObjectName("tour.back");
    next_ = new QPushButton;
    next_->setObjectName("tour.next");
    row->addWidget(skip);
    row->addStretch(1);
    row->addWidget(back_);
    row->addWidget(next_);
    qobject_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(skip, &QPushButton::clicked, this, &Tour::end);
    connect(back_, &QPushButton::clicked, this, [this] { goTo(at_ - 1); });
    connect(next_, &QPushButton::clicked, this, [this] { goTo(at_ + 1); });
}

void Tour::goTo(int stop) {
    const auto count = static_cast<int>(tourStops().size());
    if (stop >= count) {
        end();
        return;
    }
    at_ = std::max(stop, 0);
    const TourStop& now = tourStops()[static_cast<std::size_t>(at_)];
    window_.scenarioDock()->show();
    window_.showPage(now.page);
    title_->setText(QString("%1 of %2: %3").arg(at_ + 1).arg(count).arg(now.title));
    words_->setText(now.words);
    setAccessibleName(title_->text());
    setAccessibleDescription(now.words);
    back_->setEnabled(at_ > 0);
    next_->setText(at_ + 1 < count ? "&Next" : "&Done");
    place();
    show();
    next_->setFocus();
}

/// Beside what is shown, which is marked.
void Tour::place() {
    const auto* shown =
        window_.findChild<QWidget*>(tourStops()[static_cast<std::size_t>(at_)].widget);
    if (!shown->isVisible()) {  // a small window has no room for it
        shown = window_.page();
    }
    const QRect target(shown->mapTo(&window_, QPoint(0, 0)), shown->size());
    constexpr int kAround = 2;
    mark_->setGeometry(target.adjusted(-kAround, -kAround, kAround, kAround) & window_.rect());
    mark_->raise();
    mark_->show();
    layout()->activate();
    const QSize size(width(), std::max(heightForWidth(width()), sizeHint().height()));
    setGeometry(bubblePlace(target, size, window_.rect()));
    raise();
}

void Tour::end() {
    window_.removeEventFilter(this);
    mark_->deleteLater();
    window_.showPage(pageBefore_);
    emit ended();
    close();
}

void Tour::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            end();
            return;
        case Qt::Key_Right:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            goTo(at_ + 1);
            return;
        case Qt::Key_Left:
            goTo(at_ - 1);
            return;
        default:
            QFrame::keyPressEvent(event);
    }
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) {
        place();
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace fabricast
