#include "planner/evidence/borrow_kernels.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// CUDA cores in fp32 reach this share of the peak: 0.90 on V100, 0.61 on RTX 5090.
constexpr double kFp32Efficiency = 0.85;
/// A type without measurements, and a related one with them.
constexpr double kOtherTypeError = 0.05;
/// A byte of scale to 32 elements.
constexpr double kMxFp8Bytes = 1.03125;
constexpr double kFp32Bytes = 4;

std::optional<FlopsPerSecond> peakOf(const GpuSpec& gpu, const char* dtype) {
    const auto found = gpu.densePeak.find(dtype);
    return found == gpu.densePeak.end() ? std::nullopt : found->second.value;
}

/// 16-bit products: bf16, or fp16 on GPUs without bf16 (Volta).
std::optional<FlopsPerSecond> sixteenBitPeak(const GpuSpec& gpu) {
    const auto bf16 = peakOf(gpu, "bf16");
    return bf16 ? bf16 : peakOf(gpu, "fp16");
}

/// What the efficiency of each type is multiplied with.
double efficiencyScale(const KernelProfile& donor, const GpuSpec& gpu, const BorrowedRates& rates) {
    const GemmFit* fit = donor.fit(GemmType::Bf16);
    const auto peak = sixteenBitPeak(gpu);
    if (fit == nullptr || !peak || !rates.rate.value) {
        return 1.0;
    }
    return *rates.rate.value / *peak * (1 + fit->throttle) / fit->efficiency;
}

FitError wider(FitError error, double extra) {
    return {error.mean + extra, error.p90 + 2 * extra};
}

std::optional<FlopsPerSecond> newPeak(const GpuSpec& gpu, GemmType type) {
    return type == GemmType::Bf16 ? sixteenBitPeak(gpu) : peakOf(gpu, peakName(type));
}

void scaleGemms(KernelProfile& kernels, const GpuSpec& gpu, double scale, double extraError) {
    for (std::size_t i = 0; i < kGemmTypes; ++i) {
        std::optional<GemmFit>& fit = kernels.gemm[i];
        const auto peak = newPeak(gpu, static_cast<GemmType>(i));
        if (!fit || !peak) {
            fit.reset();
            continue;
        }
        fit->peak = *peak;
        // The scale is of 16-bit products: other types of the donor may be of another day, and
        // bring no GPU above its peak.
        const double most = std::max(fit->efficiency, 1.0 + fit->throttle);
        fit->efficiency *= scale;
        if (static_cast<GemmType>(i) != GemmType::Bf16) {
            fit->efficiency = std::min(fit->efficiency, most);
        }
        fit->exactSums = gpu.vendor == "NVIDIA" ? fit->exactSums : 1.0;
        fit->source = Source::Assumed;
        fit->error = wider(fit->error, extraError);
    }
}

void scaleAttention(KernelProfile& kernels, const GpuSpec& gpu, double scale, double extraError) {
    std::erase_if(kernels.attention,
                  [&](const AttentionFit& fit) { return !newPeak(gpu, fit.type); });
    for (AttentionFit& fit : kernels.attention) {
        fit.peak = *newPeak(gpu, fit.type);
        fit.efficiency *= scale;
        fit.source = Source::Assumed;
        fit.error = wider(fit.error, extraError);
    }
}

/// Another vendor has one kernel of its own, which starts as the donor's native one.
void keepNativeAttention(KernelProfile& kernels) {
    if (kernels.attention.empty()) {
        return;
    }
    const AttentionCode native = kernels.attention.front().code;
    std::erase_if(kernels.attention,
                  [native](const AttentionFit& fit) { return fit.code != native; });
    std::erase_if(kernels.backward, [native](const BackwardRatio& ratio) {
        return ratio.code != AttentionCode::Native && ratio.code != native;
    });
    for (AttentionFit& fit : kernels.attention) {
        fit.code = AttentionCode::Native;
    }
}

