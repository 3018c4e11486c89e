#pragma once
#include "planner/result/explanation.h"
#include "planner/spec/cluster_spec.h"
#include "planner/text/json_text.h"

namespace fabricast {

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
