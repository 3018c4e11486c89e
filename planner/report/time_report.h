#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"
#include "planner/report/subject_words.h"
#include "planner/result/explanation.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The answer about a step's time for people: how long, how fast, and where the time goes.
///     STEP  9.310 s [7.758..11.637]  14,080 tokens/s per GPU, 450,560 in all, MFU 41.2 %
Report timeReport(const Scenario& scenario,
                  const StepEstimate& step,
                  Subject subject = Subject::Said);
std::string timeMarkdown(const Scenario& scenario, const StepEstimate& step);
/// A row per part, in seconds, and one for the step.
std::string timeCsv(const StepEstimate& step);

/// How a number came about: `key` is "time.gemm" or the name of another part, "time.step",
/// "time.mfu" or "time.tokens_per_s_gpu"; an unknown one is an error that lists what there is.
Result<std::string> timeWhy(const Scenario& scenario,
                            const StepEstimate& step,
                            std::string_view key);
/// What to try next, with what it would bring: "--set layout.tp=4 takes 1.523 s, 12.0 % less".
std::string fasterText(const StepEstimate& step, const FasterChange& faster);
/// Whether a key asks about time.
bool isTimeKey(std::string_view key);

/// The communication of a step for people: a row per kind of call, what adds most first.
///     COMMUNICATION  2.310 s, of which 0.840 s exposed: 9.0 % of the step
/// Of more than 20 rows the last are summed unless `everyRow`.
Report commReport(const Scenario& scenario,
                  const StepEstimate& step,
                  bool everyRow,
                  Subject subject = Subject::Said);
std::string commMarkdown(const Scenario& scenario, const StepEstimate& step);
/// Every row, in bytes and seconds, with the keys that JSON has.
std::string commCsv(const Scenario& scenario, const StepEstimate& step);

}  // namespace fabricast
