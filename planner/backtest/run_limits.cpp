#include "planner/backtest/run_limits.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace fabricast {

namespace {

struct Limit {
    const char* column;
    std::optional<std::int64_t> PublishedRun::*count;
    std::int64_t most;
};
constexpr Limit kLimits[] = {{"layers", &PublishedRun::layers, 4'096},
                             {"hidden", &PublishedRun::hidden, 1'000'000},
                             {"ffn", &PublishedRun::width, 10'000'000},
                             {"heads", &PublishedRun::heads, 100'000},
                             {"kv_heads", &PublishedRun::kvHeads, 100'000},
                             {"vocab", &PublishedRun::vocab, 100'000'000},
                             {"seq", &PublishedRun::sequence, 100'000'000},
                             {"gpus", &PublishedRun::gpus, 1'000'000},
                             {"gpus_per_node", &PublishedRun::gpusPerNode, 4'096},
                             {"dp", &PublishedRun::dp, 1'000'000},
                             {"tp", &PublishedRun::tp, 4'096},
                             {"pp", &PublishedRun::pp, 1'024},
                             {"vpp", &PublishedRun::vpp, 1'024},
                             {"cp", &PublishedRun::cp, 100'000},
                             {"ep", &PublishedRun::ep, 100'000},
                             {"etp", &PublishedRun::etp, 4'096},
                             {"micro_batch", &PublishedRun::microBatch, 100'000},
                             {"global_batch", &PublishedRun::globalBatch, 100'000'000},
                             {"grad_accum", &PublishedRun::accumulation, 100'000}};
/// Of a step: stages of all ranks times microbatches.
constexpr std::int64_t kMostActions = 4'000'000;

}  // namespace

Result<void> checkLimits(const PublishedRun& run) {
    for (const Limit& limit : kLimits) {
        if (const auto& count = run.*limit.count; count && *count > limit.most) {
            return fail(Error::Code::BadInput,
                        limit.column,
                        std::to_string(*count) + " is more than the " + std::to_string(limit.most) +
                            " that a run may have");
        }
    }
    const std::int64_t round = std::max<std::int64_t>(1, run.microBatch.value_or(1)) *
                               std::max<std::int64_t>(1, run.dp.value_or(1));
    const std::int64_t microBatches =
        run.globalBatch ? *run.globalBatch / round : run.accumulation.value_or(1);
    const std::int64_t stages = run.pp.value_or(1) * std::max<std::int64_t>(1, run.vpp.value_or(1));
    if (microBatches > kMostActions / std::max<std::int64_t>(1, stages)) {
        return fail(Error::Code::Unsupported,
                    "global_batch",
                    std::to_string(microBatches) + " microbatches of " + std::to_string(stages) +
                        " stages are more than a schedule may have");
    }
    return {};
}

}  // namespace fabricast
