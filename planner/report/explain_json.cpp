#include "planner/base/quantity_text.h"
#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/report/explanation_report.h"
#include "planner/report/question_json.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/result/memory_names.h"
#include "planner/text/copy_json.h"
#include "planner/text/json_text.h"

#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What was said about the drives of a node: their rates stand in no profile.
void addDrives(JsonText& json, const ClusterSpec& cluster) {
    const NodeSpec& node = cluster.node;
    if (cluster.otherNvme) {
        json.add("nvme", quantityText(*node.nvme.value));
    }
    if (node.nvmeRead.value) {
        json.add("nvme_read", quantityText(*node.nvmeRead.value));
    }
    if (node.nvmeWrite.value) {
        json.add("nvme_write", quantityText(*node.nvmeWrite.value));
    }
}

void addSites(JsonText& json, const SitesSpec& sites) {
    if (sites.count > 1) {
        json.add("sites", sites.count);
        json.add("wan", quantityText(sites.rate));
        json.add("wan_latency", quantityText(sites.latency));
    }
}

const JsonValue* askedOf(const JsonValue* object, std::string_view key) {
    return object == nullptr || !object->is(JsonValue::Kind::Object) ? nullptr : object->find(key);
}

/// Under its name a file would be read back as a profile of that name, or not be found.
void addProfile(JsonText& json,
                std::string_view key,
                const std::string& name,
                const JsonValue* asked) {
    const std::string said =
        asked != nullptr && asked->is(JsonValue::Kind::String) ? asked->text().value_or("") : "";
    json.add(key, said == "-" || said.starts_with('/') ? said : name);
}

void addModel(JsonText& json, const ModelSpec& model, const JsonValue* asked) {
    if (asked != nullptr && asked->is(JsonValue::Kind::Object)) {
        copyJson(json, "model", *asked);
    } else {
        addProfile(json, "model", model.name, asked);
    }
}

/// In the form that a scenario file has, so that an answer can be asked again.
void addScenario(JsonText& json, const Scenario& scenario, const JsonValue* asked) {
    json.beginObject("scenario");
    addModel(json, scenario.model, askedOf(asked, "model"));
    json.beginObject("cluster");
    if (scenario.cluster.isBuilt) {
        json.add("gpu", scenario.cluster.node.gpu.name);
    } else {
        const JsonValue* cluster = askedOf(asked, "cluster");
        const bool isWord = cluster != nullptr && cluster->is(JsonValue::Kind::String);
        addProfile(
            json, "name", scenario.cluster.name, isWord ? cluster : askedOf(cluster, "name"));
    }
    if (scenario.cluster.isBuilt || scenario.cluster.partOfNodes) {
        json.add("gpus_per_node", scenario.cluster.node.gpus);
    }
    if (scenario.cluster.otherFabric) {
        json.add("fabric", scenario.cluster.fabric.name);
    }
    json.add("gpus", scenario.cluster.gpus());
    if (scenario.cluster.otherHostMemory) {
        json.add("host_memory", quantityText(*scenario.cluster.node.hostMemory.value));
    }
    addDrives(json, scenario.cluster);
    addSites(json, scenario.cluster.sites);
    if (scenario.cluster.reserve) {
        json.add("reserve", *scenario.cluster.reserve);
    }
    json.end();
    json.add("stack", scenario.stack);
    json.beginObject("workload");
    json.add("sequence", scenario.workload.sequence);
    json.add("global_batch", scenario.workload.globalBatch);
    if (const JsonValue* tokens = askedOf(askedOf(asked, "workload"), "tokens")) {
        copyJson(json, "tokens", *tokens);
    }
    json.end();
    writeLayout(json, "layout", scenario.layout);
    writeSettings(json, "settings", scenario.settings);
    for (const std::string_view key : {"price", "operation"}) {
        if (const JsonValue* said = askedOf(asked, key)) {
            copyJson(json, key, *said);
        }
    }
    json.end();
}

void addHardware(JsonText& json, const ClusterSpec& cluster) {
    json.beginObject("hardware");
    json.add("gpu", cluster.node.gpu.name);
    json.add("gpus", cluster.gpus());
    json.add("nodes", cluster.nodes);
    json.add("gpus_per_node", cluster.node.gpus);
    json.end();
}

void addNotes(JsonText& json, const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
        json.item(note);
    }
}

}  // namespace

std::string explainJson(const Explanation& explanation,
                        const ExplanationView& view,
                        std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.explain/1", version);
    if (explanation.verdict) {
        json.add("verdict", nameOf(*explanation.verdict));
    } else {
        json.addNull("verdict", explanation.whyNoVerdict);
    }
    addScenario(json, explanation.scenario, view.asked);
    writeAsked(json, view.asked);
    addHardware(json, explanation.scenario.cluster);
    if (explanation.memory) {
        writeMemory(json, *explanation.memory);
    }
    if (explanation.step && view.time) {
        writeTime(json, *explanation.step, explanation.faster ? &*explanation.faster : nullptr);
    }
    if (explanation.step && view.comm) {
        writeComm(json, explanation.scenario.cluster, *explanation.step);
    }
    if (explanation.cost && view.cost) {
        writeCost(json, *explanation.cost, explanation.basis);
    }
    if (explanation.sensitivity) {
        writeSensitivity(json, *explanation.sensitivity);
    }
    json.beginArray("assumed");
    addNotes(json, explanation.memory ? explanation.memory->notes : std::vector<std::string>());
    addNotes(json, explanation.step ? explanation.step->notes : std::vector<std::string>());
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
