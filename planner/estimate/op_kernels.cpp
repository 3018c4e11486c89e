#include "planner/estimate/op_kernels.h"

#include "planner/base/integers.h"
#include "planner/ops/native_attention.h"
#include "planner/ops/rank_shape.h"
#include "planner/spec/kernel_names.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricast {

namespace {

std::int64_t root(double value) {
    return std::max<std::int64_t>(1, std::llround(std::sqrt(value)));
}

/// The three sides of `count` products, of count·rows·depth, count·columns·depth and
/// count·rows·columns elements.
Product solved(double left, double right, double out, std::int64_t count) {
    const double n = static_cast<double>(count);
    return {.rows = root(left * out / (right * n)),
            .columns = root(right * out / (left * n)),
            .depth = root(left * right / (out * n)),
            .count = count};
}

/// For attention in fp32, which has no fit of its own. TF32: twice the bytes, at half the 16-bit
/// rate at best. Without: CUDA cores lose less of their peak to the softmax than tensor cores do (a
/// step of GPT-2 on H100).
double slowerThanIn16Bits(const Scenario& scenario, const KernelProfile& kernels, GemmType type) {
    constexpr double kTf32 = 2.0;
    constexpr double kCudaCores = 0.65;
    const bool isWide = type == GemmType::Tf32 || type == GemmType::Fp32;
    if (!isWide || std::ranges::find(kernels.attention, type, &AttentionFit::type) !=
                       kernels.attention.end()) {
        return 1.0;
    }
    const GemmFit* const narrow = kernels.fit(GemmType::Bf16);
    const GemmFit* const plain = kernels.fit(GemmType::Fp32);
    const bool isPlain = type == GemmType::Fp32 && !scenario.settings.precision.tf32;
    return isPlain && narrow != nullptr && plain != nullptr
               ? std::max(1.0, kCudaCores * (narrow->peak / plain->peak))
               : kTf32;
}

}  // namespace

std::optional<Product> productOf(const Scenario& scenario, const OpList& list, const Op& op) {
    if (op.inputs.empty() || op.outputs.empty()) {
        return std::nullopt;
    }
    const auto out = static_cast<double>(list.tensor(op.outputs.front()).elements);
    if (op.kind == OpKind::Gemm && op.weights.empty()) {  // a product of two activations
        if (op.inputs.size() < 2) {
            return std::nullopt;
        }
        const RankShape shape = rankShape(scenario);
        return solved(static_cast<double>(list.tensor(op.inputs[0]).elements),
                      static_cast<double>(list.tensor(op.inputs[1]).elements),
                      out,
                      shape.batch * shape.heads);
    }
    if (op.kind != OpKind::Gemm && op.kind != OpKind::GroupedGemm) {
        return std::nullopt;
    }
    const WeightUse& weight = list.weights[static_cast<std::size_t>(op.weights.front())];
    const auto input = static_cast<double>(list.tensor(op.inputs.front()).elements);
    const std::int64_t stacked = op.stack == StackUse::Whole ? 1 : weight.experts;
    const auto matrix = static_cast<double>(weight.elements / stacked);
    if (op.kind == OpKind::GroupedGemm) {
        const std::int64_t experts =
            std::max<std::int64_t>(1, scenario.model.moe->experts / scenario.layout.ep);
        // rows·depth, experts·columns·depth, rows·columns
        const auto n = static_cast<double>(experts);
        const double rows = std::sqrt(input * out * n / matrix);
        const double depth = input / rows;
        return Product{.rows = std::max<std::int64_t>(1, std::llround(rows)),
                       .columns = std::max<std::int64_t>(1, std::llround(out / rows)),
                       .depth = std::max<std::int64_t>(1, std::llround(depth)),
                       .count = experts,
                       .grouped = true};
    }
    if (weight.columns > 0) {
        const auto depth = static_cast<double>(weight.columns);
        const double columns = matrix / depth;
        return Product{.rows = std::max<std::int64_t>(1, std::llround(out / columns)),
                       .columns = std::max<std::int64_t>(1, std::llround(columns)),
                       .depth = weight.columns};
    }
    return solved(input, matrix, out, 1);
}

