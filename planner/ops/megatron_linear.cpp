#include "planner/ops/megatron_linear.h"

#include "planner/ops/engine_quantization.h"
#include "planner/ops/lora_linear.h"

#include <algorithm>
#include <vector>

namespace fabricast {

namespace {

/// The product alone: of the rank's own rows and columns. Megatron-Core has a function of its own
/// for a frozen weight, which keeps nothing for backward.
TensorId multiplied(MegatronCode& m, TensorId x, int weight, std::int64_t elements) {
    OpBuilder& g = m.g;
    const WeightUse& use = g.weightAt(weight);
    const TensorInfo in = g.info(x);
    const TensorId out = g.fresh(elements, in.width, use.trained || in.requiresGrad);
    const TensorId kept = keptInput(m, x, use);
    g.push({.kind = OpKind::Gemm,
            .name = use.name,
            .inputs = {x},
            .outputs = kept == x ? TensorIds{out} : TensorIds{out, kept},
            .saved = use.trained ? TensorIds{kept} : TensorIds{},
            .weights = {weight}});
    markSaved(m);
    return out;
}

/// Both factors of a ParallelLinearAdapter are cut over tp: the first like the layer's own matrix,
/// the second, or the first's rank, over what that leaves whole.
Adapter bridgeAdapter(MegatronCode& m, const LoraSettings& lora, const AdapterSite& site) {
    const LinearSite linear{
        .name = site.target, .target = site.target, .in = site.inputs, .out = site.outputs};
    const std::int64_t tp = m.shape.tp;
    const Adapter adapter =
        declareAdapter(m.g, lora, linear, {.down = site.row ? 1 : tp, .up = site.row ? tp : 1});
    for (const int weight : {adapter.down, adapter.up}) {
        m.g.weightAt(weight).ownGradient = true;
    }
    return adapter;
}

/// linear_out(linear_in(x)). What only a part of the ranks has is gathered in between, or after.
TensorId bridgeProduct(MegatronCode& m,
                       TensorId x,
                       const Adapter& adapter,
                       const AdapterSite& site) {
    const std::int64_t tokens = m.shape.tokens;
    const std::int64_t tp = m.shape.tp;
    const auto whole = [&](TensorId part) { return tp > 1 ? gatherColumns(m, part) : part; };
    if (site.row) {
        const TensorId low = multiplied(m, x, adapter.down, tokens * adapter.rank);
        const TensorId up = whole(multiplied(m, low, adapter.up, tokens * site.outputs / tp));
        return m.shape.sp ? scatterRows(m, up) : up;
    }
    const TensorId low = whole(multiplied(m, x, adapter.down, tokens * adapter.rank / tp));
    return multiplied(m, low, adapter.up, tokens * site.outputs);
}

/// What the adapter reads. Transformer Engine's layer returns its norm's output gathered, the ones
/// written in PyTorch do not.
TensorId adapterInput(MegatronCode& m, const LoraSettings& lora, TensorId x, bool row) {
    const auto dropped = [&](TensorId in) { return lora.dropout > 0 ? m.g.dropout(in) : in; };
    if (row) {
        return dropped(x);
    }
    return m.fusedModules() ? dropped(gatherRows(m, x)) : gatherRows(m, dropped(x));
}

}  // namespace

void markSaved(MegatronCode& m) {
    if (m.fusedModules()) {
        m.g.last().toHost = m.g.last().saved;
    }
}

TensorId keptInput(MegatronCode& m, TensorId x, const WeightUse& use) {
    const Settings& settings = m.scenario.settings;
    return isQuantizedByEngine(settings, use.name) && use.trained
               ? m.g.fresh(
                     quantizedBytes(settings.kernels.quantization, m.g.info(x).elements), 1, false)
               : x;
}

bool MegatronCode::recomputes(std::string_view module) const {
    const RecomputeSettings& recompute = scenario.settings.recompute;
    return recompute.kind == Checkpointing::Modules && recompute.modules.contains(module);
}

MegatronCode megatronCode(OpBuilder& g, const Scenario& scenario) {
    return {.g = g, .scenario = scenario, .shape = rankShape(scenario)};
}

int megatronWeight(MegatronCode& m, const LocalMatrix& matrix) {
    const int weight = m.g.matrix(matrix.name, matrix.outputs, matrix.inputs);
    m.g.weightAt(weight).expert = matrix.expert;
    m.g.weightAt(weight).ownGradient = true;
    m.g.weightAt(weight).addedInGemm = m.scenario.settings.megatron.gradientAccumulationFusion;
    return weight;
}

TensorId gatherRows(MegatronCode& m, TensorId x) {
    if (!m.shape.sp || m.gatheredFrom == x) {
        return m.shape.sp ? m.gathered : x;
    }
    const TensorInfo in = m.g.info(x);
    const TensorId whole = m.g.fresh(in.elements * m.shape.tp, in.width, in.requiresGrad);
    m.g.push({.kind = OpKind::Collective, .name = "all_gather", .inputs = {x}, .outputs = {whole}});
    if (m.fusedModules()) {
        m.gatheredFrom = x;
        m.gathered = whole;
    }
    return whole;
}

TensorId columnParallel(MegatronCode& m, TensorId x, int weight, std::int64_t outputs) {
    OpBuilder& g = m.g;
    const bool trained = g.weightAt(weight).trained;
    const TensorId read = trained ? x : gatherRows(m, x);
    const TensorId out = multiplied(m, read, weight, m.shape.tokens * outputs);
    if (m.shape.sp && trained) {
        const std::int64_t whole = g.info(x).bytes * m.shape.tp;
        g.useScratch(whole);
        g.last().backwardTemps = {whole};  // the gradient before it is scattered
    }
    return out;
}

TensorId columnParallel(MegatronCode& m, TensorId x, const LocalMatrix& matrix) {
    const int weight = megatronWeight(m, matrix);
    TensorId out = columnParallel(m, x, weight, matrix.outputs);
    if (matrix.bias) {
        const int bias = m.g.weight("bias", matrix.outputs, false);
        out = m.g.pointwise("bias", {out}, m.g.info(out).elements, m.g.info(out).width, {});
        m.g.last().weights = {bias};
        m.g.last().passesGradient = true;
    }
    return out;
}

TensorId rowParallel(MegatronCode& m, TensorId x, int weight, std::int64_t outputs) {
    OpBuilder& g = m.g;
    const TensorId partial = multiplied(m, x, weight, m.shape.tokens * outputs);
    if (!m.shape.sp) {  // all-reduced in place
        return partial;
    }
    const TensorInfo whole = g.info(partial);
    const TensorId out = g.fresh(m.shape.localTokens * outputs, whole.width, whole.requiresGrad);
    g.push({.kind = OpKind::Collective,
            .name = "reduce_scatter",
            .inputs = {partial},
            .outputs = {out}});
    return out;
}

TensorId dropout(MegatronCode& m, TensorId x) {
    if (m.scenario.settings.kernels.dropout == 0.0) {
        return x;
    }
    return m.g.dropout(x);
}

TensorId biasDropoutAdd(MegatronCode& m, TensorId x, TensorId residual, int bias) {
    OpBuilder& g = m.g;
    TensorId biased = x;
    if (bias >= 0) {
        biased = g.pointwise("bias", {x}, g.info(x).elements, g.info(x).width, {});
        g.last().weights = {bias};
        g.last().passesGradient = true;
    }
    const TensorId dropped = dropout(m, biased);
    const TensorId out = g.add(residual, dropped);
    g.holdUntilHere({x, biased});
    return out;
}

TensorId megatronNorm(MegatronCode& m, TensorId x, std::string_view name) {
    return megatronNorm(m, x, name, m.scenario.model.hidden);
}

TensorId megatronNorm(MegatronCode& m, TensorId x, std::string_view name, std::int64_t columns) {
    const std::int64_t rows = m.g.info(x).elements / columns;
    WeightIds weights{m.g.weight(name, columns, false)};
    if (m.scenario.model.norm == NormKind::Rms) {
        const TensorId out = m.g.rmsNorm(x, rows, weights.front());
        markSaved(m);
        return out;
    }
    if (m.scenario.model.norm == NormKind::Layer) {
        weights.push_back(m.g.weight("bias", columns, false));
    }
    const TensorId out = m.g.layerNorm(x, rows, weights);
    markSaved(m);
    return out;
}

void readThroughCopy(MegatronCode& m, TensorId x) {
    m.g.last().forwardTemps.push_back(m.g.info(x).bytes);
    m.g.last().backwardTemps.push_back(m.g.info(x).bytes);
}

TensorId gatherColumns(MegatronCode& m, TensorId x) {
    const TensorInfo in = m.g.info(x);
    const TensorId whole = m.g.fresh(in.elements * m.shape.tp, in.width, in.requiresGrad);
    m.g.push({.kind = OpKind::Collective,
              .name = "all_gather",
              .inputs = {x},
              .outputs = {whole},
              .forwardTemps = {in.bytes * m.shape.tp}});
    return whole;
}

TensorId scatterRows(MegatronCode& m, TensorId x) {
    const TensorInfo in = m.g.info(x);
    const std::int64_t elements = in.elements / m.shape.tp;
    const TensorId rows = m.g.viewOf(x, elements);
    m.g.push({.kind = OpKind::Collective, .name = "scatter", .inputs = {x}, .outputs = {rows}});
    return rows;
}

TensorId joined(MegatronCode& m, const TensorIds& parts) {
    std::int64_t elements = 0;
    for (const TensorId part : parts) {
        elements += m.g.info(part).elements;
    }
    const TensorId out = m.g.pointwise("cat", parts, elements, m.g.info(parts.front()).width, {});
    m.g.last().passesGradient = true;
    m.g.last().viewsGradient = true;
    return out;
}

TensorId withAdapter(MegatronCode& m, TensorId x, TensorId product, const AdapterSite& site) {
    const Settings& settings = m.scenario.settings;
    if (settings.tuning != Tuning::Lora ||
        !isAdapted(settings.lora, {.name = site.target, .target = site.target})) {
        return product;
    }
    const Adapter adapter = bridgeAdapter(m, settings.lora, site);
    const TensorId read = adapterInput(m, settings.lora, x, site.row);
    const TensorId update = scaleUpdate(m.g, bridgeProduct(m, read, adapter, site));
    return m.g.add(product, update);
}

}  // namespace fabricast
