#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What is asked of the hardware, and what it is chosen from.
struct SizeAsk {
    std::vector<SizeTarget> targets{};
    std::optional<SizeAim> aim{};  ///< default: cost; time where a budget is the only target;
                                   ///< GPUs where nothing that is named has a price
    std::optional<Watts> powerCap{};
    std::optional<std::int64_t> mostGpus{};
    std::optional<std::int64_t> racks{};
    std::vector<std::string> clusters{};  ///< names of clusters and nodes
    std::vector<std::string> gpus{};      ///< nodes of these GPUs. Neither: all that have a price
    std::vector<std::string> fabrics{};   ///< none: each box's own
    std::vector<std::int64_t> nodes{};    ///< counts; none: the usual ones
    std::vector<std::int64_t> parts{};    ///< numbers of GPUs of one node, beside `nodes`
    std::optional<double> years{};        ///< of ownership; default: those of the price profile
    std::optional<double> utilisation{};  ///< share of the time that it is used; default: all
};

/// "tokens-per-s=200000", "days=30", "budget=2M".
Result<std::vector<SizeTarget>> readSizeTargets(const std::vector<std::string>& typed);
/// "racks=2".
Result<std::int64_t> readRacks(const std::string& typed);
/// "1,2,4,8": ascending, each once; `flag` is what they were typed behind.
Result<std::vector<std::int64_t>> readCounts(const std::vector<std::string>& typed,
                                             const std::string& flag);

/// The least hardware on which every job reaches the targets, what is next to it, and what it
/// costs to have. Each cluster of an answer was searched: no number of one follows from another's.
///     FABRICAST_ASSIGN(const SizeAnswer answer, size({&question, 1}, ask, bench, watch));
Result<SizeAnswer> size(std::span<const Question> jobs,
                        const SizeAsk& ask,
                        const Workbench& bench,
                        const Watch& watch);

/// What every answer about sizes needs: a batch that does not follow from the GPUs, and tokens
/// where targets are of runs.
Result<void> checkSizeJobs(std::span<const Question> jobs, const SizeAsk& ask);

}  // namespace fabricast
