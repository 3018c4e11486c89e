#include "planner/ops/op_builder.h"

#include <algorithm>

namespace fabricast {

/// The sum has the wider type; its gradient goes to both terms uncopied where the types agree.
TensorId OpBuilder::add(TensorId a, TensorId b) {
    const std::int64_t width = std::max(info(a).width, info(b).width);
    const TensorId out =
        pointwise("add", {a, b}, std::max(info(a).elements, info(b).elements), width, {});
    last().passesGradient = true;
    return out;
}

TensorId OpBuilder::multiply(TensorId a, TensorId b) {
    TensorIds saved;
    if (info(b).requiresGrad) {
        saved.push_back(a);
    }
    if (info(a).requiresGrad) {
        saved.push_back(b);
    }
    const std::int64_t elements = std::max(info(a).elements, info(b).elements);
    const std::int64_t width = std::max(info(a).width, info(b).width);
    const TensorId out = pointwise("mul", {a, b}, elements, width, saved);
    // A broadcast factor's gradient is formed at full size and summed.
    if (info(b).requiresGrad && info(b).elements < elements) {
        last().backwardTemps.push_back(elements * width);
    }
    return out;
}

/// Its backward, grad · (n · xⁿ⁻¹), has both factors of the product as tensors of their own.
TensorId OpBuilder::power(TensorId x) {
    const TensorId out = pointwise("pow", {x}, info(x).elements, info(x).width, {x});
    last().backwardTemps = {info(x).bytes, info(x).bytes};
    return out;
}

TensorId OpBuilder::silu(TensorId x) {
    return pointwise("silu", {x}, info(x).elements, info(x).width, {x});
}

TensorId OpBuilder::gelu(TensorId x) {
    return pointwise("gelu", {x}, info(x).elements, info(x).width, {x});
}

TensorId OpBuilder::relu(TensorId x) {
    const TensorId out = pointwise("relu", {x}, info(x).elements, info(x).width, {});
    if (info(x).requiresGrad) {
        last().saved = {out};
    }
    return out;
}

TensorId OpBuilder::swiglu(TensorId gateAndUp) {
    return pointwise(
        "swiglu", {gateAndUp}, info(gateAndUp).elements / 2, info(gateAndUp).width, {gateAndUp});
}

TensorId OpBuilder::ropeComplex(TensorId x, TensorId table) {
    const TensorId wide = cast(x, 4);
    const TensorId turned = pointwise("complex_mul", {wide, table}, info(x).elements, 4, {table});
    return cast(turned, info(x).width);
}

TensorId OpBuilder::ropeCosSin(TensorId x, TensorId cosine, TensorId sine) {
    const TensorId wide = cast(x, std::max(info(x).width, info(cosine).width));
    const std::int64_t elements = info(x).elements;
    const std::int64_t width = info(wide).width;
    const TensorId direct = multiply(wide, cosine);
    const TensorId rotated = pointwise("rotate_half", {wide}, elements, width, {});
    last().forwardTemps = {elements * width / 2};
    return cast(add(direct, multiply(rotated, sine)), info(x).width);
}

TensorId OpBuilder::capped(TensorId x) {
    const TensorInfo in = info(x);
    const TensorId small = pointwise("scale", {x}, in.elements, in.width, {});
    const TensorId tangent = pointwise("tanh", {small}, in.elements, in.width, {});
    if (in.requiresGrad) {
        last().saved = {tangent};
    }
    return pointwise("scale", {tangent}, in.elements, in.width, {});
}

TensorId OpBuilder::dropout(TensorId x) {
    const TensorId mask = fresh(info(x).elements, 1, false);
    const TensorId out = pointwise("dropout", {x}, info(x).elements, info(x).width, {mask});
    last().outputs.push_back(mask);
    return out;
}

}  // namespace fabricast
