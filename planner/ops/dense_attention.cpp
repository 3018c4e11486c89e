#include "planner/ops/attention_kernels.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/liger.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/rank_shape.h"

#include <string_view>

namespace fabricast {

bool usesConv1d(const Scenario& scenario) {
    return scenario.settings.kernels.code == ModelCode::HuggingFace &&
           scenario.model.family == "gpt2";
}

namespace {

TensorId normedHeads(
    OpBuilder& g, const Scenario& scenario, TensorId x, std::int64_t rows, int weight) {
    if (scenario.settings.kernels.norm == NormKernel::Fused) {
        return g.rmsNorm(x, rows, weight);
    }
    if (normsHeadsByLiger(scenario)) {
        const bool headsFirst = hfCodeOf(scenario).normsHeadsFirst;
        const NormedRows lies = headsFirst ? NormedRows::HeadsFirst : NormedRows::InOrder;
        return ligerNorm(g, scenario, x, rows, weight, lies);
    }
    return g.rmsNormFp32(x, rows, weight, hfCodeOf(scenario).norm);
}

/// Of each head, or of all heads of a token.
TensorId headNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name) {
    if (scenario.model.attention.qkNorm == QkNorm::None) {
        return x;
    }
    const bool ofHeads = scenario.model.attention.qkNorm == QkNorm::PerHead;
    const std::int64_t tokens = rankShape(scenario).tokens;
    const std::int64_t dim =
        ofHeads ? scenario.model.attention.headDim : g.info(x).elements / tokens;
    const std::int64_t rows = g.info(x).elements / dim;
    g.enterModule();
    const int weight = g.weight(name, dim, false);
    const TensorId out = normedHeads(g, scenario, x, rows, weight);
    g.leaveModule();
    return out;
}

/// transformers norms each projection as it makes it.
Projected projectApart(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    const AttentionSpec& attention = scenario.model.attention;
    const auto project = [&](std::string_view name, std::string_view target, std::int64_t heads) {
        const LinearSite site{
            name, target, scenario.model.hidden, heads * attention.headDim, attention.qkvBias};
        return siteLinear(g, scenario.settings, site, x);
    };
    const bool each = scenario.settings.kernels.code == ModelCode::HuggingFace &&
                      !hfCodeOf(scenario).normsHeadsLast;
    const auto normed = [&](TensorId part, std::string_view name, bool now) {
        return now ? headNorm(g, scenario, part, name) : part;
    };
    Projected out{};
    out.q = normed(project("q_proj", "q", shape.heads), "q_norm", each);
    if (hfCodeOf(scenario).scalesQueries) {
        out.q = g.pointwise("scale", {out.q}, g.info(out.q).elements, g.info(out.q).width, {});
    }
    out.k = normed(project("k_proj", "k", shape.kvHeads), "k_norm", each);
    out.v = project("v_proj", "v", shape.kvHeads);
    out.q = normed(out.q, "q_norm", !each);
    out.k = normed(out.k, "k_norm", !each);
    return out;
}

/// How transformers' code takes queries, keys and values out of their product, by which backward
/// makes one gradient of theirs: parts of rows, parts of each head's rows, or slices.
std::string_view splitOf(const Scenario& scenario) {
    if (scenario.settings.kernels.code != ModelCode::HuggingFace) {
        return "split";
    }
    const std::string& family = scenario.model.family;
    return family == "gpt2" ? "split_rows" : family == "gpt_neox" ? "split_heads" : "split_slices";
}

Projected projectFused(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t q = shape.heads * attention.headDim;
    const std::int64_t kv = shape.kvHeads * attention.headDim;
    const std::int64_t tokens = shape.tokens;
    const LinearSite site{"qkv_proj", "qkv", scenario.model.hidden, q + 2 * kv, attention.qkvBias};
    const TensorId fused = siteLinear(g, scenario.settings, site, x);
    const auto parts = g.split(fused, {tokens * q, tokens * kv, tokens * kv});
    g.last().name = splitOf(scenario);
    Projected out{parts[0], parts[1], parts[2]};
    if (scenario.settings.kernels.code == ModelCode::TorchTitan) {
        // Its fused projection interleaves heads per group, so each part is copied out.
        const std::int64_t width = g.info(fused).width;
        const auto copy = [&](TensorId part) {
            return g.pointwise("contiguous", {part}, g.info(part).elements, width, {});
        };
        out = {copy(parts[0]), copy(parts[1]), copy(parts[2])};
    }
    out.q = headNorm(g, scenario, out.q, "q_norm");
    out.k = headNorm(g, scenario, out.k, "k_norm");
    return out;
}

TensorId fusedNorm(OpBuilder& g, std::string_view name, TensorId x, std::int64_t rows) {
    return g.rmsNorm(x, rows, g.weight(name, g.info(x).elements / rows, false));
}

TensorId queriesOf(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t width = shape.heads * (attention.qkNopeDim + attention.qkRopeDim);
    if (attention.qLoraRank == 0) {
        return g.linear(x, g.weight("wq", width * hidden), shape.tokens * width);
    }
    const std::int64_t rank = attention.qLoraRank;
    const TensorId low = g.linear(x, g.weight("wq_a", rank * hidden), shape.tokens * rank);
    const TensorId normed = fusedNorm(g, "q_norm", low, shape.tokens);
    return g.linear(normed, g.weight("wq_b", width * rank), shape.tokens * width);
}

/// The rotary rows of this pass's positions, or the layer's own table.
TensorId rotaryRows(OpBuilder& g, const Scenario& scenario, const RankShape& shape) {
    const std::int64_t pairs = scenario.model.attention.qkRopeDim / 2;
    if (!scenario.settings.kernels.positionIds) {
        return g.external(shape.fullSequence * pairs, 8);
    }
    const TensorId rows = g.fresh(shape.tokens * pairs, 8, false);
    g.push({.kind = OpKind::Lookup, .name = "rope_rows", .outputs = {rows}});
    return rows;
}

/// transformers has one matrix where the checkpoint does.
bool isQkvFused(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    return kernels.fusedQkv ||
           (kernels.code == ModelCode::HuggingFace && scenario.model.attention.fusedQkv);
}

}  // namespace

Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    return isQkvFused(scenario) ? projectFused(g, scenario, shape, x)
                                : projectApart(g, scenario, shape, x);
}

