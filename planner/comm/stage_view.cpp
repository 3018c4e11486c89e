#include "planner/comm/collective_groups.h"
#include "planner/spec/check_settings.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostRanks = 10'000'000;
constexpr std::int64_t kMostSequence = 100'000'000;
constexpr std::int64_t kMostBatch = 1'000'000'000;
/// Elements of the largest single tensor.
constexpr double kMostElements = 1e15;

struct Bounded {
    const char* where;
    std::int64_t value;
    std::int64_t most;
};

Result<void> inRange(std::initializer_list<Bounded> numbers) {
    for (const auto& [where, value, most] : numbers) {
        if (value < 1 || value > most) {
            return fail(Error::Code::BadInput,
                        where,
                        std::to_string(value) + " is out of range",
                        "use 1 to " + std::to_string(most));
        }
    }
    return {};
}

Result<void> divides(const char* where, std::int64_t whole, std::int64_t parts, const char* what) {
    if (whole % parts == 0) {
        return {};
    }
    return fail(
        Error::Code::BadInput,
        where,
        std::to_string(parts) + " does not divide " + what + " (" + std::to_string(whole) + ")");
}

Result<void> checkRanks(const Layout& layout) {
    FABRICAST_TRY(inRange({{"layout.dp", layout.dp, kMostRanks},
                           {"layout.tp", layout.tp, kMostRanks},
                           {"layout.pp", layout.pp, kMostRanks},
                           {"layout.vpp", layout.vpp, kMostRanks},
                           {"layout.cp", layout.cp, kMostRanks},
                           {"layout.ep", layout.ep, kMostRanks},
                           {"layout.etp", layout.etp, kMostRanks},
                           {"layout.micro_batch", layout.microBatch, kMostBatch}}));
    double world = 1;
    for (const std::int64_t axis : {layout.dp, layout.tp, layout.pp, layout.cp}) {
        world *= static_cast<double>(axis);
    }
    if (world > static_cast<double>(kMostRanks)) {
        return fail(Error::Code::BadInput, "layout", "more ranks than any cluster has");
    }
    if (layout.shardSize < 0) {
        return fail(Error::Code::BadInput, "layout.shard_size", "it is not negative");
    }
    if (layout.shardSize > 0) {
        FABRICAST_TRY(divides("layout.shard_size", layout.replicas(), layout.shardSize, "dp x cp"));
    }
    const double experts = static_cast<double>(layout.ep) * static_cast<double>(layout.etp);
    if (experts > static_cast<double>(kMostRanks)) {
        return fail(Error::Code::BadInput, "layout.ep", "more ranks than any cluster has");
    }
    return divides("layout.ep",
                   layout.world() / layout.pp,
                   layout.ep * layout.etp,
                   "the ranks of a pipeline stage");
}

Result<void> checkSplits(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    FABRICAST_TRY(divides("layout.cp", scenario.workload.sequence, layout.cp, "the sequence"));
    FABRICAST_TRY(divides("layout.tp", model.attention.heads, layout.tp, "the attention heads"));
    FABRICAST_TRY(divides("layout.tp", model.mlp.width, layout.tp, "the MLP's width"));
    if (layout.sp) {
        FABRICAST_TRY(divides("layout.tp",
                              layout.microBatch * (scenario.workload.sequence / layout.cp),
                              layout.tp,
                              "the tokens of a microbatch"));
    }
    if (model.moe) {
        FABRICAST_TRY(divides("layout.ep", model.moe->experts, layout.ep, "the experts"));
        FABRICAST_TRY(
            divides("layout.etp", model.moe->expertWidth, layout.etp, "an expert's width"));
    }
    FABRICAST_TRY(divides("workload.global_batch",
                          scenario.workload.globalBatch,
                          layout.microBatch * layout.dp,
                          "the global batch"));
    return divides("settings.pipeline.passes",
                   scenario.microBatches(),
                   scenario.settings.pipeline.passes,
                   "the microbatches of a step");
}

