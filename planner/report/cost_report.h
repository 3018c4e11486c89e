#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"
#include "planner/report/subject_words.h"
#include "planner/result/run_cost.h"
#include "planner/spec/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A number of a cost as every format shows it.
struct CostNumber {
    std::string_view words;
    std::string_view key;     ///< "gpu_hours"; its formula is that of "cost.gpu_hours"
    Headline<double> number;  ///< in the unit of the key
    std::string (*text)(double);
};
/// Those of the run, where its tokens are given, before those of a million tokens.
std::vector<CostNumber> costNumbers(const RunCost& cost);

/// The answer about cost for people: what a token and the run cost, and why it is not less.
///     COST  $0.312 per million tokens [$0.25..$0.391]  on_demand $2.95/h a GPU, market-2026-05
///     (2026-05)
Report costReport(const Scenario& scenario,
                  const RunCost& cost,
                  const CostBasis& basis,
                  Subject subject = Subject::Said);
std::string costMarkdown(const Scenario& scenario, const RunCost& cost, const CostBasis& basis);
/// A row per number, with the keys that JSON has.
std::string costCsv(const RunCost& cost);

/// How a number came about: `key` is "cost.usd_per_mtok", "cost.goodput" and so on; an unknown one
/// is an error that lists what there is.
Result<std::string> costWhy(const Scenario& scenario,
                            const Headline<Seconds>& step,
                            const RunCost& cost,
                            const CostBasis& basis,
                            std::string_view key);
/// Whether a run recovers, but fails before it has saved anything.
bool savesTooSeldom(const CheckpointCycle& cycle);
/// Why a run is never done, or hardly: it fails before it has saved anything, or before it has
/// recovered. A line; empty where it makes progress.
std::string noProgressText(const Goodput& goodput);
/// The same of a share that is useful, and the cycle of checkpoints that it is lost in.
std::string noProgressText(double share, const CheckpointCycle& cycle);
/// Whether a key asks about cost.
bool isCostKey(std::string_view key);

/// "on_demand $2.95/h a GPU, market-2026-05 (2026-05)", or the reason for a missing price and a
/// hint.
std::string priceText(const GpuHour& hour, const CostBasis& basis);
/// "$2.95", "$0.1313": with the digits of a quote, and never as a power of ten.
std::string priceOfHour(double dollars);
/// " over 3 years, used 60% of the time", of an owned GPU.
std::string ownershipText(const CostBasis& basis);
/// The price profile with its date.
std::string sourceText(const CostBasis& basis);
/// Three digits of an amount that may be a millionth or a billion: "0.312", "46.0", "1,250,000".
std::string amountText(double amount);
/// The same in dollars: "$0.800", "$50", "$1.90", "$12,500".
std::string dollarText(double dollars);

}  // namespace fabricast
