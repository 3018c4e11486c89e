#pragma once
#include "planner/report/explanation_report.h"
#include "planner/result/explanation.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.explain/1" document: what was asked, and whether it fits, and the sections
/// that were asked for. Units are in the keys.
///     .memory.peak_bytes.value   .time.step_s.value   .time.parts.gemm_s   .comm[0].bytes
std::string explainJson(const Explanation& explanation,
                        const ExplanationView& view,
                        std::string_view version);

}  // namespace fabricast
