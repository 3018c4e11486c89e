#include "gui/pages/verdict_strip.h"

#include "gui/charts/chart_theme.h"
#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/pages/elided_label.h"
#include "gui/pages/page_theme.h"
#include "planner/report/plan_views.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>

namespace fabricast {
namespace {

QColor toneColour(HeadlineTone tone, const ChartTheme& theme) {
    switch (tone) {
        case HeadlineTone::Good:
            return theme.good;
        case HeadlineTone::Bad:
            return theme.bad;
        case HeadlineTone::Unsure:
            return theme.accent;
        case HeadlineTone::Doubtful:
            return theme.doubtful;
        case HeadlineTone::Plain:
            break;
    }
    return theme.text;
}

QString questionText(const PlanReport& report, const Plan* plan) {
    const Scenario& scenario = plan != nullptr ? plan->scenario : report.question;
    const std::string first = scenario.model.name + " on " + clusterText(scenario.cluster);
    return QString::fromStdString(plan == nullptr ? first
                                                  : first + "  ·  " + scenario.stack + "  " +
                                                        planLayoutText(scenario));
}

/// In steps, so that tiles do not move with every digit.
int neededWidth(std::initializer_list<const QWidget*> parts) {
    constexpr int kStep = 16;
    int widest = 0;
    for (const QWidget* part : parts) {
        widest = std::max(widest, part->sizeHint().width());
    }
    return (widest + kStep - 1) / kStep * kStep;
}

}  // namespace

VerdictStrip::VerdictStrip(StudySession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
    setObjectName("verdict");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 6, 10, 6);
    column->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->setSpacing(16);
    subject_ = new ElidedLabel("verdict.subject");
    subject_->letWrap();
    state_ = new QLabel;
    state_->setObjectName("verdict.state");
    top->addWidget(subject_, 1);
    top->addWidget(state_);
    column->addLayout(top);
    grid_ = new QGridLayout;
    grid_->setObjectName("verdict.tiles");
    grid_->setSpacing(4);
    column->addLayout(grid_);
    for (const char* key : {"verdict", "step", "speed", "mfu", "price", "run"}) {
        addTile(key);
    }
    connect(&session, &StudySession::answersChanged, this, &VerdictStrip::refresh);
    connect(&session, &StudySession::viewChanged, this, &VerdictStrip::refresh);
    refresh();
}

QString VerdictStrip::subject() const {
    return subject_->words();
}

void VerdictStrip::addTile(const QString& key) {
    Tile tile{
        .box = new QWidget, .value = new QPushButton, .title = new QLabel, .range = new QLabel};
    tile.box->setObjectName("tile." + key);
    tile.box->setMinimumWidth(1);  // arrangeTiles gives it its room
    auto* column = new QVBoxLayout(tile.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    tile.title->setObjectName("title." + key);
    tile.value->setObjectName("value." + key);
    tile.value->setFlat(true);
    tile.value->setCursor(Qt::PointingHandCursor);
    tile.range->setObjectName("range." + key);
    column->addWidget(tile.title);
    column->addWidget(tile.value);
    column->addWidget(tile.range);
    connect(tile.value, &QPushButton::clicked, this, [this, place = tiles_.size()] {
        emit whyAsked(tiles_[place].why);
    });
    tiles_.push_back(tile);
}

void VerdictStrip::showTile(Tile& tile, const HeadlineTile& headline, bool stale) {
    const ChartTheme theme = themeOf(palette());
    tile.title->setText(QString::fromStdString(headline.title));
    tile.title->setStyleSheet("color:" + theme.faint.name());
    tile.value->setText(QString::fromStdString(headline.value));
    const QColor colour = stale ? theme.faint : toneColour(headline.tone, theme);
    tile.value->setStyleSheet(
        "QPushButton{border:0;padding:0;text-align:left;font-size:17px;"
        "font-weight:bold;color:" +
        colour.name() + "}QPushButton:focus{text-decoration:underline}");
    tile.range->setText(QString::fromStdString(headline.range));
    tile.range->setStyleSheet("color:" + theme.faint.name());
    tile.why = QString::fromStdString(headline.why);
    const QString sure = QString::fromStdString(headline.evidence);
    tile.box->setToolTip("80 % of such runs lie in this range; " + sure +
                         ". Click for the formula.");
    tile.value->setAccessibleName(tile.title->text() + ": " + tile.value->text() + ", " +
                                  tile.range->text());
    tile.value->setAccessibleDescription(sure);
}

void VerdictStrip::showState() {
    const PlanAnswers& answers = session_.answers();
    const ChartTheme theme = themeOf(palette());
    QString text;
    switch (answers.stage) {
        case AnswerStage::Searching:
            text = answers.report ? "updating …" : "searching …";
            break;
        case AnswerStage::Partial:
            text = "best so far …";
            break;
        case AnswerStage::Done:
            text = QString("%1 layouts in %2 s")
                       .arg(QString::fromStdString(grouped(answers.report->candidates)))
                       .arg(answers.seconds, 0, 'f', 2);
            break;
        case AnswerStage::Failed:
            text = "cannot be answered";
            break;
    }
    state_->setText(text);
    state_->setStyleSheet("color:" +
                          (answers.stage == AnswerStage::Failed ? theme.bad : theme.faint).name());
}

void VerdictStrip::arrangeTiles() {
    std::vector<int> needs;
    for (const Tile& tile : tiles_) {
        needs.push_back(neededWidth({tile.value, tile.title, tile.range}) + grid_->spacing());
    }
    const QMargins around = layout()->contentsMargins();
    const int room = width() - around.left() - around.right();
    const std::size_t all = needs.size();
    const bool fits = std::accumulate(needs.begin(), needs.end(), 0) <= room;
    const std::size_t columns = fits ? all : (all + 1) / 2;
    for (std::size_t column = 0; column < all; ++column) {
        int stretch = 0;
        for (std::size_t place = column; place < all && column < columns; place += columns) {
            stretch = std::max(stretch, needs[place]);
        }
        grid_->setColumnStretch(static_cast<int>(column), stretch);
    }
    if (columns == std::exchange(columns_, columns)) {
        return;
    }
    for (std::size_t place = 0; place < all; ++place) {
        grid_->addWidget(tiles_[place].box,
                         static_cast<int>(place / columns),
                         static_cast<int>(place % columns));
    }
}

void VerdictStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeTiles();
}

void VerdictStrip::refresh() {
    const PlanAnswers& answers = session_.answers();
    const std::vector<Plan>& plans = answers.shown();
    showState();
    subject_->setEnabled(answers.stage != AnswerStage::Searching);
    if (answers.stage == AnswerStage::Failed) {
        subject_->setWords(QString::fromStdString(whyWords(*answers.error)));
    } else if (!answers.report) {
        subject_->setWords({});  // what it says is of another study
    }
    if (plans.empty()) {
        const std::vector<HeadlineTile> open = openTiles();
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            showTile(tiles_[i], open[i], true);
        }
        arrangeTiles();
        if (answers.report && answers.stage == AnswerStage::Done) {
            subject_->setWords(questionText(*answers.report, nullptr));
        }
        return;
    }
    const std::size_t place = session_.placeOf(session_.a()).value_or(0);
    const std::vector<HeadlineTile> headlines = headlineTiles(plans[place]);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        showTile(tiles_[i], headlines[i], answers.isStale());
    }
    arrangeTiles();
    if (answers.stage != AnswerStage::Failed) {
        subject_->setWords(questionText(*answers.report, &plans[place]));
    }
}

void VerdictStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
    QWidget::changeEvent(event);
}

}  // namespace fabricast