/// What all layers of a step move is counted in 64 bits, with room for several bytes and passes.
Result<void> checkBytesOfStep(const Scenario& scenario, double elementsOfLayer) {
    constexpr double kTimes = 64;
    constexpr double kMostBytes = 9e18;
    const double ofBatch = elementsOfLayer * static_cast<double>(scenario.model.layers) * kTimes;
    if (ofBatch * static_cast<double>(scenario.microBatches()) <= kMostBytes) {
        return {};
    }
    const auto most = static_cast<std::int64_t>(kMostBytes / ofBatch);
    const std::int64_t passes = scenario.settings.pipeline.passes;
    const std::int64_t samples =
        most / passes * passes * scenario.layout.microBatch * scenario.layout.dp;
    return fail(Error::Code::BadInput,
                "workload.global_batch",
                "the communication of this many samples is too large to count",
                samples > 0 ? "--global-batch " + std::to_string(samples)
                            : "use a smaller micro_batch or sequence");
}

/// Whether the model and the layout divide, and every size stays far inside 64 bits.
Result<void> checkShape(const Scenario& scenario) {
    const ModelSpec& model = scenario.model;
    FABRICAST_TRY(checkModel(model, "model"));
    FABRICAST_TRY(checkRanks(scenario.layout));
    FABRICAST_TRY(inRange({{"workload.sequence", scenario.workload.sequence, kMostSequence},
                           {"workload.global_batch", scenario.workload.globalBatch, kMostBatch},
                           {"settings.pipeline.passes", scenario.settings.pipeline.passes, 1000}}));
    FABRICAST_TRY(checkSplits(scenario));
    const std::int64_t widest = std::max({model.vocab,
                                          model.hidden,
                                          model.mlp.width,
                                          model.attention.heads * model.attention.keyDim(),
                                          model.attention.heads * model.attention.valueDim(),
                                          model.moe ? model.moe->experts : 0});
    const double tokens = static_cast<double>(scenario.layout.microBatch) *
                          static_cast<double>(scenario.workload.sequence);
    const double perToken =
        static_cast<double>(widest) * (model.moe ? static_cast<double>(model.moe->topK) : 1.0);
    if (tokens * perToken > kMostElements) {
        return fail(Error::Code::BadInput,
                    "workload.sequence",
                    "the communication of this many tokens is too large to count",
                    "use a smaller micro_batch or sequence");
    }
    return checkBytesOfStep(scenario, tokens * perToken);
}

}  // namespace

Result<StageView> stageView(const Scenario& scenario, CommRank rank) {
    FABRICAST_TRY(checkShape(scenario));
    const Layout& layout = scenario.layout;
    if (rank.stage < 0 || rank.stage >= layout.pp || rank.tensorRank < 0 ||
        rank.tensorRank >= layout.tp) {
        return fail(Error::Code::BadInput,
                    "rank",
                    "stage " + std::to_string(rank.stage) + " and tensor rank " +
                        std::to_string(rank.tensorRank) + " are not in this layout");
    }
    if (layout.schedule == ScheduleKind::DualPipe && layout.pp > 1) {
        return fail(Error::Code::Unsupported,
                    "layout.schedule",
                    "no stack runs bidirectional pipelines",
                    "schedule=dualpipe_v");
    }
    FABRICAST_ASSIGN(StageShape held, stageShape(scenario, rank.stage, rank.tensorRank));
    StageView view{std::move(held)};
    view.logs = rank.logs;
    view.shape = rankShape(scenario);
    view.microBatches = scenario.microBatches();
    view.passes = layout.pp > 1 ? scenario.settings.pipeline.passes : view.microBatches;
    view.compute = wireType(scenario.settings.precision.compute);
    view.reduce = wireType(scenario.settings.precision.reduce);
    if (view.shardsContext) {
        view.shardGroup = GroupKind::Context;
        view.copyGroup = GroupKind::Data;
    }
    return view;
}

WireType wireType(Dtype type) {
    switch (type) {
        case Dtype::Fp32:
            return WireType::Fp32;
        case Dtype::Bf16:
            return WireType::Bf16;
        case Dtype::Fp16:
            return WireType::Fp16;
        case Dtype::Fp8:
            return WireType::Fp8;
        case Dtype::Int8:
        case Dtype::Fp4:
        case Dtype::Nf4:
            return WireType::Uint8;
    }
    return WireType::Bf16;
}

void add(Calls& calls, const CommCall& call) {
    constexpr std::size_t kUsual = 1024 / sizeof(CommCall);  // what malloc has at hand
    if (call.count() > 0 && call.elements > 0) {
        if (calls.empty()) {
            calls.reserve(kUsual);
        }
        calls.push_back(call);
    }
}

void append(Calls& calls, const Calls& more) {
    calls.insert(calls.end(), more.begin(), more.end());
}

}  // namespace fabricast
