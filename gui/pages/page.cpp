#include "gui/pages/page.h"

#include "gui/charts/plot_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/suggestions.h"
#include "gui/pages/page_theme.h"
#include "gui/pages/scrolled_body.h"
#include "gui/pages/table_view.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

constexpr int kNamePrefix = 5;  // "page."
/// Charts, tables and lists share the height of a page alike. A table is never higher than its
/// rows: what it leaves is the chart's, or else stays empty at the bottom.
constexpr int kShare = 1000;
constexpr int kBottomShare = 1;

}  // namespace

Page::Page(StudySession& session, const QString& name, QWidget* parent)
    : QWidget(parent), session_(session), stack_(new QStackedLayout(this)), message_(new QLabel) {
    setObjectName("page." + name);
    message_->setObjectName(name + ".message");
    message_->setAlignment(Qt::AlignCenter);
    message_->setWordWrap(true);
    message_->setMargin(40);
    auto* scrolled = new ScrolledBody;
    inside_ = scrolled->inside();
    body_ = new QVBoxLayout(inside_);
    body_->setContentsMargins(10, 8, 10, 8);
    body_->setSpacing(6);
    action_ = new QPushButton;
    action_->setObjectName(name + ".action");
    connect(action_, &QPushButton::clicked, this, [this] { act_(); });
    auto* instead = new QWidget;
    auto* column = new QVBoxLayout(instead);
    column->addStretch(1);
    column->addWidget(message_);
    column->addWidget(action_, 0, Qt::AlignHCenter);
    column->addStretch(1);
    stack_->addWidget(instead);
    stack_->addWidget(scrolled);
    connect(&session, &StudySession::answersChanged, this, &Page::refreshSoon);
    connect(&session, &StudySession::viewChanged, this, &Page::refreshSoon);
    constexpr int kBlinkMilliseconds = 150;
    blink_.setSingleShot(true);
    blink_.setInterval(kBlinkMilliseconds);
    connect(&blink_, &QTimer::timeout, this, [this] { grey(isStale()); });
    connect(&session, &StudySession::answersChanged, this, &Page::showStaleness);
    connect(&session, &StudySession::viewChanged, this, &Page::showStaleness);
}

QString Page::name() const {
    return objectName().mid(kNamePrefix);
}

PlotWidget* Page::chart() const {
    const auto shown =
        std::ranges::find_if(charts_, [](const NamedChart& one) { return !one.chart->isHidden(); });
    return stack_->currentIndex() == 0 || shown == charts_.end() ? nullptr : shown->chart;
}

std::vector<QPushButton*> Page::buttons() const {
    std::vector<QPushButton*> all;
    for (QPushButton* button : findChildren<QPushButton*>()) {
        if (!button->text().isEmpty() && button->menu() == nullptr) {
            all.push_back(button);
        }
    }
    return all;
}

QString Page::message() const {
    return stack_->currentIndex() == 0 ? message_->text() : QString();
}

QLabel* Page::addHeadline(const QString& name) {
    auto* headline = new QLabel;
    headline->setObjectName(name);
    headline->setWordWrap(true);
    headline->setTextInteractionFlags(Qt::TextSelectableByMouse);
    body_->addWidget(headline);
    return headline;
}

void Page::addFitWarning() {
    unfit_ = addTitle({});
    unfit_->setObjectName(name() + ".unfit");
    unfit_->setWordWrap(true);
}

QLabel* Page::addTitle(const QString& words) {
    auto* title = new QLabel(words);
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    body_->addWidget(title);
    return title;
}

void Page::addSharing(QWidget* part) {
    body_->addWidget(part, kShare);
}

void Page::addChart(PlotWidget* chart, const QString& name) {
    chart->setObjectName(name);
    addSharing(chart);
    charts_.push_back({chart, chart->accessibleName()});
    dressCharts();
}

std::optional<Table> Page::table() const {
    const QList<ReportTableView*> tables = findChildren<ReportTableView*>();
    const auto with = [&tables](auto&& is) -> const ReportTableView* {
        const auto found = std::find_if(tables.begin(), tables.end(), is);
        return found == tables.end() ? nullptr : *found;
    };
    const ReportTableView* shown = with([](const ReportTableView* one) { return one->hasFocus(); });
    if (shown == nullptr) {
        shown = with([](const ReportTableView* one) { return one->isVisible(); });
    }
    if (shown != nullptr) {
        return shown->shownTable();
    }
    return chart() == nullptr ? std::nullopt : std::optional(chart()->table());
}

void Page::dressCharts() {
    const ChartTheme theme = themeOf(palette());
    for (const NamedChart& one : charts_) {
        one.chart->setTheme(isGreyed_ ? paled(theme) : theme);
    }
}

bool Page::isStale() const {
    return session_.answers().isStale() || session_.a().isWaiting;
}

void Page::showStaleness() {
    if (!isStale()) {
        blink_.stop();
        grey(false);
    } else if (!isGreyed_ && !blink_.isActive()) {
        blink_.start();
    }
}

void Page::grey(bool greyed) {
    if (greyed == isGreyed_) {
        return;
    }
    isGreyed_ = greyed;
    QPalette inks;  // what it does not set is that of the window
    if (greyed) {
        const QColor faint = themeOf(palette()).faint;
        for (const QPalette::ColorRole ink : {QPalette::WindowText, QPalette::Text}) {
            inks.setColor(ink, faint);
        }
    }
    inside_->setPalette(inks);
    dressCharts();
}

void Page::say(const QString& words) {
    message_->setText(words);
    action_->hide();
    stack_->setCurrentIndex(0);
}

void Page::offer(const QString& words, const QString& action, std::function<void()> act) {
    say(words);
    act_ = std::move(act);
    action_->setText(action);
    action_->show();
}

void Page::showBody() {
    if (!std::exchange(isClosed_, true)) {
        body_->addStretch(kBottomShare);
    }
    stack_->setCurrentIndex(1);
    showStaleness();
    for (const NamedChart& one : charts_) {
        one.chart->setAccessibleName(one.title);
        one.chart->setAccessibleDescription(QString::fromStdString(one.chart->describe()));
    }
}

bool Page::hasLayout() {
    const PlanInView& a = session_.a();
    const PlanAnswers& answers = session_.answers();
    if (a.explanation) {
        if (unfit_ != nullptr) {
            const std::string words = unfitText(*a.explanation);
            unfit_->setText(QString::fromStdString(words));
            unfit_->setVisible(!words.empty());
        }
        return true;
    }
    if (answers.stage == AnswerStage::Failed) {
        say(QString::fromStdString("This cannot be answered:\n\n" + errorWords(*answers.error)));
    } else if (a.error) {
        say(QString::fromStdString("This layout cannot be explained:\n\n" + errorWords(*a.error)));
    } else if (answers.stage == AnswerStage::Done && answers.shown().empty()) {
        say(QString::fromStdString(whyNoPlan(*answers.report)) +
            "\n\n\"Explain\" says what would help.");
    } else {
        say("Searching the best layout …");
    }
    return false;
}

void Page::refreshSoon() {
    isDue_ = true;
    if (isVisible()) {
        isDue_ = false;
        refresh();
    }
}

void Page::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (isDue_) {
        isDue_ = false;
        refresh();
    }
}

void Page::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        dressCharts();
        refreshSoon();
    }
}

}  // namespace fabricast
