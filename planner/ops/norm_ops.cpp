#include "planner/ops/op_builder.h"

#include <utility>

namespace fabricast {

void OpBuilder::trainNorm(const WeightIds& weights) {
    for (const int weight : weights) {
        WeightUse& use = weightAt(weight);
        use.trained = use.trained || options_.trainsNorms;
    }
}

TensorId OpBuilder::rmsNorm(TensorId x, std::int64_t rows, int weight) {
    trainNorm({weight});
    const bool graph = info(x).requiresGrad || anyTrained({weight});
    const TensorId out = fresh(info(x).elements, info(x).width, graph);
    const TensorId rstd = fresh(rows, 4, false);
    push({.kind = OpKind::Norm,
          .name = "rms_norm",
          .inputs = {x},
          .outputs = {out, rstd},
          .saved = graph ? TensorIds{x, rstd} : TensorIds{},
          .weights = {weight}});
    return out;
}

TensorId OpBuilder::layerNorm(TensorId x, std::int64_t rows, const WeightIds& weights) {
    trainNorm(weights);
    const TensorId read = options_.autocast ? cast(x, 4) : x;
    const bool graph = info(read).requiresGrad || anyTrained(weights);
    const TensorId out = fresh(info(read).elements, info(read).width, graph);
    const TensorId meanAndRstd = fresh(2 * rows, 4, false);
    push({.kind = OpKind::Norm,
          .name = "layer_norm",
          .inputs = {read},
          .outputs = {out, meanAndRstd},
          .saved = graph ? TensorIds{read, meanAndRstd} : TensorIds{},
          .weights = weights});
    return out;
}

/// x32 = x.float(); y = x32 · rsqrt(mean(x32²) + eps); weight · y.to(x.dtype)
TensorId OpBuilder::rmsNormFp32(TensorId x, std::int64_t rows, int weight, NormScale scale) {
    trainNorm({weight});
    const std::int64_t elements = info(x).elements;
    const TensorId x32 = cast(x, 4);
    const TensorId square = power(x32);
    const TensorId mean = pointwise("mean", {square}, rows, 4, {});
    const TensorId inverse = pointwise("rsqrt", {mean}, rows, 4, {});
    if (info(inverse).requiresGrad) {
        last().saved = {inverse};
    }
    const std::int64_t width = scale == NormScale::OwnType ? info(x).width : info(x32).width;
    const TensorId scaled = cast(multiply(x32, inverse), width);
    const bool trained = weightAt(weight).trained;
    const TensorId out = fresh(elements, width, trained || info(scaled).requiresGrad);
    Op op{.kind = OpKind::Norm, .name = "norm_scale", .inputs = {scaled}, .outputs = {out}};
    if (trained) {  // its gradient is formed at full size and summed
        op.saved = {scaled};
        op.backwardTemps = {elements * width};
        op.sumBytes = sumOver(rows, elements / rows);
    }
    if (scale == NormScale::OneAndWide) {
        const TensorId factor = fresh(elements / rows, width, false);
        op.outputs.push_back(factor);
        if (info(scaled).requiresGrad) {
            op.saved.push_back(factor);
        }
    }
    op.weights = {weight};
    push(std::move(op));
    return cast(out, info(x).width);
}

}  // namespace fabricast
