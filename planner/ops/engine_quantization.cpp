#include "planner/ops/engine_quantization.h"

#include "planner/spec/kernel_names.h"

namespace fabricast {

namespace {

/// Elements that share a scale of one byte; those of 128 x 128 and of whole tensors are not worth
/// counting.
constexpr std::int64_t kMxFp8Block = 32;
constexpr std::int64_t kNvFp4Block = 16;

bool multipliesInEveryOrder(const GpuSpec& gpu) {
    constexpr int kDatacenterBlackwell = 100;
    constexpr int kRtxBlackwell = 120;
    constexpr int kLater = 130;
    const int capability = computeCapability(gpu).value_or(0);
    return (capability >= kDatacenterBlackwell && capability < kRtxBlackwell) ||
           capability >= kLater;
}

}  // namespace

bool isQuantizedByEngine(const Settings& settings, std::string_view weight) {
    return settings.kernels.quantization != Quantization::None &&
           settings.kernels.code == ModelCode::TransformerEngine && weight != "router" &&
           weight != "output_layer";
}

std::int64_t quantizedBytes(Quantization quantization, std::int64_t elements) {
    switch (quantization) {
        case Quantization::None:
            return 0;
        case Quantization::MxFp8:
            return elements + elements / kMxFp8Block;
        case Quantization::NvFp4:
            return elements / 2 + elements / kNvFp4Block;
        default:
            return elements;
    }
}

std::int64_t quantizedCopies(const Scenario& scenario, std::int64_t elements) {
    const Quantization quantization = scenario.settings.kernels.quantization;
    const bool isStoredSo = scenario.settings.precision.parameters == Dtype::Fp8;
    const bool isOneScale = quantization == Quantization::Fp8Tensorwise;
    const bool byColumns = !isOneScale || !multipliesInEveryOrder(scenario.cluster.node.gpu);
    const int copies = (isStoredSo ? 0 : 1) + (byColumns ? 1 : 0);
    return copies * quantizedBytes(quantization, elements);
}

}  // namespace fabricast
