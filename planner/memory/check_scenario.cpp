#include "planner/memory/check_memory.h"
#include "planner/spec/check_settings.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kMostRanks = 10'000'000;
constexpr std::int64_t kMostSequence = 100'000'000;
constexpr std::int64_t kMostBatch = 1'000'000'000;
/// Bytes of the largest single tensor; a stage of many such still fits 64 bits.
constexpr double kMostTensorBytes = 1e15;

Result<void> refuse(std::string where, std::string why, std::string hint = {}) {
    return fail(Error::Code::BadInput, std::move(where), std::move(why), std::move(hint));
}

Result<void> inRange(const char* where, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most) {
        return refuse(
            where, std::to_string(value) + " is out of range", "use 1 to " + std::to_string(most));
    }
    return {};
}

Result<void> divides(const char* where, std::int64_t whole, std::int64_t parts, const char* what) {
    if (whole % parts != 0) {
        return refuse(where,
                      std::to_string(parts) + " does not divide " + what + " (" +
                          std::to_string(whole) + ")");
    }
    return {};
}

Result<void> checkLayout(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::pair<const char*, std::int64_t> axes[] = {{"layout.dp", layout.dp},
                                                         {"layout.tp", layout.tp},
                                                         {"layout.pp", layout.pp},
                                                         {"layout.vpp", layout.vpp},
                                                         {"layout.cp", layout.cp},
                                                         {"layout.ep", layout.ep},
                                                         {"layout.etp", layout.etp}};
    double world = 1;
    for (const auto& [where, value] : axes) {
        FABRICAST_TRY(inRange(where, value, kMostRanks));
        world *= static_cast<double>(value);
    }
    if (world > static_cast<double>(kMostRanks) * static_cast<double>(kMostRanks)) {
        return refuse("layout", "more ranks than any cluster has");
    }
    FABRICAST_TRY(inRange("layout.micro_batch", layout.microBatch, kMostBatch));
    if (layout.shardSize < 0 || layout.scheduleGroup < 0) {
        return refuse("layout", "shard_size and group are not negative");
    }
    if (layout.shardSize > 0) {
        FABRICAST_TRY(divides("layout.shard_size", layout.replicas(), layout.shardSize, "dp x cp"));
    }
    FABRICAST_TRY(divides("layout.ep",
                          layout.world(),
                          layout.pp * layout.ep * layout.etp,
                          "the ranks of a pipeline stage"));
    const std::int64_t chunks = layout.pp * layout.vpp;
    if (chunks > scenario.model.layers + 2) {
        return refuse("layout.pp",
                      std::to_string(chunks) + " model chunks for " +
                          std::to_string(scenario.model.layers) + " layers",
                      "use fewer pipeline stages or chunks");
    }
    return {};
}

Result<void> checkSplits(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    FABRICAST_TRY(divides("layout.cp", scenario.workload.sequence, layout.cp, "the sequence"));
    if (layout.tp > 1) {
        FABRICAST_TRY(divides("layout.tp", model.attention.heads, layout.tp, "attention heads"));
        if (model.mlp.width > 0) {
            FABRICAST_TRY(divides("layout.tp", model.mlp.width, layout.tp, "the MLP's width"));
        }
    }
    if (layout.sp) {
        FABRICAST_TRY(divides("layout.tp",
                              layout.microBatch * (scenario.workload.sequence / layout.cp),
                              layout.tp,
                              "the tokens of a microbatch, as sequence parallelism needs"));
    }
    if (layout.ep > 1 && model.moe) {
        FABRICAST_TRY(divides("layout.ep", model.moe->experts, layout.ep, "the experts"));
    }
    return {};
}

}  // namespace

Result<void> checkScenario(const Scenario& scenario) {
    FABRICAST_TRY(checkModel(scenario.model, "model"));
    FABRICAST_TRY(inRange("workload.sequence", scenario.workload.sequence, kMostSequence));
    FABRICAST_TRY(inRange("workload.global_batch", scenario.workload.globalBatch, kMostBatch));
    FABRICAST_TRY(checkLayout(scenario));
    FABRICAST_TRY(checkSplits(scenario));
    const ModelSpec& model = scenario.model;
    const double tokens = static_cast<double>(scenario.layout.microBatch) *
                          static_cast<double>(scenario.workload.sequence);
    const std::int64_t widest = std::max({model.vocab,
                                          model.hidden,
                                          model.mlp.width,
                                          model.attention.heads * model.attention.keyDim(),
                                          model.attention.heads * model.attention.valueDim(),
                                          model.moe ? model.moe->experts : 0});
    const double experts = model.moe ? static_cast<double>(model.moe->topK) : 1.0;
    if (tokens * static_cast<double>(widest) * experts * 8 > kMostTensorBytes) {
        return refuse("workload.sequence",
                      "a microbatch of this many tokens needs petabytes",
                      "use a smaller micro_batch or sequence");
    }
    return {};
}

}  // namespace fabricast
