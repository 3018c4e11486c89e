#include "gui/pages/timeline_page.h"

#include "gui/charts/timeline_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/step_timeline.h"
#include "study/simulate.h"

#include <QLabel>
#include <QVBoxLayout>
#include <memory>

namespace fabricast {

TimelinePage::TimelinePage(StudySession& session, QWidget* parent)
    : JobPage(session, "timeline", parent) {
    headline_ = addHeadline("timeline.headline");
    timeline_ = new TimelineWidget;
    timeline_->setAccessibleName("One step over time");
    addChart(timeline_, "timeline.chart", 1);
}

void TimelinePage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const auto work = [this, about = session().a().question, bench = session().bench()](
                          const Watch& watch, const LatestJob::Post& post) {
        const auto answer =
            std::make_shared<const Result<Simulation>>(simulate(about, {}, bench, watch));
        post([this, answer] { show(*answer); });
    };
    if (ask(typed(session().a().question), work)) {
        say("Running one step, event by event …");
    }
}

void TimelinePage::show(const Result<Simulation>& simulation) {
    if (!simulation) {
        sayError(simulation.error());
        return;
    }
    headline_->setText(QString::fromStdString(timelineHeadline(*simulation)));
    timeline_->setValues(stepTimeline(*simulation));
    showBody();
}

}  // namespace fabricast