GemmType gemmTypeOf(const Settings& settings, bool quantized, const KernelProfile& kernels) {
    if (quantized) {
        switch (settings.kernels.quantization) {
            case Quantization::None:
                break;
            case Quantization::Fp8Tensorwise:
            case Quantization::Fp8Rowwise:
            case Quantization::Fp8RowwiseGwHp:
                return GemmType::Fp8Gemm;
            case Quantization::Fp8Blockwise:
                return GemmType::Fp8Block;
            case Quantization::MxFp8:
                return GemmType::MxFp8;
            case Quantization::NvFp4:
                return GemmType::NvFp4;
        }
    }
    switch (settings.precision.compute) {
        case Dtype::Fp32:
            return settings.precision.tf32 && kernels.supports(GemmType::Tf32) ? GemmType::Tf32
                                                                               : GemmType::Fp32;
        case Dtype::Fp16:
            return GemmType::Fp16;
        default:
            return GemmType::Bf16;
    }
}

std::vector<WindowedAttention> attentionsOf(const Scenario& scenario,
                                            const KernelProfile& kernels) {
    const RankShape shape = rankShape(scenario);
    const AttentionSpec& spec = scenario.model.attention;
    GemmType type = gemmTypeOf(scenario.settings, false, kernels);
    if (scenario.settings.kernels.fp8Attention) {
        type = GemmType::Fp8;
    }
    const double wide = slowerThanIn16Bits(scenario, kernels, type);
    type = wide > 1.0 ? GemmType::Bf16 : type;
    Attention attention{.code = scenario.settings.kernels.attentionCode,
                        .type = type,
                        .batch = shape.batch,
                        .heads = shape.heads,
                        .kvHeads = shape.kvHeads,
                        .queries = shape.fullSequence,
                        .keys = shape.fullSequence,
                        .headDim = spec.keyDim(),
                        .valueDim = spec.valueDim(),
                        // A bias per pair (ALiBi) is added to every score, masked or not.
                        .causal = scenario.model.position != PositionKind::Alibi};
    if (const std::int64_t document = scenario.attendedTokens(); document < shape.fullSequence) {
        attention.batch = std::max<std::int64_t>(
            1, std::llround(asDouble(shape.batch * shape.fullSequence) / asDouble(document)));
        attention.queries = attention.keys = document;
    }
    std::map<std::int64_t, double> windows;
    double masked = 0.0;  // kernels under a mask compute the whole square
    for (std::size_t layer = 0; layer < scenario.model.window.size(); ++layer) {
        const std::int64_t window = scenario.model.window[layer];
        const bool isMasked = masksWindow(scenario, static_cast<std::int64_t>(layer));
        (isMasked ? masked : windows[window < attention.queries ? window : 0]) +=
            1.0 / static_cast<double>(scenario.model.window.size());
    }
    if (windows.empty() && masked == 0.0) {
        windows[0] = 1.0;
    }
    std::vector<WindowedAttention> all;
    for (const auto& [window, share] : windows) {
        attention.window = window;
        all.push_back({attention, wide * share});
    }
    if (masked > 0.0) {
        attention.window = 0;
        attention.causal = false;
        attention.biased = true;
        attention.kvHeads = attention.heads;
        all.push_back({attention, wide * masked});
    }
    return all;
}

Result<void> checkTypes(const Scenario& scenario, const KernelProfile& kernels) {
    const auto refuse = [&](const char* key, std::string_view type, const char* hint) {
        return fail(
            Error::Code::Unsupported,
            key,
            scenario.cluster.node.gpu.name + " has no matrix products in " + std::string(type),
            hint);
    };
    const GemmType plain = gemmTypeOf(scenario.settings, false, kernels);
    if (!kernels.supports(plain)) {
        const bool hasHalf = kernels.supports(GemmType::Fp16);
        return refuse("settings.precision.compute",
                      nameOf(plain),
                      hasHalf ? "--precision fp16, or another GPU"
                              : "another GPU, or dense_peak of its profile in this type");
    }
    const GemmType quantised = gemmTypeOf(scenario.settings, true, kernels);
    if (!kernels.supports(quantised)) {
        return refuse("settings.kernels.quantization",
                      nameOf(scenario.settings.kernels.quantization),
                      "--precision bf16, or another GPU");
    }
    if (scenario.settings.optimizer.kind == OptimizerKind::Muon &&
        !kernels.supports(GemmType::Bf16)) {
        return refuse("settings.optimizer.kind", nameOf(GemmType::Bf16), "--optimizer adamw");
    }
    const bool fp8Attention = scenario.settings.kernels.fp8Attention;
    if (fp8Attention && std::ranges::find(kernels.attention, GemmType::Fp8, &AttentionFit::type) ==
                            kernels.attention.end()) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.fp8_attention",
                    scenario.cluster.node.gpu.name + " has no measured attention in fp8",
                    "--set settings.kernels.fp8_attention=false");
    }
    return {};
}

}  // namespace fabricast
