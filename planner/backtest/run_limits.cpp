#include "planner/backtest/run_readings.h"

#include <algorithm>
#include <array>
#include <charconv>
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
/// What was measured, and a rate, lies within these, or its unit is another. Some write a
/// measurement that was not made as 0.
struct MeasuredRange {
    const char* column;
    std::optional<double> PublishedRun::*number;
    double least;
    double most;
    bool mayBeZero = true;
};
constexpr MeasuredRange kMeasuredRanges[] = {
    {"measured_step_s", &PublishedRun::stepSeconds, 1e-6, 1e7},
    {"measured_tokens_s_gpu", &PublishedRun::tokensPerGpu, 1e-4, 1e9},
    {"measured_mem_gib", &PublishedRun::memoryGib, 1e-3, 1e6},
    {"nic_gbps_per_gpu", &PublishedRun::nicGbpsPerGpu, 1e-1, 1e4, false}};

/// Of a step: stages of all ranks times microbatches.
constexpr std::int64_t kMostActions = 4'000'000;

std::string shortText(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

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
    for (const MeasuredRange& range : kMeasuredRanges) {
        const std::optional<double>& number = run.*range.number;
        const bool isUnsaid = !number || (*number == 0 && range.mayBeZero);
        if (!isUnsaid && !(*number >= range.least && *number <= range.most)) {
            return fail(
                Error::Code::BadInput,
                range.column,
                "is not between " + shortText(range.least) + " and " + shortText(range.most),
                "leave the cell empty where it is not known");
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
