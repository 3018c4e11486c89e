#include "gui/pages/control_edits.h"

#include "gui/jobs/study_session.h"
#include "study/said_value.h"

namespace fabricast {
namespace {

/// A number of GPUs that is held as a part of a server is, of several servers, one of each.
std::vector<Edit> withGpusOfEach(const Edit& servers, const StudySession& session) {
    const std::shared_ptr<const PlanReport>& report = session.answers().report;
    if (!report || session.answers().isStale() || servers.value == "null" ||
        !saidValue(session.question(), "cluster.gpus")) {
        return {servers};
    }
    const ClusterSpec& now = report->question.cluster;
    const Result<ClusterSpec> whole = session.bench().profiles().cluster(now.name);
    if (!whole || whole->node.gpus == now.node.gpus) {
        return {servers};
    }
    std::vector<Edit> edits = {servers};
    if (!saidValue(session.question(), "cluster.name")) {
        edits.push_back({"cluster.name", now.name, "--set"});
    }
    edits.push_back({"cluster.gpus_per_node", std::to_string(now.node.gpus), "--gpus-per-node"});
    return edits;
}

}  // namespace

std::optional<std::string> saidOf(const ControlAbout& about, const Question& question) {
    const std::optional<std::string> said = saidValue(question, about.path.toStdString());
    return said || about.path != "cluster.name" ? said : saidValue(question, "cluster.gpu");
}

std::vector<Edit> controlEdits(const ControlAbout& about,
                               const QString& value,
                               const StudySession& session) {
    const Edit edit{about.path.toStdString(), value.toStdString(), about.origin.toStdString()};
    const Question& question = session.question();
    if (about.path == "cluster.nodes") {
        return withGpusOfEach(edit, session);
    }
    std::vector<Edit> edits = {edit};
    if (about.path == "cluster.name") {
        for (const auto& [path, flag] :
             {std::pair("cluster.nodes", "-n"), std::pair("cluster.gpus", "--gpus")}) {
            if (const std::optional<std::string> count = saidValue(question, path)) {
                edits.push_back({path, *count, flag});
            }
        }
    }
    // A rank is of adapters.
    const std::string tuning = saidValue(question, "settings.tuning").value_or("full");
    if (about.path == "settings.lora.rank" && value != "null" && tuning == "full") {
        edits.insert(edits.begin(), {"settings.tuning", "lora", "--tuning"});
    }
    return edits;
}

}  // namespace fabricast
