#include "gui/pages/sensitivity_page.h"

#include "gui/charts/tornado_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/page_views.h"
#include "gui/pages/table_view.h"
#include "study/explain.h"
#include "study/plan.h"

#include <QLabel>
#include <QVBoxLayout>

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

Result<Sensitivity> withBestLayouts(const Question& question,
                                    const Workbench& bench,
                                    const Watch& watch) {
    FABRICAST_ASSIGN(const PlanReport report, plan(question, {.sensitivity = true}, bench, watch));
    if (!report.sensitivity) {
        return fail(Error::Code::Stopped, "", "nothing fits");
    }
    return *report.sensitivity;
}

}  // namespace

SensitivityPage::SensitivityPage(StudySession& session, QWidget* parent)
    : JobPage(session, "sensitivity", parent) {
    headline_ = addHeadline("sensitivity.headline");
    tornado_ = new TornadoWidget;
    tornado_->setAccessibleName("What twice as much of each thing does to the speed");
    addChart(tornado_, "sensitivity.tornado", 4);
    rows_ = new ReportTableView("sensitivity.rows");
    rows_->setAccessibleName("What twice as much of each thing does");
    body()->addWidget(rows_, 3);
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
        const auto deliver = [&](Result<Sensitivity> answer) {
            post([this, answer = std::move(answer)] { show(answer); });
        };
        deliver(withThisLayout(about, bench, watch));
        if (isBest) {
            deliver(withBestLayouts(question, bench, watch));
        }
    };
    if (ask(typed(session().a().question), work)) {
        say("Turning every knob …");
    }
}

void SensitivityPage::show(const Result<Sensitivity>& answer) {
    if (!answer) {
        sayError(answer.error());
        return;
    }
    headline_->setText(
        QString(
            "How much faster training would be with twice as much of each thing: with layout A, "
            "and with the best layout for that%1")
            .arg(answer->isSearched ? "." : ", which is still searched …"));
    tornado_->setValues(speedTornado(*answer));
    rows_->setTable(sensitivityRows(*answer));
    showBody();
}

}  // namespace fabricast