/// A fit of the 16-bit shapes for another width, with what was measured of it on this GPU.
GemmFit wideFit(GemmFit fit, const GpuSpec& gpu, const char* dtype, FlopsPerSecond peak) {
    fit.peak = peak;
    fit.inputBytes = kFp32Bytes;
    fit.outputBytes = kFp32Bytes;
    fit.source = Source::Assumed;
    fit.error = wider(fit.error, kOtherTypeError);
    const auto measured = std::ranges::find(gpu.measuredMatmul, dtype, &MeasuredRate::dtype);
    if (measured != gpu.measuredMatmul.end() && measured->rate.value) {
        fit.efficiency = *measured->rate.value / peak * (1 + fit.throttle);
    }
    return fit;
}

}  // namespace

const char* peakName(GemmType type) {
    switch (type) {
        case GemmType::Bf16:
            return "bf16";
        case GemmType::Fp16:
            return "fp16";
        case GemmType::Tf32:
            return "tf32";
        case GemmType::Fp32:
            return "fp32";
        case GemmType::NvFp4:
            return "fp4";
        case GemmType::Fp8Gemm:
        case GemmType::Fp8:
        case GemmType::Fp8Block:
        case GemmType::MxFp8:
            break;
    }
    return "fp8";
}

KernelProfile borrowKernels(const KernelProfile& donor,
                            const GpuSpec& gpu,
                            const BorrowedRates& rates) {
    KernelProfile kernels = donor;
    const double scale = efficiencyScale(donor, gpu, rates);
    const double extraError = rates.extraError.value.value_or(0.0);
    kernels.name = gpu.name;
    kernels.donor = donor.name;
    kernels.multiprocessors = rates.multiprocessors.value.value_or(
        gpu.multiprocessors.value.value_or(donor.multiprocessors));
    kernels.memoryBandwidth = gpu.memoryBandwidth.value.value_or(donor.memoryBandwidth);
    kernels.gemmScale *= rates.timeScale.value.value_or(1.0);
    kernels.sustained = rates.sustained.value_or(donor.sustained);
    scaleGemms(kernels, gpu, scale, extraError);
    scaleAttention(kernels, gpu, scale, extraError);
    if (gpu.vendor != "NVIDIA") {
        keepNativeAttention(kernels);
    }
    kernels.grouped.source = Source::Assumed;
    for (MemoryFit& fit : kernels.memory) {
        fit.source = Source::Assumed;
        fit.error = wider(fit.error, extraError);
    }
    return kernels;
}

KernelProfile completeKernels(KernelProfile kernels, const GpuSpec& gpu) {
    const auto slot = [&](GemmType type) -> std::optional<GemmFit>& {
        return kernels.gemm[static_cast<std::size_t>(type)];
    };
    std::optional<GemmFit>& bf16 = slot(GemmType::Bf16);
    const auto derive = [&](GemmType type) {
        const auto peak = peakOf(gpu, peakName(type));
        if (bf16 && peak && !slot(type)) {
            slot(type) = wideFit(*bf16, gpu, peakName(type), *peak);
        }
    };
    derive(GemmType::Tf32);
    const bool hadFp32 = slot(GemmType::Fp32).has_value();
    if (std::optional<GemmFit>& fp32 = slot(GemmType::Fp32); !hadFp32 && bf16) {
        if (const auto peak = peakOf(gpu, "fp32")) {
            GemmFit start = *bf16;
            start.efficiency = kFp32Efficiency * (1 + start.throttle);
            fp32 = wideFit(start, gpu, "fp32", *peak);
        }
    }
    if (const auto peak = peakOf(gpu, "fp16"); bf16 && peak && !slot(GemmType::Fp16)) {
        slot(GemmType::Fp16) = *bf16;
        slot(GemmType::Fp16)->peak = *peak;
    }
    const std::optional<GemmFit>& blocks = slot(GemmType::Fp8Block);
    if (blocks && gpu.architecture.starts_with("sm_10") && !slot(GemmType::MxFp8)) {
        GemmFit mx = *blocks;
        mx.inputBytes = kMxFp8Bytes;
        mx.source = Source::Assumed;
        mx.error = wider(mx.error, kOtherTypeError);
        slot(GemmType::MxFp8) = mx;
    }
    if (!peakOf(gpu, "bf16")) {
        bf16.reset();
    }
    return kernels;
}

}  // namespace fabricast
