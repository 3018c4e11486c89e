#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"
#include "planner/result/explanation.h"
#include "planner/text/json_document.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What of an explanation is shown; as text, memory and sensitivity are where the answer has them.
struct ExplanationView {
    bool memory = false;  ///< as a table
    bool time = false;    ///< of the step: where the time goes
    bool comm = false;    ///< and its communication calls
    bool cost = false;
    bool formulas = false;  ///< in text: every formula
    /// What was asked, with whole paths: JSON repeats tokens, prices and operation as they stand,
    /// and a model or cluster that is no built-in one.
    const JsonValue* asked = nullptr;
};

/// The sections one under the other.
Report explanationReport(const Explanation& answer, const ExplanationView& view);
std::string explanationMarkdown(const Explanation& answer, const ExplanationView& view);
/// One table: an error where the view shows several.
Result<std::string> explanationCsv(const Explanation& answer, const ExplanationView& view);

/// The formula behind a number: "activations", "time.gemm", or a name that reports print
/// (why_names.h). What a key is about has to be in the answer.
Result<Report> explanationWhy(const Explanation& answer, const std::string& asked);

/// A "fabricast.explain/1" document: what was asked, and whether it fits, and the sections
/// that were asked for. Units are in the keys.
///     .memory.peak_bytes.value   .time.step_s.value   .time.parts.gemm_s   .comm[0].bytes
std::string explainJson(const Explanation& explanation,
                        const ExplanationView& view,
                        std::string_view version);

/// The keys of --why behind what was asked: a key, or a name that a report prints, in any case and
/// with or without its unit. A name of several numbers has several: those that an answer does not
/// have are left out.
///     whyKeys("matrix products")  →  {"time.gemm"}
///     whyKeys("optimizer")        →  {"optimizer", "time.optimizer"}
std::vector<std::string> whyKeys(std::string_view asked);

}  // namespace fabricast
