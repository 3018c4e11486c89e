#include "planner/ops/attention_kernels.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/liger.h"
#include "planner/ops/row_sums.h"
#include "planner/spec/liger_code.h"

namespace fabricast {

namespace {

constexpr std::int64_t kLigerFloat = 4;

/// Llama's of a family that Liger has no function for, which is refused elsewhere.
const LigerCode& codeOf(const Scenario& scenario) {
    static constexpr LigerCode kLigerOfLlama{};
    const LigerCode* const code = ligerCodeOf(scenario.model);
    return code == nullptr ? kLigerOfLlama : *code;
}

TensorId copyOf(OpBuilder& g, TensorId x) {
    const TensorInfo in = g.info(x);
    const TensorId copy = g.pointwise("contiguous", {x}, in.elements, in.width, {});
    g.last().passesGradient = true;  // the copy is inside the function
    return copy;
}

/// A part of a product of several, not a name for all of another tensor.
bool isPart(const OpBuilder& g, TensorId x) {
    const TensorId base = g.info(x).base;
    return base != x && g.info(base).elements > g.info(x).elements;
}

/// Each multiprocessor sums up the rows that it has, in fp32; then these sums are added up, and
/// cast to the weight's type.
void addWeightGradient(OpBuilder& g, Op& op, const GpuSpec& gpu) {
    const WeightUse& use = g.weightAt(op.weights.front());
    if (!use.trained) {
        return;
    }
    const std::int64_t sums = gpu.multiprocessors.value.value_or(0);
    op.backwardTemps.push_back(sums * use.elements * kLigerFloat);
    const std::int64_t width = g.readWidth(use.widthOr(g.options().storedWidth));
    op.sumBytes = rowSumBytes(sums, use.elements, g.options().threads) +
                  (width < kLigerFloat ? use.elements * kLigerFloat : 0);
}

}  // namespace

TensorId ligerNorm(OpBuilder& g,
                   const Scenario& scenario,
                   TensorId x,
                   std::int64_t rows,
                   int weight,
                   NormedRows lies) {
    g.trainNorm({weight});
    const bool graph = g.info(x).requiresGrad || g.weightAt(weight).trained;
    const bool copies = lies == NormedRows::HeadsFirst;
    // What projects it wants its gradient in order again.
    const TensorId read = copies ? copyOf(g, g.split(x, {g.info(x).elements}).front()) : x;
    const TensorInfo in = g.info(read);
    const TensorId out = g.fresh(in.elements, in.width, graph);
    const TensorId rstd = g.fresh(rows, kLigerFloat, false);
    Op op{.kind = OpKind::Norm,
          .name = "rms_norm",
          .inputs = {read},
          .outputs = {out, rstd},
          .saved = graph ? TensorIds{read, rstd} : TensorIds{},
          .weights = {weight},
          .inPlaceBackward = codeOf(scenario).overwritesGradients && !copies,
          .inPython = true};
    if (copies) {
        op.backwardTemps.push_back(in.bytes);
    }
    addWeightGradient(g, op, scenario.cluster.node.gpu);
    g.push(std::move(op));
    if (copies) {
        g.holdUntilHere({x});
    }
    return out;
}

bool normsHeadsByLiger(const Scenario& scenario) {
    return scenario.settings.kernels.norm == NormKernel::Liger && codeOf(scenario).normsHeads;
}

bool rotatesByLiger(const Scenario& scenario) {
    return scenario.settings.kernels.rope == RopeKernel::Liger && codeOf(scenario).rotates;
}

Projected rotateByLiger(OpBuilder& g,
                        const Scenario& scenario,
                        const Rotary& table,
                        const Projected& projections) {
    TensorIds turned;
    for (const TensorId x : {projections.q, projections.k}) {
        const TensorInfo in = g.info(x);
        const bool copies = isPart(g, x) || hfCodeOf(scenario).normsHeadsFirst;
        turned.push_back(copies ? g.fresh(in.elements, in.width, in.requiresGrad)
                                : g.viewOf(x, in.elements));
    }
    const bool graph = g.info(turned[0]).requiresGrad || g.info(turned[1]).requiresGrad;
    g.push({.name = "rope",
            .inputs = {projections.q, projections.k, table.first, table.second},
            .outputs = turned,
            .saved = graph ? TensorIds{table.first, table.second} : TensorIds{},
            // A product's gradients lie head by head, and are copied.
            .inPlaceBackward = !writesAttention(scenario),
            .inPython = true});
    return {turned[0], turned[1], projections.v};
}

TensorId ligerGated(OpBuilder& g, TensorId gate, TensorId up) {
    const TensorInfo in = g.info(gate);
    const bool graph = in.requiresGrad || g.info(up).requiresGrad;
    TensorIds kept;
    TensorIds made;
    for (const TensorId x : {gate, up}) {
        kept.push_back(isPart(g, x) ? g.fresh(in.elements, in.width, false) : x);
        if (kept.back() != x) {
            made.push_back(kept.back());
        }
    }
    made.push_back(g.fresh(in.elements, in.width, graph));
    const TensorId out = made.back();
    Op op{.name = "gated", .inputs = {gate, up}, .outputs = made, .inPython = true};
    if (graph) {
        op.saved = kept;
        op.gradientsOver = kept;
    }
    g.push(std::move(op));
    return out;
}

}  // namespace fabricast
