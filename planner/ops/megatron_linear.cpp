#include "planner/ops/megatron_linear.h"

#include "planner/ops/lora_linear.h"

#include <algorithm>
#include <vector>

namespace fabricast {

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

TensorId columnParallel(MegatronCode& m, TensorId x, int weight, std::int64_t outputs) {
    OpBuilder& g = m.g;
    const TensorInfo in = g.info(x);
    const TensorId out = g.fresh(m.shape.tokens * outputs, in.width);
    Op op{.kind = OpKind::Gemm,
          .name = g.weightAt(weight).name,
          .inputs = {x},
          .outputs = {out},
          .saved = {x},
          .weights = {weight}};
    if (m.shape.sp) {
        g.useScratch(in.bytes * m.shape.tp);
        op.backwardTemps = {in.bytes * m.shape.tp};  // the gradient before it is scattered
    }
    g.push(std::move(op));
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
    const std::int64_t width = g.info(x).width;
    const TensorId partial = g.fresh(m.shape.tokens * outputs, width);
    g.push({.kind = OpKind::Gemm,
            .name = g.weightAt(weight).name,
            .inputs = {x},
            .outputs = {partial},
            .saved = {x},
            .weights = {weight}});
    if (!m.shape.sp) {  // all-reduced in place
        return partial;
    }
    const TensorId out = g.fresh(m.shape.localTokens * outputs, width);
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
    const TensorInfo in = m.g.info(x);
    const TensorId out = m.g.fresh(in.elements, in.width);
    const TensorId mask = m.g.fresh(in.elements, 1, false);
    m.g.push({.name = "dropout", .inputs = {x}, .outputs = {out, mask}, .saved = {mask}});
    return out;
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
        return m.g.rmsNorm(x, rows, weights.front());
    }
    if (m.scenario.model.norm == NormKind::Layer) {
        weights.push_back(m.g.weight("bias", columns, false));
    }
    return m.g.layerNorm(x, rows, weights);
}

void readThroughCopy(MegatronCode& m, TensorId x) {
    m.g.last().forwardTemps.push_back(m.g.info(x).bytes);
    m.g.last().backwardTemps.push_back(m.g.info(x).bytes);
}

TensorId gatherColumns(MegatronCode& m, TensorId x) {
    const TensorInfo in = m.g.info(x);
    const TensorId whole = m.g.fresh(in.elements * m.shape.tp, in.width);
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
    const LinearSite linear{
        .name = site.target, .target = site.target, .in = site.inputs, .out = site.outputs};
    if (settings.tuning != Tuning::Lora || !isAdapted(settings.lora, linear)) {
        return product;
    }
    OpBuilder& g = m.g;
    const Adapter adapter = declareAdapter(g, settings.lora, linear);
    const std::int64_t rows = g.info(product).elements / site.outputs;
    const TensorId low = g.linear(x, adapter.down, rows * adapter.rank);
    const TensorId update = g.linear(low, adapter.up, rows * site.outputs);
    return g.add(product, scaleUpdate(g, update));
}

}  // namespace fabricast
