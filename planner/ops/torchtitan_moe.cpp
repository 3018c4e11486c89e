#include "planner/ops/dense_layer.h"
#include "planner/ops/rank_shape.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::int64_t kTitanIndexBytes = 8;
constexpr std::int64_t kRouterBytes = 4;  ///< scores are fp32
/// Rows of an expert come in multiples of these for torchao's grouped GEMMs in 8 bits.
constexpr std::int64_t kFp8Rows = 16;
constexpr std::int64_t kMxFp8Rows = 32;
constexpr std::int64_t kPaddedIndexBytes = 4;

/// Rows on one rank: what it routes, and what its experts receive.
struct TitanRows {
    std::int64_t tokens = 0;    ///< that this rank routes
    std::int64_t sent = 0;      ///< tokens · topK
    std::int64_t received = 0;  ///< by the local experts
    std::int64_t padded = 0;    ///< the same with what fills each expert's up; 0: nothing does
    std::int64_t experts = 0;   ///< local ones
    std::int64_t width = 0;     ///< local columns of an expert
    bool exchanged = false;     ///< expert parallelism: all-to-alls around the experts
};

/// torchao pads for the worst case: a whole multiple for every expert.
std::int64_t paddedRows(const KernelSettings& kernels, const TitanRows& rows) {
    if (!kernels.quantizedExperts) {
        return 0;
    }
    const std::int64_t multiple =
        kernels.quantization == Quantization::MxFp8 ? kMxFp8Rows : kFp8Rows;
    return (rows.received + (rows.experts + 1) * multiple - 1) / multiple * multiple;
}

/// With expert parallelism each rank routes its own slice of the sequence; without, tensor
/// parallelism gathers the tokens and splits every expert's columns.
TitanRows rowsOf(const Scenario& scenario) {
    const RankShape shape = rankShape(scenario);
    const MoeSpec& moe = *scenario.model.moe;
    TitanRows rows;
    rows.exchanged = shape.ep > 1;
    rows.tokens = rows.exchanged ? shape.localTokens : shape.tokens;
    rows.sent = rows.tokens * moe.topK;
    const double imbalance = rows.exchanged ? scenario.settings.kernels.imbalance : 1.0;
    rows.received = std::llround(static_cast<double>(rows.sent) * imbalance);
    rows.experts = std::max<std::int64_t>(1, moe.experts / shape.ep);
    rows.padded = paddedRows(scenario.settings.kernels, rows);
    rows.width = rows.exchanged ? moe.expertWidth : moe.expertWidth / shape.tp;
    return rows;
}

/// The gate runs under an fp32 autocast: input and weight are cast, and both casts are kept.
TensorId scoresOf(OpBuilder& g, const Scenario& scenario, const TitanRows& rows, TensorId x) {
    const std::int64_t experts = scenario.model.moe->experts;
    const int gate = g.matrix("router.gate", experts, scenario.model.hidden);
    const TensorId wide = g.cast(x, kRouterBytes);
    const TensorId weight = g.fresh(experts * scenario.model.hidden, kRouterBytes, false);
    g.push({.kind = OpKind::Copy, .name = "gate weight in fp32", .outputs = {weight}});
    const bool trained = g.weightAt(gate).trained;
    const bool graph = g.info(wide).requiresGrad;
    const TensorId logits = g.fresh(rows.tokens * experts, kRouterBytes, trained || graph);
    g.push({.kind = OpKind::Gemm,
            .name = "router",
            .inputs = {wide},
            .outputs = {logits},
            .saved = trained ? TensorIds{wide, weight}
                     : graph ? TensorIds{weight}
                             : TensorIds{},
            .weights = {gate},
            .outsideSelective = true});
    const TensorId scores =
        g.pointwise("scores", {logits}, rows.tokens * experts, kRouterBytes, {});
    if (g.info(scores).requiresGrad) {
        g.last().saved = {scores};
    }
    return scores;
}

struct TitanRouting {
    TensorId scores = kNoTensor;   ///< of the chosen experts
    TensorId indices = kNoTensor;  ///< which they are
};

