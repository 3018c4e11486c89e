#pragma once
#include "planner/base/units.h"
#include "planner/compute/kernel_times.h"
#include "planner/spec/kernel_profile.h"

#include <cstdint>

namespace fabricast {

/// How the operands lie: forward, input gradient and weight gradient of a linear layer.
enum class GemmLayout { Tn, Nn, Nt };

/// C[m,n] = A[m,k] · B[k,n], `batch` times.
/// What a product does about its first factor, where the type's fit has the quantisation of it: one
/// copy is written, for this product alone; two, as gradients of weights read its columns; or none,
/// as an earlier product did.
enum class Quantising { OneCopy, BothCopies, Done };

struct Gemm {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    GemmLayout layout = GemmLayout::Tn;
    GemmType type = GemmType::Bf16;
    bool accumulateFp32 = false;  ///< adds into an fp32 output, as fused weight gradients do
    bool addsToOutput = false;    ///< adds into an output of its own type, which it reads
    std::int64_t batch = 1;
    Quantising quantising = Quantising::OneCopy;

    [[nodiscard]] Flops flops() const {
        return Flops(2.0 * static_cast<double>(m) * static_cast<double>(n) *
                     static_cast<double>(k) * static_cast<double>(batch));
    }
};

/// The parts of a matrix multiply's time: around + (compute^p + memory^p)^(1/p).
struct GemmParts {
    Seconds compute{};
    Seconds memory{};
    Seconds around{};  ///< launch, and quantisation
};
GemmParts gemmParts(const KernelProfile& profile,
                    const GemmFit& fit,
                    const Gemm& gemm,
                    const RateState& state);

/// The time of one matrix multiply; the profile must support its type. The fit holds from 128 rows
/// and 1e9 operations on; below, it is a floor.
///     const Seconds forward = gemmTime(profile, {.m = 8192, .n = 28672, .k = 8192}, {});
Seconds gemmTime(const KernelProfile& profile, const Gemm& gemm, const RateState& state);

/// The same by a fit that is not in the profile yet, for the fitting program: without the layout's
/// factor and the machine's.
Seconds gemmTime(const KernelProfile& profile,
                 const GemmFit& fit,
                 const Gemm& gemm,
                 const RateState& state);

enum class GroupedPass { Forward, InputGradient, WeightGradient };

/// The same matrix multiply of every expert that a GPU holds, over the rows sent to it.
///     groupedGemmTime(profile, {.experts = 16, .rowsPerExpert = 512, .inputs = 4096,
///                               .outputs = 3072}, {});
struct GroupedGemm {
    std::int64_t experts = 1;
    double rowsPerExpert = 0.0;  ///< mean
    std::int64_t inputs = 0;     ///< width of a row before, and after
    std::int64_t outputs = 0;
    GroupedPass pass = GroupedPass::Forward;
    GemmType type = GemmType::Bf16;
    bool accumulateFp32 = false;  ///< weight gradients into an fp32 buffer
    bool balanced = true;         ///< every expert has the mean; else as a router deals them
    bool perExpert = false;       ///< a multiply an expert on a few streams (Transformer Engine)
    Quantising quantising = Quantising::OneCopy;

    [[nodiscard]] Flops flops() const;
};

/// The time of one pass over all experts; the profile must support the type.
Seconds groupedGemmTime(const KernelProfile& profile,
                        const GroupedGemm& group,
                        const RateState& state);

}  // namespace fabricast
