#pragma once
#include "planner/result/advice.h"
#include "planner/result/comparison.h"
#include "planner/result/explanation.h"
#include "planner/result/memory_breakdown.h"
#include "planner/result/memory_names.h"
#include "planner/result/plan_fix.h"
#include "planner/result/run_cost.h"
#include "planner/result/sensitivity.h"
#include "planner/spec/cluster_spec.h"
#include "planner/text/json_document.h"
#include "planner/text/json_text.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.advice/1" document: every way to train with its best layout, what is advised, and
/// the advice in other situations.
///     .recommended.{key,stack,layout,step_s,cost}   .steps[].{key,answer,why,plan}   .changes[]
std::string adviceJson(const Advice& advice, const JsonValue* asked, std::string_view version);

/// A comparison as one JSON document, "fabricast.comparison/1".
///     .inputs[].{key,values}   .numbers[].{key,values}   .differences[].{side,verdict,ratio}
///     .differences[].time.{from_s,to_s,parts}   .differences[].memory.{from_bytes,to_bytes,parts}
/// `leastChange` decides which numbers count as changed.
std::string comparisonJson(const Comparison& comparison,
                           double leastChange,
                           std::string_view version);

/// The member "cost" of an answer. Unknown numbers are null, with the reason.
///     .cost.usd_per_mtok.value   .cost.goodput.lo   .cost.price.{profile,date,kind}
/// and, with a number of tokens, .cost.{days,gpu_hours,usd_per_run,kwh}.
void writeCost(JsonText& json, const RunCost& cost, const CostBasis& basis);

/// The member "usd_per_mtok" as a number alone; null, with the reason, where there is none.
void writePerMtok(JsonText& json, const std::optional<RunCost>& cost);

/// The members "targets" and "fixes" of a plan.
///     .targets[].{metric,wanted,reached,met}
///     .fixes[].{group,change,typed,reaches,side_effect,step_s,tokens_per_s,mfu,peak_bytes,gpus,layout}
void writeFixes(JsonText& json, const PlanFixes& fixes);

/// {"value", "lo", "hi", "evidence"}, in the unit of the key.
template <class Q>
void writeHeadline(JsonText& json, std::string_view key, const Headline<Q>& headline) {
    json.beginObject(key);
    json.add("value", headline.value.count());
    json.add("lo", headline.lo.count());
    json.add("hi", headline.hi.count());
    json.add("evidence", nameOf(headline.evidence));
    json.end();
}

/// The member "sensitivity" of an answer.
///     .sensitivity.knobs[].{knob,elasticity}   .sensitivity.knobs[].twice.{step_s,verdict}
///     .sensitivity.knobs[].searched.{step_s,layout}, of plan
void writeSensitivity(JsonText& json, const Sensitivity& sensitivity);

/// A change that would help, as an element of an array.
void writeFix(JsonText& json, const Fix& fix);

/// The member "host_per_node": what is needed, what is there, and whether that is enough.
void writeHost(JsonText& json, const MemoryBreakdown& memory);

/// The member "memory" of an answer: every number in bytes.
///     .memory.peak_bytes.value   .memory.stages[0].activations_bytes
/// `more` adds members to a stage.
using AddToStage = std::function<void(JsonText&, const StageMemory&)>;
void writeMemory(JsonText& json, const MemoryBreakdown& memory, const AddToStage& more = {});

/// The member "time" of an answer: the step, rates, and the parts that sum to it.
///     .time.step_s.value   .time.tokens_per_s_gpu   .time.mfu   .time.parts.gemm_s
/// `faster` is what makes it shorter; a null pointer where nothing that was tried does.
void writeTime(JsonText& json, const StepEstimate& step, const FasterChange* faster);

/// The member "faster": .faster.{set,step_s,verdict}
void writeFaster(JsonText& json, const FasterChange& faster);

/// The member "comm": a row per kind of call.
///     .comm[0].{axis,fabric,collective,group_size,bytes,count,seconds,exposed_seconds}
void writeComm(JsonText& json, const ClusterSpec& cluster, const StepEstimate& step);

}  // namespace fabricast
