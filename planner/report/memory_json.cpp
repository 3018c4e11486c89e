#include "planner/report/answer_json.h"
#include "planner/result/memory_names.h"

#include <string>

namespace fabricast {
namespace {

void addTerms(JsonText& json, std::string_view key, const std::vector<Term>& terms) {
    json.beginArray(key);
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

void addPhases(JsonText& json, const StageMemory& stage) {
    if (stage.phases.empty()) {
        return;
    }
    json.beginArray("phases");
    for (const PhasePeak& phase : stage.phases) {
        json.beginObject();
        json.add("name", phase.name);
        json.add("requested_bytes", phase.requested);
        json.add("peak_at", phase.peakAt);
        json.add("decides", phase.requested == stage.requested);
        json.end();
    }
    json.end();
}

void addStage(JsonText& json, const StageMemory& stage, const AddToStage& more) {
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
    writeHeadline(json, "reserved_bytes", stage.reserved);
    json.add("pinned_bytes", stage.pinned);
    json.add("saved_per_layer_bytes", stage.savedPerLayer);
    json.add("between_steps_bytes", stage.betweenSteps);
    json.add("context_bytes", stage.context);
    json.add("collectives_bytes", stage.collectives);
    json.add("host_bytes", stage.host);
    json.add("nvme_bytes", stage.nvme);
    addTerms(json, "terms", stage.terms);
    addPhases(json, stage);
    if (more) {
        more(json, stage);
    }
    json.end();
}

void addRejection(JsonText& json, const Rejection& rejection) {
    json.beginObject();
    json.add("bound", nameOf(rejection.bound));
    json.add("over_bytes", rejection.over);
    json.add("where", rejection.where);
    json.beginArray("fixes");
    for (const Fix& fix : rejection.fixes) {
        writeFix(json, fix);
    }
    json.end();
    json.end();
}

}  // namespace

void writeFix(JsonText& json, const Fix& fix) {
    json.beginObject();
    json.add("change", fix.change);
    json.add("typed", fix.typed);
    json.add("peak_after_bytes", fix.peakAfter);
    json.add("host_after_bytes", fix.hostAfter);
    json.add("fits", fix.verdict == Verdict::Fits);
    json.add("verdict", nameOf(fix.verdict));
    if (!fix.needs.empty()) {
        json.add("needs", fix.needs);
    }
    json.add("side_effect", fix.sideEffect);
    json.end();
}

namespace {

void writeNeed(JsonText& json, std::string_view key, const HostNeed& host) {
    json.beginObject(key);
    json.add("needed_bytes", host.perNode);
    if (host.there) {
        json.add("there_bytes", *host.there);
    } else {
        json.addNull("there_bytes", "not known");
    }
    json.add("verdict", nameOf(host.verdict()));
    json.end();
}

}  // namespace

void writeHost(JsonText& json, const MemoryBreakdown& memory) {
    writeNeed(json, "host_per_node", memory.host);
    if (memory.drives.perNode > Bytes()) {
        writeNeed(json, "nvme_per_node", memory.drives);
    }
}

void writeMemory(JsonText& json, const MemoryBreakdown& memory, const AddToStage& more) {
    json.beginObject("memory");
    writeHeadline(json, "peak_bytes", memory.peak);
    json.add("capacity_bytes", memory.capacity);
    json.add("room_bytes", memory.room());
    writeHost(json, memory);
    json.add("fullest_stage", memory.fullest);
    addTerms(json, "limits", memory.limits);
    json.beginArray("stages");
    for (const StageMemory& stage : memory.stages) {
        addStage(json, stage, more);
    }
    json.end();
    json.beginArray("rejections");
    for (const Rejection& rejection : memory.rejections) {
        addRejection(json, rejection);
    }
    json.end();
    json.end();
}

}  // namespace fabricast