TitanRouting chooseExperts(OpBuilder& g,
                           const Scenario& scenario,
                           const TitanRows& rows,
                           TensorId scores) {
    const TensorId values = g.fresh(rows.sent, kRouterBytes, false);
    const TensorId indices = g.fresh(rows.sent, kTitanIndexBytes, false);
    g.push({.name = "topk", .outputs = {values, indices}, .forwardTemps = {g.info(scores).bytes}});
    TensorId chosen = g.pointwise("gather", {scores}, rows.sent, kRouterBytes, {indices});
    if (scenario.settings.kernels.balancedRouting) {
        // The forced choice replaces the router's: what gathering that one kept goes at once.
        g.last().graphDropped = true;
        const TensorId forced = g.fresh(rows.sent, kTitanIndexBytes, false);
        g.push({.name = "balanced choice", .outputs = {forced}});
        chosen = g.pointwise("gather", {scores}, rows.sent, kRouterBytes, {forced});
    }
    if (scenario.model.family.starts_with("qwen3")) {  // scores are normalised over the chosen
        const TensorId sum = g.pointwise("sum", {chosen}, rows.tokens, kRouterBytes, {});
        chosen = g.pointwise("divide", {chosen, sum}, rows.sent, kRouterBytes, {chosen, sum});
    }
    chosen = g.pointwise("scale", {chosen}, rows.sent, kRouterBytes, {});
    return {chosen, indices};
}

TensorId exchange(OpBuilder& g, TensorId x, std::int64_t rowsOut, std::int64_t hidden) {
    const TensorId out = g.fresh(rowsOut * hidden, g.info(x).width, g.info(x).requiresGrad);
    g.push({.kind = OpKind::Collective, .name = "all_to_all", .inputs = {x}, .outputs = {out}});
    return out;
}

/// A stack of experts, each with so many outputs and columns.
int titanWeight(OpBuilder& g,
                std::string_view name,
                const TitanRows& rows,
                std::int64_t outputs,
                std::int64_t columns) {
    const int weight = g.matrix(name, rows.experts * outputs, columns);
    g.weightAt(weight).expert = rows.exchanged;
    g.weightAt(weight).experts = rows.experts;
    return weight;
}

TensorId titanGrouped(
    OpBuilder& g, TensorId x, int weight, std::int64_t elements, TensorId offsets) {
    const bool trained = g.weightAt(weight).trained;
    const bool graph = g.info(x).requiresGrad;
    const TensorId out = g.fresh(elements, g.info(x).width, trained || graph);
    g.push({.kind = OpKind::GroupedGemm,
            .name = g.weightAt(weight).name,
            .inputs = {x},
            .outputs = {out},
            .saved = trained ? TensorIds{x, offsets}
                     : graph ? TensorIds{offsets}
                             : TensorIds{},
            .weights = {weight}});
    return out;
}

TensorId expertsOf(OpBuilder& g, const Scenario& scenario, const TitanRows& rows, TensorId x) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t received = std::max(rows.received, rows.padded);
    const std::int64_t inner = received * rows.width;
    const TensorId offsets = g.fresh(rows.experts, 4, false);
    g.push({.name = "offsets", .outputs = {offsets}});
    const TensorId gate = g.silu(
        titanGrouped(g, x, titanWeight(g, "experts.w1", rows, rows.width, hidden), inner, offsets));
    const TensorId up =
        titanGrouped(g, x, titanWeight(g, "experts.w3", rows, rows.width, hidden), inner, offsets);
    return titanGrouped(g,
                        g.multiply(gate, up),
                        titanWeight(g, "experts.w2", rows, hidden, rows.width),
                        received * hidden,
                        offsets);
}

/// Rows picked from `x` by an index that is kept.
TensorId pick(
    OpBuilder& g, std::string_view name, TensorId x, TensorId index, std::int64_t elements) {
    return g.pointwise(name, {x}, elements, g.info(x).width, {index});
}

