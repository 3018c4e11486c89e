#include "gui/pages/topology_page.h"

#include "gui/charts/network_map_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/network_view.h"
#include "gui/pages/table_view.h"
#include "study/simulate.h"

#include <QLabel>
#include <QVBoxLayout>
#include <memory>

namespace fabricast {
namespace {

TopologyAsk askFor(const Scenario& scenario, const Folders& folders) {
    TopologyAsk ask;
    ask.cluster.name = scenario.cluster.name;
    ask.cluster.nodes = scenario.cluster.nodes;
    if (scenario.cluster.otherFabric) {
        ask.cluster.fabric = scenario.cluster.fabric.name;
    }
    ask.folders = folders;
    return ask;
}

}  // namespace

TopologyPage::TopologyPage(StudySession& session, QWidget* parent)
    : JobPage(session, "topology", parent) {
    headline_ = addHeadline("topology.headline");
    map_ = new NetworkMapWidget;
    map_->setAccessibleName("The network between the servers");
    addChart(map_, "topology.map", 4);
    links_ = new ReportTableView("topology.links");
    links_->setAccessibleName("Links, from the GPUs outwards");
    body()->addWidget(links_, 2);
}

void TopologyPage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const Question about = session().a().question;
    const auto work = [this,
                       about,
                       wanted = askFor(session().a().explanation->scenario, about.folders),
                       bench = session().bench()](const Watch& watch, const LatestJob::Post& post) {
        using Answer = Result<TopologyAnswer>;
        const auto answer = std::make_shared<const Answer>(topology(wanted, bench));
        post([this, answer] { show(*answer, {}); });
        const Result<Simulation> step = simulate(about, {}, bench, watch);
        if (step) {
            post([this, answer, uses = step->step.links] { show(*answer, uses); });
        }
    };
    if (ask(typed(about), work)) {
        say("Joining the servers …");
    }
}

void TopologyPage::show(const Result<TopologyAnswer>& answer, const std::vector<LinkUse>& uses) {
    if (!answer) {
        sayError(answer.error());
        return;
    }
    headline_->setText(QString::fromStdString(networkHeadline(*answer)));
    map_->setValues(networkMap(*answer, uses));
    links_->setTable(linkRows(*answer, uses));
    showBody();
}

}  // namespace fabricast
