#include "planner/ops/hf_latent_attention.h"

#include "planner/ops/attention_kernels.h"
#include "planner/ops/hf_views.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/rank_shape.h"

namespace fabricast {

namespace {

struct LatentSizes {
    RankShape rank;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;  ///< rows of one head: tokens of all heads
    AttentionSpec attention;
};

TensorId latentNorm(OpBuilder& g, std::string_view name, TensorId x, std::int64_t width) {
    g.enterModule();
    const TensorId out = g.rmsNormFp32(x, g.info(x).elements / width, g.weight(name, width, false));
    g.leaveModule();
    return out;
}

TensorId latentQueries(OpBuilder& g, const Settings& settings, const LatentSizes& s, TensorId x) {
    const AttentionSpec& attention = s.attention;
    const std::int64_t width = s.rank.heads * attention.keyDim();
    if (attention.qLoraRank == 0) {
        return siteLinear(g, settings, {"q_proj", "q", s.hidden, width}, x);
    }
    const std::int64_t rank = attention.qLoraRank;
    const TensorId low =
        siteLinear(g, settings, {"q_a_proj", "q_a", s.hidden, rank, attention.latentBias}, x);
    const TensorId normed = latentNorm(g, "q_a_layernorm", low, rank);
    return siteLinear(g, settings, {"q_b_proj", "q_b", rank, width}, normed);
}

TensorId subtractLatent(OpBuilder& g, TensorId left, TensorId right) {
    const TensorId out =
        g.pointwise("subtract", {left, right}, g.info(left).elements, g.info(left).width, {});
    g.last().passesGradient = true;
    g.last().backwardTemps = {g.info(right).bytes};  // the right one's is negated
    return out;
}

/// Every second column is the real part of a number, the one behind it the imaginary one.
TensorId turnPairs(OpBuilder& g, const Rotary& table, TensorId x) {
    const std::int64_t half = g.info(x).elements / 2;
    const TensorId real = everySecond(g, x, half);
    const TensorId imaginary = everySecond(g, x, half);
    const auto by = [&](TensorId part, TensorId factor) { return g.multiply(part, factor); };
    const TensorId left = subtractLatent(g, by(real, table.first), by(imaginary, table.second));
    const TensorId right = g.add(by(imaginary, table.first), by(real, table.second));
    return g.join({left, right});
}

TurnedPair turnLatent(OpBuilder& g, const Rotary& table, TensorId q, TensorId k) {
    if (table.second == kNoTensor) {
        return turnAsComplex(g, table.first, q, k);
    }
    const TurnedPair out{turnPairs(g, table, q), turnPairs(g, table, k)};
    g.holdUntilHere({out.q});
    return out;
}

/// A new tensor into whose slices the heads' own part and the one part of all heads are copied;
/// backward copies the whole gradient once for each, and the slice.
TensorId latentKeys(OpBuilder& g, const LatentSizes& s, TensorId own, TensorId shared) {
    const std::int64_t width = g.info(own).width;
    const std::int64_t elements = s.heads * s.attention.keyDim();
    const TensorId out = g.pointwise("copy slices", {own, shared}, elements, width, {});
    g.last().backwardTemps = {elements * width};
    return out;
}

TensorId latentKernel(OpBuilder& g, const LatentSizes& s, TensorId q, TensorId k, TensorId v) {
    const AttentionSpec& attention = s.attention;
    if (attention.keyDim() == attention.valueDim()) {
        const TensorId out = g.flashAttention(q,
                                              k,
                                              v,
                                              {.tokens = s.rank.tokens,
                                               .heads = s.rank.heads,
                                               .kvHeads = s.rank.heads,
                                               .headDim = attention.keyDim(),
                                               .valueDim = attention.valueDim(),
                                               .batch = s.rank.batch,
                                               .sequence = s.rank.sequence});
        // Joined queries lie head by head, and so does the kernel's output, which is put in order.
        const TensorInfo made = g.info(out);
        const TensorId ordered = g.pointwise("contiguous", {out}, made.elements, made.width, {});
        g.last().passesGradient = true;
        return ordered;
    }
    if (g.options().autocast) {
        v = g.cast(v, g.options().computeWidth);
        k = g.cast(k, g.options().computeWidth);
        q = g.cast(q, g.options().computeWidth);
    }
    return efficientAttention(g,
                              q,
                              k,
                              v,
                              {.batch = s.rank.batch,
                               .sequence = s.rank.sequence,
                               .heads = s.rank.heads,
                               .keyDim = attention.keyDim(),
                               .valueDim = attention.valueDim()});
}

}  // namespace

TurnedPair turnAsComplex(OpBuilder& g, TensorId table, TensorId q, TensorId k) {
    constexpr std::int64_t kWide = 4;
    const auto product = [&](TensorId x) {
        return g.pointwise("complex_mul", {x, table}, g.info(x).elements, kWide, {table});
    };
    const TensorId wideQ = g.cast(q, kWide);
    const TensorId wideK = g.cast(k, kWide);
    const TensorId outQ = product(wideQ);
    const TensorId outK = product(wideK);
    const TurnedPair out{g.cast(outQ, g.info(q).width), g.cast(outK, g.info(k).width)};
    g.holdUntilHere({wideQ, wideK, outQ, outK, q, k});
    return out;
}

TensorId hfLatentAttention(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const Settings& settings = scenario.settings;
    const AttentionSpec& attention = scenario.model.attention;
    LatentSizes s{.rank = rankShape(scenario), .hidden = scenario.model.hidden};
    s.heads = s.rank.tokens * s.rank.heads;
    s.attention = attention;
    const Rotary table = rotaryTable(g, scenario, s.rank);
    g.enterModule();
    const TensorId all = latentQueries(g, settings, s, x);
    const auto q = g.split(all, {s.heads * attention.qkNopeDim, s.heads * attention.qkRopeDim});
    const std::int64_t low = attention.kvLoraRank + attention.qkRopeDim;
    const TensorId compressed = siteLinear(
        g, settings, {"kv_a_proj_with_mqa", "kv_a", s.hidden, low, attention.latentBias}, x);
    const auto kv = g.split(
        compressed, {s.rank.tokens * attention.kvLoraRank, s.rank.tokens * attention.qkRopeDim});
    const TensorId latent = latentNorm(g, "kv_a_layernorm", kv[0], attention.kvLoraRank);
    const TurnedPair rotated = turnLatent(g, table, q[1], kv[1]);
    const TensorId queries = g.join({q[0], rotated.q});
    const std::int64_t each = attention.qkNopeDim + attention.vHeadDim;
    const TensorId up = siteLinear(
        g, settings, {"kv_b_proj", "kv_b", attention.kvLoraRank, s.rank.heads * each}, latent);
    const auto parts = g.split(up, {s.heads * attention.qkNopeDim, s.heads * attention.vHeadDim});
    const TensorId keys = latentKeys(g, s, parts[0], rotated.k);
    const TensorId attended = latentKernel(g, s, queries, keys, parts[1]);
    const std::int64_t inputs = s.rank.heads * attention.vHeadDim;
    const TensorId out =
        siteLinear(g, settings, {"o_proj", "o", inputs, s.hidden, attention.latentBias}, attended);
    g.holdUntilHere(
        {all, compressed, latent, rotated.q, rotated.k, queries, keys, parts[1], attended});
    g.leaveModule();
    return out;
}

}  // namespace fabricast
