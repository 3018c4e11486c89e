#include "planner/ops/dense_projection.h"

#include "planner/ops/lora_linear.h"

namespace fabricast {

bool usesConv1d(const Scenario& scenario) {
    return scenario.settings.kernels.code == ModelCode::HuggingFace &&
           scenario.model.family == "gpt2";
}

namespace {

TensorId perHeadNorm(OpBuilder& g, const Scenario& scenario, TensorId x, std::string_view name) {
    if (scenario.model.attention.qkNorm == QkNorm::None) {
        return x;
    }
    const std::int64_t dim = scenario.model.attention.headDim;
    const std::int64_t rows = g.info(x).elements / dim;
    g.enterModule();
    const int weight = g.weight(name, dim, false);
    const TensorId out = scenario.settings.kernels.norm == NormKernel::Fused
                             ? g.rmsNorm(x, rows, weight)
                             : g.rmsNormFp32(x, rows, weight);
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
    const bool each = scenario.settings.kernels.code == ModelCode::HuggingFace;
    const auto normed = [&](TensorId part, std::string_view name, bool now) {
        return now ? perHeadNorm(g, scenario, part, name) : part;
    };
    Projected out{};
    out.q = normed(project("q_proj", "q", shape.heads), "q_norm", each);
    out.k = normed(project("k_proj", "k", shape.kvHeads), "k_norm", each);
    out.v = project("v_proj", "v", shape.kvHeads);
    out.q = normed(out.q, "q_norm", !each);
    out.k = normed(out.k, "k_norm", !each);
    return out;
}

Projected projectFused(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t q = shape.heads * attention.headDim;
    const std::int64_t kv = shape.kvHeads * attention.headDim;
    const std::int64_t tokens = shape.tokens;
    const LinearSite site{"qkv_proj", "qkv", scenario.model.hidden, q + 2 * kv, attention.qkvBias};
    const TensorId fused = siteLinear(g, scenario.settings, site, x);
    const auto parts = g.split(fused, {tokens * q, tokens * kv, tokens * kv});
    Projected out{parts[0], parts[1], parts[2]};
    if (scenario.settings.kernels.code == ModelCode::TorchTitan) {
        // Its fused projection interleaves heads per group, so each part is copied out.
        const std::int64_t width = g.info(fused).width;
        const auto copy = [&](TensorId part) {
            return g.pointwise("contiguous", {part}, g.info(part).elements, width, {});
        };
        out = {copy(parts[0]), copy(parts[1]), copy(parts[2])};
    }
    out.q = perHeadNorm(g, scenario, out.q, "q_norm");
    out.k = perHeadNorm(g, scenario, out.k, "k_norm");
    return out;
}

}  // namespace

Projected projectQkv(OpBuilder& g, const Scenario& scenario, const RankShape& shape, TensorId x) {
    return scenario.settings.kernels.fusedQkv ? projectFused(g, scenario, shape, x)
                                              : projectApart(g, scenario, shape, x);
}

}  // namespace fabricast
