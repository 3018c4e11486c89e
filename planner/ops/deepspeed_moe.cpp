#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_views.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/rank_shape.h"

namespace fabricast {

namespace {

constexpr std::int64_t kSlotBytes = 8;
constexpr std::int64_t kCombinedBytes = 4;  ///< gates are fp32, and what they weigh

/// The layer's sizes on one rank.
struct MoeWalk {
    OpBuilder& g;
    const Scenario& scenario;
    std::int64_t tokens = 0;
    std::int64_t hidden = 0;
    std::int64_t routes = 1;
    std::int64_t slots = 0;  ///< rows of the buffer: experts times capacity
    std::int64_t local = 1;  ///< experts of this rank
    std::int64_t ranks = 1;  ///< of expert parallelism

    /// A local expert's rows come from several ranks and do not lie together.
    [[nodiscard]] bool scattered() const { return ranks > 1 && local > 1; }
    [[nodiscard]] std::int64_t expertRows() const { return slots / local; }
};

struct ExpertWeights {
    int gate = -1;
    int up = -1;
    int down = -1;
};

MoeWalk walkOf(OpBuilder& g, const Scenario& scenario, TensorId x) {
    const MoeSpec& moe = *scenario.model.moe;
    const std::int64_t ranks = scenario.layout.ep;
    return {.g = g,
            .scenario = scenario,
            .tokens = g.info(x).elements / scenario.model.hidden,
            .hidden = scenario.model.hidden,
            .routes = moe.topK,
            .slots = moe.experts * deepspeedCapacity(scenario),
            .local = moe.experts / ranks,
            .ranks = ranks};
}

/// DeepSpeed marks the experts' weights: they have optimizer groups of their own.
int expertMatrix(MoeWalk& w, std::string_view name, std::int64_t rows, std::int64_t columns) {
    const int weight = w.g.matrix(name, rows, columns);
    w.g.weightAt(weight).expert = true;
    return weight;
}

TensorId plainIndex(MoeWalk& w, std::string_view name, std::int64_t elements, ByteList temps = {}) {
    const TensorId out = w.g.fresh(elements, kSlotBytes, false);
    w.g.push({.name = name, .outputs = {out}, .forwardTemps = std::move(temps)});
    return out;
}

/// Rows below a row of zeros, which what is left out reads; gradients are views of the whole's.
TensorId padded(MoeWalk& w, std::string_view name, TensorId rows) {
    const TensorInfo in = w.g.info(rows);
    const TensorId out = w.g.pointwise(name, {rows}, in.elements + w.hidden, in.width, TensorIds{});
    w.g.last().passesGradient = true;
    w.g.last().viewsGradient = true;
    return out;
}

/// Each row of the buffer picked from the tokens.
TensorId dispatched(MoeWalk& w, TensorId x) {
    const std::int64_t count = w.routes * w.tokens;
    const TensorId source = plainIndex(w, "source", w.slots + 1);
    const TensorId tokens =
        plainIndex(w, "tokens", w.tokens, w.routes > 1 ? ByteList{count * kSlotBytes} : ByteList{});
    const TensorId rows = padded(w, "padded input", x);
    const TensorId out =
        w.g.pointwise("rows", {rows}, w.slots * w.hidden, w.g.info(x).width, {source});
    w.g.holdUntilHere({source, tokens, rows});
    return out;
}

TensorId sent(MoeWalk& w, TensorId rows) {
    if (w.ranks == 1) {
        return rows;
    }
    const TensorId out = w.g.fresh(w.slots * w.hidden, w.g.info(rows).width);
    w.g.push(
        {.kind = OpKind::Collective, .name = "all_to_all", .inputs = {rows}, .outputs = {out}});
    return out;
}

/// A copy of what does not lie together: each linear layer makes its own.
TensorId together(MoeWalk& w, TensorId rows) {
    if (!w.scattered()) {
        return rows;
    }
    const TensorInfo in = w.g.info(rows);
    const TensorId out = w.g.pointwise("contiguous", {rows}, in.elements, in.width, {});
    w.g.last().passesGradient = true;
    return out;
}

/// The expert's own MLP; its output's gradient is a part of the joined one's, and is copied where
/// that does not lie together.
TensorId expertMlp(MoeWalk& w, const ExpertWeights& weights, TensorId rows) {
    OpBuilder& g = w.g;
    const MoeSpec& moe = *w.scenario.model.moe;
    const std::int64_t inner = w.expertRows() * moe.expertWidth;
    g.enterModule();
    TensorId opened = kNoTensor;
    if (moe.kind == MlpKind::Gated) {
        const TensorId gate = g.silu(g.linear(together(w, rows), weights.gate, inner));
        opened = g.multiply(gate, g.linear(together(w, rows), weights.up, inner));
    } else {
        opened = g.gelu(g.linear(together(w, rows), weights.up, inner));
    }
    TensorId out = g.linear(opened, weights.down, w.expertRows() * w.hidden);
    if (w.scattered()) {
        out = g.split(out, {g.info(out).elements}).front();
    }
    g.leaveModule();
    return out;
}

ExpertWeights declareExpert(MoeWalk& w) {
    const MoeSpec& moe = *w.scenario.model.moe;
    ExpertWeights weights;
    if (moe.kind == MlpKind::Gated) {
        weights.gate = expertMatrix(w, "experts.gate_proj", moe.expertWidth, w.hidden);
    }
    weights.up = expertMatrix(w, "experts.up_proj", moe.expertWidth, w.hidden);
    weights.down = expertMatrix(w, "experts.down_proj", w.hidden, moe.expertWidth);
    return weights;
}

/// The experts of this rank one after another, on a part each of every rank's rows.
TensorId localExperts(MoeWalk& w, TensorId rows) {
    OpBuilder& g = w.g;
    g.enterModule();
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(w.local),
                                           w.expertRows() * w.hidden);
    TensorIds outs;
    for (const TensorId part : g.split(rows, counts)) {
        outs.push_back(expertMlp(w, declareExpert(w), part));
    }
    const TensorId joined = g.join(outs);
    g.leaveModule();
    return joined;
}

/// Rows picked for each route and token, weighted in fp32 and summed.
TensorId combined(MoeWalk& w, TensorId rows, TensorId slots, TensorId gates, std::int64_t width) {
    OpBuilder& g = w.g;
    const std::int64_t elements = w.tokens * w.hidden;
    const TensorId all = padded(w, "padded output", rows);
    const TensorId routed =
        g.pointwise("routed rows", {all}, w.routes * elements, g.info(rows).width, {slots});
    const TensorId weighed = g.multiply(routed, gates);
    if (g.info(weighed).width != g.info(routed).width) {
        g.last().backwardTemps.push_back(g.info(weighed).bytes);
        g.last().narrowsGradient = true;
    }
    const TensorId sum = g.pointwise("sum of routes", {weighed}, elements, kCombinedBytes, {});
    g.last().passesGradient = true;  // expanded: a view
    g.last().viewsGradient = true;
    const TensorId out = g.cast(sum, width);
    g.holdUntilHere({all, routed, sum});
    return out;
}

/// MOELayer.
TensorId routedRows(MoeWalk& w, int gate, TensorId x) {
    OpBuilder& g = w.g;
    g.enterModule();
    g.enterModule();
    g.claimWeight(gate);
    const DeepSpeedRoutes routes = deepspeedGate(g, w.scenario, gate, x);
    g.leaveModule();
    const std::int64_t count = w.routes * w.tokens;
    const TensorId slots = plainIndex(w, "slots", count, {count * kSlotBytes, count * kSlotBytes});
    const TensorId input = sent(w, dispatched(w, x));
    const TensorId output = sent(w, localExperts(w, input));
    const TensorId out = combined(w, output, slots, routes.gates, g.info(x).width);
    g.holdUntilHere({routes.indices, routes.locations, routes.gates, slots, input, output});
    g.leaveModule();
    return out;
}

/// softmax(coefficient(x)) weighs the routed rows against the shared expert's.
TensorId weighedBy(MoeWalk& w, TensorId x, TensorId routed) {
    constexpr std::int64_t kParts = 2;
    OpBuilder& g = w.g;
    const TensorId shared = hfShared(g, w.scenario, x);
    g.enterModule();
    const int matrix = g.matrix("coefficient", kParts, w.hidden);
    const int bias = g.weight("bias", kParts, false);
    const TensorId logits = g.linear(x, matrix, kParts * w.tokens, bias);
    g.leaveModule();
    const TensorId parts =
        g.pointwise("softmax", {logits}, kParts * w.tokens, g.info(logits).width, {});
    g.last().saved = {parts};
    const TensorId first = g.multiply(routed, everySecond(g, parts, w.tokens));
    const TensorId second = g.multiply(shared, everySecond(g, parts, w.tokens));
    const TensorId out = g.add(first, second);
    g.holdUntilHere({routed, shared, parts});
    return out;
}

}  // namespace

bool usesDeepSpeedMoe(const Scenario& scenario) {
    return scenario.model.moe && scenario.settings.kernels.experts == ExpertKernel::DeepSpeed;
}

bool marksExperts(const Scenario& scenario) {
    return usesDeepSpeedMoe(scenario) || usesAutoEp(scenario);
}

HfMoe deepspeedMoe(OpBuilder& g, const Scenario& scenario, TensorId x) {
    MoeWalk walk = walkOf(g, scenario, x);
    g.enterModule();
    const int gate = g.matrix("router", scenario.model.moe->experts, scenario.model.hidden);
    TensorId out = routedRows(walk, gate, x);
    if (scenario.model.moe->residual) {
        out = weighedBy(walk, x, out);
    }
    g.leaveModule();
    return {out, kNoTensor};
}

}  // namespace fabricast
