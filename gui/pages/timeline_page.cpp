#include "gui/pages/timeline_page.h"

#include "gui/charts/timeline_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/measured_lanes.h"
#include "gui/models/step_timeline.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace fabricast {

TimelinePage::TimelinePage(StudySession& session, QWidget* parent)
    : JobPage(session, "timeline", parent) {
    addFitWarning();
    headline_ = addHeadline("timeline.headline");
    addTools();
    timeline_ = new TimelineWidget;
    timeline_->setAccessibleName("One step over time");
    addChart(timeline_, "timeline.chart");
}

void TimelinePage::addTools() {
    auto* tools = new QHBoxLayout;
    measured_ = new QLabel("A trace of torch.profiler can be shown below.");
    measured_->setObjectName("timeline.measured");
    measured_->setWordWrap(true);
    tools->addWidget(measured_, 1);
    unload_ = new QPushButton("&Remove it");
    unload_->setObjectName("timeline.unload");
    unload_->hide();
    tools->addWidget(unload_);
    auto* load = new QPushButton("&Load a measured trace …");
    load->setObjectName("timeline.load");
    load->setToolTip("What torch.profiler's export_chrome_trace writes, or simulate --trace");
    tools->addWidget(load);
    body()->addLayout(tools);
    connect(load, &QPushButton::clicked, this, &TimelinePage::chooseTrace);
    connect(unload_, &QPushButton::clicked, this, &TimelinePage::forgetTrace);
}

bool TimelinePage::isWaiting() const {
    return JobPage::isWaiting() || traceJob_.isRunning();
}

void TimelinePage::refresh() {
    if (session().trace() != followed_) {
        followTrace();
    }
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
        simulation_.reset();
        sayError(simulation.error());
        return;
    }
    simulation_ = std::make_shared<const Simulation>(*simulation);
    showBoth();
}

void TimelinePage::showBoth() {
    if (!simulation_) {
        return;
    }
    headline_->setText(QString::fromStdString(timelineHeadline(*simulation_)));
    TimelineValues values = stepTimeline(*simulation_);
    const std::size_t simulated = values.lanes.size();
    if (trace_) {
        addMeasured(*trace_, values);
        sayMeasured();
    }
    timeline_->setValues(std::move(values));
    timeline_->showAll();
    showBody();
    if (trace_ && std::exchange(isNew_, false)) {
        timeline_->showLane(simulated);
    }
}

void TimelinePage::sayMeasured() {
    const QString words = QString::fromStdString(measuredHeadline(*trace_, *simulation_));
    measured_->setText(trouble_.isEmpty() ? words : trouble_ + "\n" + words);
}

void TimelinePage::chooseTrace() {
    const QString file = QFileDialog::getOpenFileName(
        this, "Load a measured trace", {}, "Traces (*.json);;All files (*)");
    if (!file.isEmpty()) {
        load(file);
    }
}

void TimelinePage::load(const QString& file) {
    followed_.clear();  // the same file may have changed
    trouble_.clear();
    isLoaded_ = true;
    session().setTrace(QFileInfo(file).absoluteFilePath().toStdString());
    followTrace();
}

void TimelinePage::followTrace() {
    if (session().trace() == followed_) {
        return;
    }
    followed_ = session().trace();
    if (followed_.empty()) {
        removeTrace();
        return;
    }
    measured_->setText("Reading " + QString::fromStdString(followed_) + " …");
    unload_->show();
    traceJob_.start([this, path = followed_](const Watch& /*reading is not stopped*/,
                                             const LatestJob::Post& post) {
        const auto trace = std::make_shared<const Result<MeasuredTrace>>(readMeasuredTrace(path));
        post([this, trace] { take(*trace); });
    });
}

void TimelinePage::take(const Result<MeasuredTrace>& trace) {
    const bool isLoaded = std::exchange(isLoaded_, false);
    if (!trace) {
        if (!isLoaded) {
            trace_.reset();
            showBoth();
        }
        keepShownTrace(QString::fromStdString(trace.error().text()));
        return;
    }
    trouble_.clear();
    shown_ = followed_;
    trace_ = std::make_shared<const MeasuredTrace>(*trace);
    isNew_ = true;
    showBoth();
}

/// One that cannot be read takes none away, and what is looked at stays where it is.
void TimelinePage::keepShownTrace(const QString& trouble) {
    if (!trace_) {
        measured_->setText(trouble);
        return;
    }
    trouble_ = trouble;
    followed_ = shown_;
    session().setTrace(shown_);
    if (simulation_) {
        sayMeasured();
    }
}

void TimelinePage::forgetTrace() {
    session().setTrace("");
    followTrace();
}

void TimelinePage::removeTrace() {
    traceJob_.cancel();
    trace_.reset();
    trouble_.clear();
    unload_->hide();
    measured_->setText("A trace of torch.profiler can be shown below.");
    showBoth();
}

}  // namespace fabricast
