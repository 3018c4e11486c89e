#include "planner/ops/dora_linear.h"

#include "planner/ops/quantized_linear.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// An op outside the graph that backward walks.
TensorId aside(OpBuilder& g, Op op, std::int64_t elements, std::int64_t width) {
    const TensorId out = g.fresh(elements, width, false);
    op.outputs = {out};
    g.push(std::move(op));
    return out;
}

/// lora_B(lora_A(1)) in the type of x. Its own graph keeps the unit matrix and the low-rank product
/// for as long as the result has a name.
TensorIds wholeAdapter(OpBuilder& g, const Adapter& adapter, std::int64_t width) {
    const std::int64_t computed = g.options().autocast ? g.options().computeWidth : adapter.width;
    const auto multiply = [&](TensorId x, int weight, std::int64_t elements) {
        return aside(
            g,
            {.kind = OpKind::Gemm, .name = "lora_weight", .inputs = {x}, .weights = {weight}},
            elements,
            computed);
    };
    const TensorId unit = aside(g, {.name = "eye"}, adapter.in * adapter.in, adapter.width);
    const TensorId read = g.cast(unit, computed);
    const TensorId low = multiply(read, adapter.down, adapter.in * adapter.rank);
    const TensorId whole = multiply(low, adapter.up, adapter.in * adapter.out);
    return {read, low, g.cast(whole, width)};
}

/// The frozen matrix in the type of x; kNoTensor where it is stored so.
TensorId baseMatrix(OpBuilder& g,
                    const LoraSettings& lora,
                    const Adapter& adapter,
                    std::int64_t width) {
    const std::int64_t elements = adapter.in * adapter.out;
    if (!isQuantized(lora.base)) {
        return g.readWidth(g.options().storedWidth) == width
                   ? kNoTensor
                   : aside(g, {.kind = OpKind::Copy, .name = "cast"}, elements, width);
    }
    const QuantizedMatrix matrix = quantizedMatrix(lora, adapter.out, adapter.in);
    Op op{.kind = OpKind::Copy, .name = "dequantize", .forwardTemps = dequantizationTemps(matrix)};
    return g.cast(aside(g, std::move(op), elements, dequantizedWidth(matrix)), width);
}

/// The norm of each row of base + scaling · adapter; not differentiated.
TensorId rowNorms(OpBuilder& g, const Adapter& adapter, TensorId whole, TensorId matrix) {
    const TensorInfo added = g.info(whole);
    Op op{.kind = OpKind::Norm, .name = "weight_norm", .inputs = {whole}};
    if (matrix != kNoTensor) {
        op.inputs.push_back(matrix);
    }
    op.forwardTemps = {added.bytes, added.bytes};  // the scaled adapter, and the sum
    return aside(g, std::move(op), adapter.out, added.width);
}

TensorId magnitudeOverNorm(OpBuilder& g, const Adapter& adapter, TensorId norms) {
    const std::int64_t width = std::max(adapter.width, g.info(norms).width);
    const TensorId scale = g.fresh(adapter.out, width);
    g.push({.name = "magnitude",
            .inputs = {norms},
            .outputs = {scale},
            .saved = {norms},
            .weights = {adapter.magnitude}});
    return scale;
}

/// After dropout the base's own product is formed again from what was dropped.
TensorId multiplyBase(OpBuilder& g, const Adapter& adapter, TensorId x, TensorId matrix) {
    const bool autocast = g.options().autocast;
    const std::int64_t width = autocast ? g.options().computeWidth : g.info(x).width;
    const TensorId read = g.cast(x, width);
    const std::int64_t tokens = g.info(x).elements / adapter.in;
    const TensorId out = g.fresh(tokens * adapter.out, width, g.info(read).requiresGrad);
    Op op{.kind = OpKind::Gemm, .name = "base_result", .inputs = {read}, .outputs = {out}};
    if (matrix != kNoTensor && g.info(read).requiresGrad) {
        const TensorId used = g.cast(matrix, width);
        op.inputs.push_back(used);
        op.saved = {used};
    }
    g.push(std::move(op));
    return out;
}

}  // namespace

TensorId doraUpdate(
    OpBuilder& g, const LoraSettings& lora, const Adapter& adapter, TensorId x, TensorId base) {
    TensorIds named = wholeAdapter(g, adapter, g.info(x).width);
    const TensorId matrix = baseMatrix(g, lora, adapter, g.info(x).width);
    const TensorId scale =
        magnitudeOverNorm(g, adapter, rowNorms(g, adapter, named.back(), matrix));
    const TensorId product = adapterProduct(g, adapter, x);
    named.push_back(product);
    if (matrix != kNoTensor) {
        named.push_back(matrix);
    }
    const TensorId result = lora.dropout > 0 ? multiplyBase(g, adapter, x, matrix) : base;
    const TensorId less = g.pointwise("less_one", {scale}, adapter.out, g.info(scale).width, {});
    const TensorId rescaled = g.multiply(result, less);
    const TensorId update = scaleUpdate(g, g.multiply(product, scale));
    const TensorId sum = g.add(rescaled, update);
    g.holdUntilHere(named);
    return sum;
}

}  // namespace fabricast
