#include "gui/pages/sensitivity_page.h"

#include "gui/charts/tornado_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/edit_words.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"
#include "planner/report/sensitivity_report.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/sensitivity.h"
#include "study/typed_plan.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

Result<Sensitivity> withThisLayout(const Question& about,
                                   const Workbench& bench,
                                   const Watch& watch) {
    FABRICAST_ASSIGN(
        const Explanation answer,
        explain(about, {.memory = false, .step = true, .sensitivity = true}, bench, watch));
    return answer.sensitivity.value_or(Sensitivity());
}

/// Of another layout than the best one it says what that would be.
Result<Sensitivity> withBestLayouts(const Sensitivity& held,
                                    bool isBest,
                                    const Question& question,
                                    const Workbench& bench,
                                    const Watch& watch) {
    FABRICAST_ASSIGN(const PlanReport report, plan(question, {.sensitivity = true}, bench, watch));
    if (!report.sensitivity) {
        return held;
    }
    const Plan& best = report.plans.front();
    return isBest ? *report.sensitivity
                  : withSearchesOf(held, *report.sensitivity, typedPlan(best));
}

}  // namespace

SensitivityPage::SensitivityPage(StudySession& session, QWidget* parent)
    : JobPage(session, "sensitivity", parent) {
    addFitWarning();
    headline_ = addHeadline("sensitivity.headline");
    tornado_ = new TornadoWidget;
    tornado_->setAccessibleName("What twice as much of each thing does to the speed");
    addChart(tornado_, "sensitivity.tornado");
    rows_ = new ReportTableView("sensitivity.rows");
    rows_->setAccessibleName("What twice as much of each thing does");
    addSharing(rows_);
}

void SensitivityPage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const bool isBest = session().placeOf(session().a()) == std::size_t{0};
    const auto work = [this,
                       isBest,
                       about = session().a().question,
                       question = session().question(),
                       bench = session().bench()](const Watch& watch, const LatestJob::Post& post) {
        const Result<Sensitivity> held = withThisLayout(about, bench, watch);
        post([this, held] { show(held, true); });
        if (held) {
            post([this, best = withBestLayouts(*held, isBest, question, bench, watch)] {
                show(best, false);
            });
        }
    };
    if (ask(typed(session().a().question), work)) {
        say("Turning every knob …");
    }
}

void SensitivityPage::show(const Result<Sensitivity>& answer, bool isSearching) {
    if (!answer) {
        sayError(answer.error());
        return;
    }
    const char* const best = isSearching
                                 ? ", and with the best layout for that, which is still searched …"
                             : answer->isSearched ? ", and with the best layout for that."
                                                  : ". No layout fits that could be searched.";
    QString idle = QString::fromStdString(noFasterText(*answer));
    if (!idle.isEmpty()) {
        idle = QString(" %1%2.").arg(idle.front().toUpper()).arg(idle.mid(1));
    }
    const QString early = QString::fromStdString(windowWords(searchedEarlyText(*answer)));
    headline_->setText(
        QString("How much faster training would be with twice as much of each thing: with layout "
                "A%1%2%3")
            .arg(best, idle, early.isEmpty() ? "" : "\n" + early.trimmed()));
    TornadoValues bars = speedTornado(*answer);
    tornado_->setVisible(std::ranges::any_of(bars.rows, [&bars](const TornadoRow& row) {
        return row.low != bars.base || row.high.value_or(bars.base) != bars.base;
    }));
    tornado_->setValues(std::move(bars));
    rows_->setTable(sensitivityRows(*answer));
    showBody();
}

}  // namespace fabricast
