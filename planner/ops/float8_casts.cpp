#include "planner/ops/float8_casts.h"

namespace fabricast {

namespace {
/// A tensor on its way to fp8: scaled in fp32 (4 bytes an element), clamped (4), and two 1-byte
/// copies, one for either layout of the GEMM.
constexpr std::int64_t kCastBytes = 4 + 4 + 1 + 1;
constexpr std::int64_t kGradientCopies = 2;
}  // namespace

void markFloat8(OpList& layer, Quantization quantization) {
    const bool wholeGradient = quantization == Quantization::Fp8RowwiseGwHp;
    if (quantization != Quantization::Fp8Tensorwise && quantization != Quantization::Fp8Rowwise &&
        !wholeGradient) {
        return;
    }
    for (Op& op : layer.ops) {
        if (op.kind != OpKind::Gemm || op.outsideSelective || op.weights.empty()) {
            continue;
        }
        const std::int64_t weight =
            layer.weights[static_cast<std::size_t>(op.weights.front())].elements;
        const std::int64_t input = layer.tensor(op.inputs.front()).elements;
        const std::int64_t output = layer.tensor(op.outputs.front()).elements;
        op.castsBeforeInput = kCastBytes * weight;
        // rowwise_with_gw_hp forms the weight's gradient in 16 bits
        op.castsBeforeWeight = wholeGradient ? 0 : kCastBytes * input + kGradientCopies * output;
    }
}

}  // namespace fabricast