TensorId latentAttention(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const RankShape shape = rankShape(scenario);
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t hidden = scenario.model.hidden;
    const std::int64_t tokens = shape.tokens;
    const std::int64_t heads = tokens * shape.heads;
    const std::int64_t nope = attention.qkNopeDim;
    const std::int64_t rope = attention.qkRopeDim;
    const TensorId table = rotaryRows(g, scenario, shape);
    const TensorId full = gatherSequence(g, shape, x);
    const TensorId allQ = queriesOf(g, scenario, shape, full);
    const auto q = g.split(allQ, {heads * nope, heads * rope});
    const std::int64_t low = attention.kvLoraRank + rope;
    const TensorId compressed = g.linear(full, g.weight("wkv_a", low * hidden), tokens * low);
    const auto kv = g.split(compressed, {tokens * attention.kvLoraRank, tokens * rope});
    const TensorId turnedQ = g.ropeComplex(q[1], table);
    const TensorId turnedK = g.ropeComplex(kv[1], table);
    const std::int64_t width = g.info(allQ).width;
    const TensorId queries = g.pointwise("cat", {q[0], turnedQ}, heads * (nope + rope), width, {});
    const TensorId normed = fusedNorm(g, "kv_norm", kv[0], tokens);
    const std::int64_t up = shape.heads * (nope + attention.vHeadDim);
    const TensorId both =
        g.linear(normed, g.weight("wkv_b", up * attention.kvLoraRank), tokens * up);
    const auto parts = g.split(both, {heads * nope, heads * attention.vHeadDim});
    const TensorId keys = g.pointwise("cat", {parts[0], turnedK}, heads * (nope + rope), width, {});
    const TensorId out = g.flashAttention(queries,
                                          keys,
                                          parts[1],
                                          {.tokens = tokens,
                                           .heads = shape.heads,
                                           .kvHeads = shape.heads,
                                           .headDim = nope + rope,
                                           .valueDim = attention.vHeadDim,
                                           .batch = shape.batch,
                                           .sequence = shape.sequence});
    const int weight = g.weight("wo", shape.heads * attention.vHeadDim * hidden);
    const TensorId joined = mergeContext(g, scenario, out);
    return reducePartial(g, shape, g.linear(joined, weight, tokens * hidden));
}

}  // namespace fabricast
