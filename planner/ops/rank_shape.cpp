#include "planner/ops/rank_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace fabricast {

RankShape rankShape(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    RankShape shape;
    shape.batch = layout.microBatch;
    shape.fullSequence = scenario.workload.sequence;
    shape.sequence = scenario.workload.sequence / layout.cp;
    shape.tokens = shape.batch * shape.sequence;
    shape.tp = layout.tp;
    shape.sp = layout.sp && layout.tp > 1;
    shape.localTokens = shape.sp ? shape.tokens / layout.tp : shape.tokens;
    shape.cp = layout.cp;
    shape.ep = layout.ep;
    shape.etp = layout.etp;
    shape.heads = model.attention.heads / layout.tp;
    shape.kvHeads = std::max<std::int64_t>(1, model.attention.kvHeads / layout.tp);
    shape.width = model.mlp.width / layout.tp;
    return shape;
}

namespace {

Result<void> shared(const char* key, std::int64_t ranks, std::int64_t whole, const char* what) {
    if (ranks <= whole) {
        return {};
    }
    return fail(Error::Code::BadInput,
                std::string("layout.") + key,
                std::to_string(ranks) + " ranks cannot share " + std::to_string(whole) + " " + what,
                std::string(key) + " of at most " + std::to_string(whole));
}

}  // namespace

Result<void> checkRankShape(const Scenario& scenario, std::int64_t layer) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    const RankShape shape = rankShape(scenario);
    FABRICAST_TRY(shared("tp", layout.tp, model.attention.heads, "attention heads"));
    FABRICAST_TRY(shared("cp", layout.cp, scenario.workload.sequence, "tokens of a sequence"));
    if (shape.sp) {
        FABRICAST_TRY(shared("tp", layout.tp, shape.tokens, "tokens"));
    }
    return model.isSparse(layer)
               ? shared("etp", layout.etp, model.moe->expertWidth, "columns of an expert")
               : shared("tp", layout.tp, model.mlp.width, "columns of the MLP");
}

namespace {

/// Rows that one expert takes from one rank: ceil(tokens · topK / experts · factor).
std::int64_t capacityOf(const MoeShape& shape, double factor) {
    const double even =
        static_cast<double>(shape.tokens * shape.topK) / static_cast<double>(shape.experts);
    return static_cast<std::int64_t>(std::ceil(even * factor));
}

}  // namespace

MoeShape moeShape(const Scenario& scenario) {
    const MoeSpec& moe = *scenario.model.moe;
    const KernelSettings& kernels = scenario.settings.kernels;
    const RankShape rank = rankShape(scenario);
    MoeShape shape;
    shape.tokens = rank.localTokens;
    shape.experts = moe.experts;
    shape.topK = moe.topK;
    shape.localExperts = std::max<std::int64_t>(1, moe.experts / rank.ep);
    shape.width = moe.expertWidth / rank.etp;
    shape.sharedWidth = moe.sharedWidth / rank.tp;
    shape.sent = shape.tokens * shape.topK;
    if (kernels.capacityFactor > 0) {
        shape.capacity = capacityOf(shape, kernels.capacityFactor);
        const std::int64_t most = shape.experts * shape.capacity;
        shape.sent = kernels.padToCapacity ? most : std::min(shape.sent, most);
    }
    const bool uneven = rank.ep > 1 && !kernels.padToCapacity;
    const double share = static_cast<double>(shape.sent) / static_cast<double>(rank.ep);
    // Even halves round to even, as the frameworks' Python does.
    auto mine =
        static_cast<std::int64_t>(std::nearbyint(share * (uneven ? kernels.imbalance : 1.0)));
    if (kernels.capacityFactor > 0) {
        mine = std::min(mine, shape.localExperts * shape.capacity);
    }
    shape.received = mine * rank.ep;
    shape.rows = shape.received * rank.etp;
    std::int64_t before = 0;
    for (std::int64_t expert = 1; expert <= shape.localExperts; ++expert) {
        const std::int64_t until = mine * expert / shape.localExperts;
        shape.perExpert.push_back((until - before) * rank.ep * rank.etp);
        before = until;
    }
    return shape;
}

}  // namespace fabricast
