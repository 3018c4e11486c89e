#include "planner/io/memory_json.h"

#include "planner/io/json_text.h"
#include "planner/io/layout_json.h"
#include "planner/io/settings_json.h"
#include "planner/result/memory_names.h"

#include <utility>

namespace fabricast {
namespace {

void addHeadline(JsonText& json, std::string_view key, const Headline<Bytes>& headline) {
    json.beginObject(key);
    json.add("value", headline.value);
    json.add("lo", headline.lo);
    json.add("hi", headline.hi);
    json.add("evidence", nameOf(headline.evidence));
    json.end();
}

/// In the form that a scenario file has, so that an answer can be asked again.
void addScenario(JsonText& json, const Scenario& scenario) {
    json.beginObject("scenario");
    json.add("model", scenario.model.name);
    json.beginObject("cluster");
    json.add("name", scenario.cluster.name);
    json.add("gpus", scenario.cluster.gpus());
    json.end();
    json.add("stack", scenario.stack);
    json.beginObject("workload");
    json.add("sequence", scenario.workload.sequence);
    json.add("global_batch", scenario.workload.globalBatch);
    json.end();
    writeLayout(json, "layout", scenario.layout);
    writeSettings(json, "settings", scenario.settings);
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

void addTerms(JsonText& json, const std::vector<Term>& terms) {
    json.beginArray("terms");
    for (const Term& term : terms) {
        json.beginObject();
        json.add("key", term.key);
        json.add("bytes", term.bytes);
        json.add("formula", term.formula);
        json.add("source", term.source);
        json.end();
    }
    json.end();
}

void addStage(JsonText& json, const StageMemory& stage) {
    json.beginObject();
    json.add("stage", stage.stage);
    json.add("in_flight", stage.inFlight);
    json.add("local_parameters", stage.localParameters);
    for (const auto& [kind, name] : namesOf(MemoryKind{})) {
        json.add(std::string(name) + "_bytes", stage.atPeak.of(kind));
    }
    json.add("peak_at", stage.peakAt);
    json.add("requested_bytes", stage.requested);
    json.add("allocated_bytes", stage.allocated);
    addHeadline(json, "reserved_bytes", stage.reserved);
    json.add("saved_per_layer_bytes", stage.savedPerLayer);
    json.add("between_steps_bytes", stage.betweenSteps);
    json.add("context_bytes", stage.context);
    json.add("collectives_bytes", stage.collectives);
    json.add("host_bytes", stage.host);
    json.add("nvme_bytes", stage.nvme);
    addTerms(json, stage.terms);
    json.end();
}

void addRejection(JsonText& json, const Rejection& rejection) {
    json.beginObject();
    json.add("bound", nameOf(rejection.bound));
    json.add("over_bytes", rejection.over);
    json.add("where", rejection.where);
    json.beginArray("fixes");
    for (const Fix& fix : rejection.fixes) {
        json.beginObject();
        json.add("change", fix.change);
        json.add("peak_after_bytes", fix.peakAfter);
        json.add("fits", fix.fits);
        json.add("side_effect", fix.sideEffect);
        json.end();
    }
    json.end();
    json.end();
}

void addMemory(JsonText& json, const MemoryBreakdown& memory) {
    json.beginObject("memory");
    addHeadline(json, "peak_bytes", memory.peak);
    json.add("capacity_bytes", memory.capacity);
    json.add("fullest_stage", memory.fullest);
    json.beginArray("stages");
    for (const StageMemory& stage : memory.stages) {
        addStage(json, stage);
    }
    json.end();
    json.beginArray("rejections");
    for (const Rejection& rejection : memory.rejections) {
        addRejection(json, rejection);
    }
    json.end();
    json.end();
}

}  // namespace

std::string memoryJson(const Scenario& scenario,
                       const MemoryBreakdown& memory,
                       std::string_view version) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.explain/1");
    json.beginObject("tool");
    json.add("name", "fabricast");
    json.add("version", version);
    json.end();
    json.add("verdict", nameOf(memory.verdict));
    addScenario(json, scenario);
    addHardware(json, scenario.cluster);
    addMemory(json, memory);
    json.beginArray("assumed");
    for (const std::string& note : memory.notes) {
        json.item(note);
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
