#include "planner/ops/megatron_layer.h"

namespace fabricast {

namespace {

constexpr std::int64_t kAngleBytes = 4;

/// Every matrix before the heads, in the order the module registers them.
struct LatentWeights {
    int queryDown = -1;  ///< -1: queries come straight from the hidden states
    int query = -1;
    int down = -1;
    int up = -1;
};

/// Sizes of one rank's share.
struct LatentShape {
    const AttentionSpec& attention;
    std::int64_t heads = 0;
    std::int64_t tokens = 0;
    std::int64_t downSplit = 1;  ///< ranks over which the down projections' columns are split

    [[nodiscard]] std::int64_t queryColumns() const { return heads * attention.keyDim(); }
    [[nodiscard]] std::int64_t upColumns() const {
        return heads * (attention.qkNopeDim + attention.vHeadDim);
    }
    [[nodiscard]] std::int64_t downColumns() const {
        return attention.kvLoraRank + attention.qkRopeDim;
    }
};

LatentShape latentShape(const MegatronCode& m) {
    return {.attention = m.scenario.model.attention,
            .heads = m.shape.heads,
            .tokens = m.shape.tokens,
            .downSplit = m.fusedModules() ? 1 : m.shape.tp};
}

LatentWeights latentWeights(MegatronCode& m, const LatentShape& shape) {
    const std::int64_t hidden = m.scenario.model.hidden;
    const AttentionSpec& attention = shape.attention;
    LatentWeights weights;
    if (attention.qLoraRank > 0) {
        weights.queryDown = megatronWeight(m,
                                           {.name = "linear_q_down_proj",
                                            .inputs = hidden,
                                            .outputs = attention.qLoraRank / shape.downSplit});
        weights.query = megatronWeight(m,
                                       {.name = "linear_q_up_proj",
                                        .inputs = attention.qLoraRank,
                                        .outputs = shape.queryColumns()});
    } else {
        weights.query = megatronWeight(
            m, {.name = "linear_q_proj", .inputs = hidden, .outputs = shape.queryColumns()});
    }
    weights.down = megatronWeight(m,
                                  {.name = "linear_kv_down_proj",
                                   .inputs = hidden,
                                   .outputs = shape.downColumns() / shape.downSplit});
    weights.up = megatronWeight(m,
                                {.name = "linear_kv_up_proj",
                                 .inputs = attention.kvLoraRank,
                                 .outputs = shape.upColumns()});
    return weights;
}

/// Transformer Engine's down projections are whole on every rank and see only its own tokens; the
/// others are split by columns and gathered.
TensorId downProject(
    MegatronCode& m, const LatentShape& shape, TensorId x, int weight, std::int64_t columns) {
    if (!m.fusedModules()) {
        const TensorId part = columnParallel(m, x, weight, columns / shape.downSplit);
        return shape.downSplit > 1 ? gatherColumns(m, part) : part;
    }
    const TensorId out = m.g.linear(x, weight, m.shape.localTokens * columns);
    markSaved(m);
    return out;
}

TensorId queryLatent(MegatronCode& m, const LatentShape& shape, TensorId x, int weight) {
    const TensorId latent = downProject(m, shape, x, weight, shape.attention.qLoraRank);
    return m.shape.sp && !m.fusedModules() ? scatterRows(m, latent) : latent;
}

/// The latent of keys and values, and the rotated key that all heads share.
struct KeyLatent {
    TensorId combined = kNoTensor;
    TensorId latent = kNoTensor;
    TensorId shared = kNoTensor;
};
KeyLatent keyLatent(MegatronCode& m, const LatentShape& shape, TensorId x, int weight) {
    OpBuilder& g = m.g;
    const AttentionSpec& attention = shape.attention;
    KeyLatent keys;
    keys.combined = downProject(m, shape, x, weight, shape.downColumns());
    const std::int64_t rows = g.info(keys.combined).elements / shape.downColumns();
    const auto parts =
        g.split(keys.combined, {rows * attention.kvLoraRank, rows * attention.qkRopeDim});
    keys.latent = parts[0];
    keys.shared = parts[1];
    if (!m.shape.sp) {
        return keys;
    }
    const std::int64_t width = g.info(x).width;
    if (m.fusedModules()) {
        keys.shared =
            g.pointwise("all_gather", {keys.shared}, shape.tokens * attention.qkRopeDim, width, {});
    } else {  // the rows of a strided view are copied
        keys.latent = g.pointwise(
            "scatter", {keys.latent}, m.shape.localTokens * attention.kvLoraRank, width, {});
    }
    return keys;
}

TensorId expandToHeads(MegatronCode& m, TensorId shared) {
    const TensorId all = m.g.viewOf(shared, m.g.info(shared).elements * m.shape.heads);
    m.g.push({.kind = OpKind::Copy, .name = "expand", .inputs = {shared}, .outputs = {all}});
    return all;
}

/// The layer's table of angles. Layers of one list read one table: only its size matters.
TensorId anglesOf(MegatronCode& m) {
    if (m.angles == kNoTensor) {
        m.angles =
            m.g.external(m.shape.sequence * m.scenario.model.attention.qkRopeDim, kAngleBytes);
        m.g.ownBuffer(m.angles);
    }
    return m.angles;
}

/// Both parts of each head are copied side by side around the rotation.
Heads writtenHeads(MegatronCode& m, const LatentShape& shape, TensorId q, TensorId kv, TensorId k) {
    OpBuilder& g = m.g;
    const AttentionSpec& attention = shape.attention;
    const std::int64_t perColumn = shape.tokens * shape.heads;
    const auto query =
        g.split(q, {perColumn * attention.qkNopeDim, perColumn * attention.qkRopeDim});
    const auto keyValue =
        g.split(kv, {perColumn * attention.qkNopeDim, perColumn * attention.vHeadDim});
    const RotaryShape rotary{.dim = attention.qkRopeDim, .reorders = true, .angles = {anglesOf(m)}};
    const TensorId turnedQuery = rotaryWritten(m, query[1], rotary);
    const TensorId turnedKey = rotaryWritten(m, k, rotary);
    Heads heads;
    heads.q = joined(m, {query[0], turnedQuery});
    heads.k = joined(m, {keyValue[0], expandToHeads(m, turnedKey)});
    heads.v = g.pointwise(
        "contiguous", {keyValue[1]}, g.info(keyValue[1]).elements, g.info(kv).width, {});
    g.last().passesGradient = true;
    g.holdUntilHere({turnedKey, q, turnedQuery, kv});
    return heads;
}

/// Transformer Engine rotates queries in place and writes keys and values with one kernel.
Heads fusedHeads(MegatronCode& m, const LatentShape& shape, TensorId q, TensorId kv, TensorId k) {
    OpBuilder& g = m.g;
    const std::int64_t width = g.info(q).width;
    const std::int64_t perColumn = shape.tokens * shape.heads;
    Heads heads;
    heads.q = g.viewOf(q, g.info(q).elements);
    g.push({.name = "rope", .inputs = {q}, .outputs = {heads.q}, .inPlaceBackward = true});
    heads.k = g.fresh(perColumn * shape.attention.keyDim(), width);
    heads.v = g.fresh(perColumn * shape.attention.vHeadDim, width);
    g.push({.name = "rope", .inputs = {kv, k}, .outputs = {heads.k, heads.v}});
    return heads;
}

}  // namespace

AttentionOutput megatronLatentAttention(MegatronCode& m, TensorId x) {
    OpBuilder& g = m.g;
    const LatentShape shape = latentShape(m);
    const AttentionSpec& attention = shape.attention;
    const std::int64_t hidden = m.scenario.model.hidden;
    const int projection = megatronWeight(
        m, {.name = "linear_proj", .inputs = shape.heads * attention.vHeadDim, .outputs = hidden});
    const LatentWeights weights = latentWeights(m, shape);
    TensorId query = x;
    if (weights.queryDown >= 0) {
        query = queryLatent(m, shape, x, weights.queryDown);
    }
    const KeyLatent keys = keyLatent(m, shape, x, weights.down);
    if (weights.queryDown >= 0) {
        query = megatronNorm(m, query, "q_layernorm", attention.qLoraRank);
    }
    const TensorId latent = megatronNorm(m, keys.latent, "kv_layernorm", attention.kvLoraRank);
    if (g.info(keys.latent).base != keys.latent) {
        readThroughCopy(m, keys.latent);
    }
    const int rising = g.openBlock(m.recomputes("mla_up_proj"));
    const TensorId q = columnParallel(m, query, weights.query, shape.queryColumns());
    const TensorId kv = columnParallel(m, latent, weights.up, shape.upColumns());
    const Heads heads = m.fusesRope() ? fusedHeads(m, shape, q, kv, keys.shared)
                                      : writtenHeads(m, shape, q, kv, keys.shared);
    g.closeBlock(rising);
    g.holdUntilHere({keys.combined});
    const int core = g.openBlock(m.recomputes("core_attn"));
    const TensorId attended = coreAttention(m, heads);
    g.closeBlock(core);
    g.discardOutputs(rising);
    return {.out = rowParallel(m, attended, projection, hidden)};
}

}  // namespace fabricast
