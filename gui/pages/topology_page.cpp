#include "gui/pages/topology_page.h"

#include "gui/charts/network_map_widget.h"
#include "gui/jobs/study_session.h"
#include "gui/models/network_view.h"
#include "gui/pages/failure_bar.h"
#include "gui/pages/network_work.h"
#include "gui/pages/table_view.h"
#include "study/lint_files.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// Of a large cluster, enough to complete a name that is begun.
constexpr std::size_t kMostNames = 20'000;

TopologyAsk askFor(const Scenario& scenario, const Folders& folders) {
    TopologyAsk ask;
    ask.cluster.name = scenario.cluster.name;
    const SitesSpec& sites = scenario.cluster.sites;
    ask.cluster.nodes = scenario.cluster.nodes / sites.count;
    ask.options.wan = {.sites = sites.count, .bandwidth = sites.rate, .latency = sites.latency};
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
    addMap();
    addFailures();
    links_ = new ReportTableView("topology.links");
    links_->setAccessibleName("Links, from the GPUs outwards");
    addSharing(links_);
}

void TopologyPage::addMap() {
    map_ = new NetworkMapWidget;
    map_->setAccessibleName("The network between the servers");
    addChart(map_, "topology.map");
    connect(map_, &NetworkMapWidget::linkPicked, this, &TopologyPage::clickLink);
    connect(map_, &NetworkMapWidget::boxPicked, this, &TopologyPage::clickBox);
}

void TopologyPage::addFailures() {
    bar_ = new FailureBar;
    body()->addWidget(bar_);
    failures_ = new ReportTableView("topology.failures");
    failures_->setAccessibleName("What the failures change");
    failures_->hide();
    addSharing(failures_);
    connect(bar_, &FailureBar::failAsked, this, &TopologyPage::fail);
    connect(bar_, &FailureBar::healAsked, this, &TopologyPage::heal);
    connect(bar_, &FailureBar::healAllAsked, this, [this] {
        this->session().setFailed({}, "Heal all");
    });
}

void TopologyPage::clickLink(std::uint32_t id) {
    const std::vector<std::string>& before = session().failed();
    const std::vector<std::string>& names = view_.linkNames[id];
    std::vector<std::string> after = failedAfterClick(before, names);
    const bool fails = after.size() > before.size();
    const std::string name = fails ? after.back() : names.front();
    session().setFailed(std::move(after), (fails ? "Fail " : "Heal ") + name);
}

void TopologyPage::clickBox(std::uint32_t id) {
    const std::string& name = view_.boxNames[id];
    std::vector<std::string> after = failedAfterClick(session().failed(), {name});
    const bool fails = after.size() > session().failed().size();
    session().setFailed(std::move(after), (fails ? "Fail " : "Heal ") + name);
}

void TopologyPage::fail(const QString& name) {
    if (answer_ && namesInNetwork(*answer_, {name.toStdString()}).empty()) {
        headline_->setText("This network has no link, switch, server or device \"" + name +
                           "\". Names are completed as they are typed.");
        return;
    }
    std::vector<std::string> after = session().failed();
    if (std::ranges::find(after, name.toStdString()) == after.end()) {
        after.push_back(name.toStdString());
    }
    bar_->clearTyped();
    session().setFailed(std::move(after), "Fail " + name.toStdString());
}

void TopologyPage::heal(const QString& name) {
    std::vector<std::string> after = session().failed();
    std::erase(after, name.toStdString());
    session().setFailed(std::move(after), "Heal " + name.toStdString());
}

void TopologyPage::refresh() {
    if (!hasLayout()) {
        return;
    }
    const Question about = session().a().question;
    const std::string typedAbout = typed(about);
    if (typedAbout != about_) {
        healthy_.reset();
    }
    const TopologyAsk cluster = askFor(session().a().explanation->scenario, about.folders);
    // The explanation comes after the question that it is of.
    std::string key = typedAbout + "\n" + cluster.cluster.name + " " +
                      std::to_string(cluster.cluster.nodes.value_or(1)) + " " +
                      cluster.cluster.fabric + "\n";
    for (const std::string& name : session().failed()) {
        key += name + " ";
    }
    const NetworkQuestion question{
        .about = about, .cluster = cluster, .failed = session().failed(), .healthy = healthy_};
    const auto work = networkWork(question, session().bench(), [this](const NetworkFound& found) {
        if (!found.state) {
            sayError(found.state.error());
            return;
        }
        healthy_ = found.healthy;
        show(*found.state);
    });
    if (ask(key, work) && typedAbout != about_) {
        say("Joining the servers …");
    }
    about_ = typedAbout;
}

void TopologyPage::show(const NetworkState& state) {
    const std::string failed = failureHeadline(state);
    headline_->setText(
        QString::fromStdString(failed.empty() ? networkHeadline(state.answer) : failed));
    view_ = networkMap(state.answer, linksInUse(state));
    map_->setValues(view_.values);
    bar_->setFailed(namesInNetwork(state.answer, session().failed()));  // others are gone with it
    answer_ = std::make_shared<const TopologyAnswer>(state.answer);
    bar_->setNames(failingNames(state.answer, kMostNames));
    Table rows = failureRows(state);
    failures_->setVisible(!rows.rows.empty());
    failures_->setTable(std::move(rows));
    const PlanInView& a = session().a();
    const bool offloads = a.explanation && a.explanation->scenario.layout.offload != Offload::None;
    links_->setTable(linkRows(state.answer, linksInUse(state), offloads));
    showBody();
}

}  // namespace fabricast
