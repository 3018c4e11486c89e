#include "gui/pages/compare_page.h"

#include "gui/charts/waterfall_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"
#include "planner/report/comparison_report.h"
#include "study/compare.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <array>

namespace fabricast {
namespace {

/// The report's own words: which does not fit, who is faster, and what makes it so.
QString comparisonHeadline(const Comparison& comparison, const ComparisonView& view) {
    const QString text = QString::fromStdString(comparisonText(comparison, view));
    return text.section("\n\n", 1, 1).trimmed();
}

}  // namespace

ComparePage::ComparePage(StudySession& session, QWidget* parent)
    : JobPage(session, "compare", parent) {
    headline_ = addHeadline("compare.headline");
    fall_ = new WaterfallWidget;
    fall_->setAccessibleName("From A's step time to B's");
    addChart(fall_, "compare.waterfall");
    auto* row = new QHBoxLayout;
    all_ = new QCheckBox("Also what does not d&iffer");
    all_->setObjectName("compare.all");
    auto* swap = new QPushButton("Swap A and &B");
    swap->setObjectName("compare.swap");
    auto* clear = new QPushButton("Ta&ke B away");
    clear->setObjectName("compare.clear");
    row->addWidget(all_, 1);
    row->addWidget(swap);
    row->addWidget(clear);
    body()->addLayout(row);
    numbers_ = new ReportTableView("compare.numbers");
    numbers_->setAccessibleName("Numbers of A and B");
    inputs_ = new ReportTableView("compare.inputs");
    inputs_->setAccessibleName("What was asked differently");
    inputs_->letWidestGiveWay();
    auto* both = new QWidget;
    tables_ = new QBoxLayout(QBoxLayout::LeftToRight, both);
    tables_->setContentsMargins(0, 0, 0, 0);
    tables_->addWidget(numbers_, 3);
    tables_->addWidget(inputs_, 2);
    tables_->setAlignment(numbers_, Qt::AlignTop);
    tables_->setAlignment(inputs_, Qt::AlignTop);
    addSharing(both);
    connect(all_, &QCheckBox::toggled, this, &ComparePage::show);
    connect(swap, &QPushButton::clicked, this, [this] { this->session().swap(); });
    connect(clear, &QPushButton::clicked, this, [this] { this->session().clearB(); });
}

void ComparePage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const PlanInView& a = session().a();
    const PlanInView& b = session().b();
    if (b.typed.empty()) {
        askForB("Choose a second layout to compare with A");
        return;
    }
    if (typed(a.question) == typed(b.question)) {
        askForB("A and B are the same layout now, " + QString::fromStdString(a.typed) +
                ". Choose another one to compare with");
        return;
    }
    const std::array both = {a.question, b.question};
    const auto work = [this, both, bench = session().bench()](const Watch& watch,
                                                              const LatestJob::Post& post) {
        const Result<Comparison> comparison = compare(both, {}, bench, watch);
        post([this, comparison] {
            if (!comparison) {
                sayError(comparison.error());
                return;
            }
            comparison_ = std::make_shared<const Comparison>(*comparison);
            show();
        });
    };
    if (ask(typed(a.question) + " | " + typed(b.question), work)) {
        say("Comparing …");
    }
}

void ComparePage::askForB(const QString& ask) {
    const QString words = ask +
                          ":\n\non \"Layouts\" select a row and press \"Compare as B\", or "
                          "Shift-click a point of the chart.";
    const std::size_t next = session().placeOf(session().a()) == std::size_t{0} ? 1 : 0;
    if (next < session().answers().shown().size()) {
        offer(words,
              next == 0 ? "Compare with the &best one" : "Compare with the ne&xt best",
              [this, next] { session().chooseB(next); });
    } else {
        say(words);
    }
}

/// In a narrow window one table is below the other.
void ComparePage::resizeEvent(QResizeEvent* event) {
    constexpr int kLeastBoth = 720;
    tables_->setDirection(width() < kLeastBoth ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    JobPage::resizeEvent(event);
}

void ComparePage::show() {
    if (!comparison_) {
        return;
    }
    const ComparisonView view{.all = all_->isChecked()};
    const SideDifference& difference = comparison_->differences.front();
    headline_->setText(comparisonHeadline(*comparison_, view));
    fall_->setVisible(difference.time.has_value());
    if (difference.time) {
        fall_->setValues(stepWaterfall(*difference.time, !comparison_->sameTokens));
    }
    numbers_->setTable(numberTable(*comparison_, view));
    numbers_->fitWidth();
    inputs_->setTable(inputTable(*comparison_));
    showBody();
}

}  // namespace fabricast
