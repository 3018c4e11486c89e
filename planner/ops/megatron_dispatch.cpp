#include "planner/ops/megatron_moe.h"

namespace fabricast {

namespace {

constexpr std::int64_t kIndexWidth = 8;

/// Elements of a routing map, and what selects rows by it.
struct Selection {
    std::int64_t tokens = 0;
    std::int64_t experts = 0;
    std::int64_t rows = 0;
    [[nodiscard]] std::int64_t elements() const { return tokens * experts; }
};

TensorId copied(OpBuilder& g, std::string_view name, TensorId x, std::int64_t elements) {
    return g.pointwise(name, {x}, elements, g.info(x).width, {});
}

/// A selection by mask lists where it is true before it copies: two indices a row.
constexpr std::int64_t kWhereBytes = 16;

/// Token rows in the order of the experts, by a sorted list of token indices.
struct Permuted {
    TensorId rows = kNoTensor;
    TensorId order = kNoTensor;
    TensorId mask = kNoTensor;
};

TensorId gatherRows(MegatronCode& m, TensorId tokens, TensorId order, std::int64_t rows) {
    const std::int64_t hidden = m.scenario.model.hidden;
    return m.g.pointwise(
        "index_select", {tokens, order}, rows * hidden, m.g.info(tokens).width, {order});
}

/// Row indices of the tokens that the map sends to each expert in turn.
Permuted permute(MegatronCode& m, const Selection& selection, TensorId tokens, TensorId map) {
    OpBuilder& g = m.g;
    Permuted out;
    out.mask = copied(g, "transpose", map, selection.elements());
    out.order = g.fresh(selection.rows, kIndexWidth, false);
    g.push({.name = "masked_select",
            .inputs = {out.mask},
            .outputs = {out.order},
            .forwardTemps = {kIndexWidth * selection.tokens, kWhereBytes * selection.rows}});
    out.rows = gatherRows(m, tokens, out.order, selection.rows);
    return out;
}

/// The chosen probabilities, in the order of the rows. Both operands are kept.
TensorId selectProbabilities(MegatronCode& m,
                             const Selection& selection,
                             TensorId probabilities,
                             TensorId mask) {
    OpBuilder& g = m.g;
    const std::int64_t width = g.info(probabilities).width;
    const TensorId turned = copied(g, "transpose", probabilities, selection.elements());
    const TensorId out =
        g.pointwise("masked_select", {turned, mask}, selection.rows, width, {turned, mask});
    g.last().forwardTemps = {kWhereBytes * selection.rows};
    g.last().backwardTemps = {kIndexWidth * selection.elements()};
    return out;
}

/// The same where every expert takes exactly its capacity: by index, with no mask kept.
Permuted permuteToCapacity(MegatronCode& m,
                           const Selection& selection,
                           TensorId tokens,
                           TensorId map) {
    OpBuilder& g = m.g;
    Permuted out;
    out.order = g.fresh(selection.rows, kIndexWidth, false);
    g.push({.name = "argsort",
            .inputs = {map},
            .outputs = {out.order},
            .forwardTemps = {(kIndexWidth + 2) * selection.elements()}});
    out.mask = g.fresh(selection.rows, kIndexWidth, false);
    g.push({.name = "flat_indices", .inputs = {out.order}, .outputs = {out.mask}});
    out.rows = gatherRows(m, tokens, out.order, selection.rows);
    return out;
}

TensorId selectByIndex(MegatronCode& m,
                       const Selection& selection,
                       TensorId probabilities,
                       TensorId indices) {
    OpBuilder& g = m.g;
    const TensorId turned = copied(g, "transpose", probabilities, selection.elements());
    return g.pointwise(
        "index_select", {turned, indices}, selection.rows, g.info(probabilities).width, {indices});
}

TensorId allToAll(MegatronCode& m, TensorId x, std::int64_t elements) {
    if (m.shape.ep == 1) {
        return x;
    }
    const TensorId out = copied(m.g, "all_to_all", x, elements);
    m.g.last().kind = OpKind::Collective;
    return out;
}

TensorId gatherTensor(MegatronCode& m, TensorId x, std::int64_t parts) {
    if (parts == 1) {
        return x;
    }
    const TensorId out = copied(m.g, "all_gather", x, m.g.info(x).elements * parts);
    m.g.last().kind = OpKind::Collective;
    return out;
}

/// Partial sums are scattered in the router's type.
TensorId scatterTensor(MegatronCode& m, TensorId x, std::int64_t parts) {
    if (parts == 1) {
        return x;
    }
    const std::int64_t width = m.g.info(x).width;
    const TensorId wide = m.g.cast(x, std::max(width, routerWidth(m)));
    const TensorId out = copied(m.g, "reduce_scatter", wide, m.g.info(x).elements / parts);
    m.g.last().kind = OpKind::Collective;
    return m.g.cast(out, width);
}

/// Rows grouped by the rank they come from, grouped by expert instead; and back.
TensorId sortChunks(MegatronCode& m, const MoeShape& shape, TensorId x) {
    return shape.localExperts == 1 ? x : copied(m.g, "sort_chunks", x, m.g.info(x).elements);
}

/// The layer's input seen as rows: its gradient comes back as a view.
TensorId asRows(MegatronCode& m, TensorId x) {
    const TensorId rows = m.g.viewOf(x, m.g.info(x).elements);
    m.g.push({.kind = OpKind::Copy,
              .name = "view",
              .inputs = {x},
              .outputs = {rows},
              .passesGradient = true,
              .viewsGradient = true});
    return rows;
}

void keepAttributes(MegatronCode& m, const TensorIds& variables) {
    m.g.push(
        {.kind = OpKind::Copy, .name = "dispatcher", .inputs = variables, .attributes = variables});
}

Dispatched dispatchAllToAll(MegatronCode& m,
                            const MoeShape& shape,
                            TensorId x,
                            const Routing& routing) {
    OpBuilder& g = m.g;
    const std::int64_t hidden = m.scenario.model.hidden;
    const Selection selection{shape.tokens, shape.experts, shape.sent};
    keepAttributes(m, {routing.probabilities, routing.map});
    g.push({.name = "count_tokens",
            .inputs = {routing.map},
            .forwardTemps = {kIndexWidth * selection.elements()}});
    const TensorId flat = asRows(m, x);
    const bool padded = m.scenario.settings.kernels.padToCapacity;
    const Permuted permuted = padded ? permuteToCapacity(m, selection, flat, routing.map)
                                     : permute(m, selection, flat, routing.map);
    const TensorId chosen =
        padded ? selectByIndex(m, selection, routing.probabilities, permuted.mask)
               : selectProbabilities(m, selection, routing.probabilities, permuted.mask);
    keepAttributes(m, {permuted.order});
    const TensorId arrived = allToAll(m, permuted.rows, shape.received * hidden);
    const TensorId weights = allToAll(m, chosen, shape.received);
    Dispatched out;
    out.order = permuted.order;
    out.variables = {permuted.rows, arrived, weights};
    const TensorId gathered = gatherTensor(m, arrived, m.shape.etp);
    const TensorId gatheredWeights = gatherTensor(m, weights, m.shape.etp);
    out.tokens = sortChunks(m, shape, gathered);
    out.probabilities = sortChunks(m, shape, gatheredWeights);
    g.holdUntilHere({gathered, gatheredWeights});
    return out;
}

/// Tokens, probabilities and map of all ranks are gathered; each rank takes its experts' share.
Dispatched dispatchAllGather(MegatronCode& m,
                             const MoeShape& shape,
                             TensorId x,
                             const Routing& routing) {
    OpBuilder& g = m.g;
    const std::int64_t ranks = m.shape.ep * m.shape.etp;
    const std::int64_t hidden = m.scenario.model.hidden;
    const Selection local{shape.tokens * ranks, shape.localExperts, shape.rows};
    const TensorId flat = asRows(m, x);
    const TensorId map = gatherTensor(m, routing.map, ranks);
    const TensorId probabilities = gatherTensor(m, routing.probabilities, ranks);
    TensorId tokens = flat;
    if (ranks > 1) {  // into the scratch buffer, and its gradient out of it
        g.useScratch(local.tokens * hidden * g.info(x).width);
        tokens = g.viewOf(flat, local.tokens * hidden);
        g.push({.kind = OpKind::Collective,
                .name = "all_gather",
                .inputs = {flat},
                .outputs = {tokens},
                .gradientInScratch = true});
    }
    const TensorId localMap = copied(g, "contiguous", map, local.elements());
    const TensorId localProbabilities = copied(g, "contiguous", probabilities, local.elements());
    g.push({.name = "count_tokens",
            .inputs = {localMap},
            .forwardTemps = {kIndexWidth * local.elements()}});
    Permuted permuted = permute(m, local, tokens, localMap);
    const TensorId mask = copied(g, "transpose", localMap, local.elements());
    const TensorId chosen = selectProbabilities(m, local, localProbabilities, mask);
    g.holdUntilHere({localProbabilities, map});
    keepAttributes(m, {localMap, permuted.order, chosen});
    Dispatched out;
    out.order = permuted.order;
    out.tokens = permuted.rows;
    out.probabilities = chosen;
    out.variables = {probabilities, routing.map};
    return out;
}

/// Rows are added back to where they came from.
TensorId unpermute(MegatronCode& m, TensorId rows, TensorId order, std::int64_t tokens) {
    return m.g.pointwise("scatter_add",
                         {rows, order},
                         tokens * m.scenario.model.hidden,
                         m.g.info(rows).width,
                         {order});
}

}  // namespace

Dispatched dispatchTokens(MegatronCode& m,
                          const MoeShape& shape,
                          TensorId x,
                          const Routing& routing) {
    return m.scenario.settings.kernels.dispatcher == Dispatcher::AllToAll
               ? dispatchAllToAll(m, shape, x, routing)
               : dispatchAllGather(m, shape, x, routing);
}

TensorId combineTokens(MegatronCode& m,
                       const MoeShape& shape,
                       TensorId output,
                       const Dispatched& dispatched) {
    OpBuilder& g = m.g;
    if (m.scenario.settings.kernels.dispatcher == Dispatcher::AllGather) {
        const std::int64_t ranks = m.shape.ep * m.shape.etp;
        const TensorId whole = unpermute(m, output, dispatched.order, shape.tokens * ranks);
        return scatterTensor(m, whole, ranks);
    }
    const TensorId sorted = sortChunks(m, shape, output);
    const TensorId reduced = scatterTensor(m, sorted, m.shape.etp);
    g.holdUntilHere({sorted, output});
    const TensorId returned = allToAll(m, reduced, shape.sent * m.scenario.model.hidden);
    return unpermute(m, returned, dispatched.order, shape.tokens);
}

}  // namespace fabricast
