#include "planner/spec/attention_model.h"
#include "planner/spec/kernel_names.h"

#include <charconv>
#include <string_view>

namespace fabricast {

namespace {

constexpr int kAmpere = 80;

}  // namespace

std::optional<int> computeCapability(const GpuSpec& gpu) {
    constexpr std::string_view kPrefix = "sm_";
    const std::string_view text = gpu.architecture;
    if (!text.starts_with(kPrefix)) {
        return std::nullopt;
    }
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, trouble] = std::from_chars(text.data() + kPrefix.size(), end, value);
    return trouble == std::errc() ? std::optional(value) : std::nullopt;
}

bool runsFlashAttention(const GpuSpec& gpu) {
    return computeCapability(gpu).value_or(kAmpere) >= kAmpere;
}

bool runsFusedAttention(const GpuSpec& gpu, const ModelSpec& model) {
    return model.attention.sinks ? gpu.family == "Hopper"
                                 : runsFlashAttention(gpu) && !lacksFusedAttention(model);
}

bool multipliesBf16(const GpuSpec& gpu) {
    return !gpu.kernels || gpu.kernels->supports(GemmType::Bf16);
}

bool takesTf32(const GpuSpec& gpu) {
    return computeCapability(gpu).value_or(0) >= kAmpere;
}

std::string capabilityText(const GpuSpec& gpu) {
    constexpr int kMinors = 10;
    const int capability = computeCapability(gpu).value_or(0);
    return gpu.name + " has " + std::to_string(capability / kMinors) + "." +
           std::to_string(capability % kMinors);
}

}  // namespace fabricast