TensorId indexOf(OpBuilder& g,
                 std::string_view name,
                 std::int64_t rows,
                 std::int64_t width = kTitanIndexBytes) {
    const TensorId index = g.fresh(rows, width, false);
    g.push({.name = name, .outputs = {index}});
    return index;
}

/// The experts behind torchao's permutation: a row of zeros is put below the others, for the rows
/// that fill up to read, and taken off afterwards.
TensorId paddedExperts(OpBuilder& g, const Scenario& scenario, const TitanRows& rows, TensorId x) {
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t width = g.info(x).width;
    const TensorId placing = indexOf(g, "permuted indices", rows.padded, kPaddedIndexBytes);
    const TensorId stacked = g.pointwise("vstack", {x}, (rows.received + 1) * hidden, width, {});
    g.last().passesGradient = true;
    g.last().viewsGradient = true;
    const TensorId in = pick(g, "permute", stacked, placing, rows.padded * hidden);
    const TensorId out = expertsOf(g, scenario, rows, in);
    const TensorId back = pick(g, "unpermute", out, placing, (rows.received + 1) * hidden);
    return g.split(back, {rows.received * hidden}).front();
}

/// The experts, with the rows of each brought together where they come from several ranks.
TensorId placedExperts(OpBuilder& g, const Scenario& scenario, const TitanRows& rows, TensorId x) {
    if (rows.padded > 0) {
        return paddedExperts(g, scenario, rows, x);
    }
    if (!rows.exchanged) {
        return expertsOf(g, scenario, rows, x);
    }
    const std::int64_t elements = rows.received * scenario.model.hidden;
    const TensorId placing = indexOf(g, "permuted indices", rows.received);
    const TensorId in = pick(g, "permute", x, placing, elements);
    return pick(g, "unpermute", expertsOf(g, scenario, rows, in), placing, elements);
}

TensorId titanRoutedExperts(OpBuilder& g,
                            const Scenario& scenario,
                            const TitanRows& rows,
                            TensorId x) {
    const std::int64_t hidden = scenario.model.hidden;
    const TitanRouting routing = chooseExperts(g, scenario, rows, scoresOf(g, scenario, rows, x));
    const TensorId sorting = indexOf(g, "argsort", rows.sent);
    const TensorId sortedScores = pick(g, "sorted scores", routing.scores, sorting, rows.sent);
    const TensorId origin = indexOf(g, "token indices", rows.sent);
    TensorId routed = pick(g, "routed input", x, origin, rows.sent * hidden);
    if (rows.exchanged) {
        routed = exchange(g, routed, rows.received, hidden);
    }
    TensorId out = placedExperts(g, scenario, rows, routed);
    if (rows.exchanged) {
        out = exchange(g, out, rows.sent, hidden);
    }
    const TensorId scored =
        g.cast(g.multiply(g.cast(out, kRouterBytes), sortedScores), g.info(x).width);
    return pick(g, "scatter_add", scored, origin, rows.tokens * hidden);
}

TensorId titanSharedExperts(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t width = scenario.model.moe->sharedWidth / shape.tp;
    const TensorId full = gatherSequence(g, shape, x);
    const auto widen = [&](std::string_view name) {
        return g.linear(full, g.weight(name, width * hidden), shape.tokens * width);
    };
    const TensorId gate = g.silu(widen("shared.w1"));
    const TensorId inner = g.multiply(gate, widen("shared.w3"));
    const TensorId out =
        g.linear(inner, g.weight("shared.w2", width * hidden), shape.tokens * hidden);
    return reducePartial(g, shape, out);
}

}  // namespace

TensorId torchtitanMoe(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const TitanRows rows = rowsOf(scenario);
    const TensorId tokens = rows.exchanged ? x : gatherSequence(g, shape, x);
    TensorId routed = titanRoutedExperts(g, scenario, rows, tokens);
    if (!rows.exchanged) {
        routed = reducePartial(g, shape, routed);
    }
    return scenario.model.moe->sharedWidth > 0 ? g.add(routed, titanSharedExperts(g, scenario, x))
                                               : routed;
}

}  // namespace fabricast
