#pragma once
#include "planner/base/units.h"
#include "planner/spec/attention_code.h"
#include "planner/spec/sourced.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What a matrix multiply reads. Fp8Gemm multiplies alone; Fp8, Fp8Block, MxFp8 and NvFp4 begin by
/// quantising a 16-bit activation.
enum class GemmType { Bf16, Fp16, Tf32, Fp32, Fp8Gemm, Fp8, Fp8Block, MxFp8, NvFp4 };
inline constexpr std::size_t kGemmTypes = 9;

/// How far held-out measurements were from a fit, relative to them.
struct FitError {
    double mean = 0.0;
    double p90 = 0.0;

    friend bool operator==(const FitError&, const FitError&) = default;
};

/// A block of the output that one multiprocessor makes at a time.
struct Tile {
    double rows = 0.0;
    double columns = 0.0;

    friend bool operator==(const Tile&, const Tile&) = default;
};

/// A GPU's matrix multiplies of one type, in the parameters of docs/kernels.md.
struct GemmFit {
    FlopsPerSecond peak{};
    double efficiency = 0.0;     ///< of the peak, in an endless burst-clocked loop over k
    double prologueDepth = 0.0;  ///< what filling and draining the pipeline costs, in steps of k
    double tilePenalty = 0.0;    ///< what a small tile's longer edge costs
    double waveFraction = 0.0;   ///< 1: a last wave counts whole; 0: it counts as it is filled
    Seconds launch{};
    double bandwidthEfficiency = 0.0;
    double joinPower = 0.0;  ///< p of (compute^p + memory^p)^(1/p)
    double throttle = 0.0;   ///< how much slower a kernel gets that lasts past throttleTime
    Seconds throttleTime{};
    double quantiseTraffic = 0.0;  ///< bytes per element of the activation
    double splitKTraffic = 0.0;    ///< passes over the fp32 partial sums
    /// Products of a backward over the fit's, where they sum in fp32 and the fit's kernels do not.
    double exactSums = 1.0;
    double inputBytes = 0.0;
    double outputBytes = 0.0;
    Source source = Source::Assumed;
    FitError error;

    friend bool operator==(const GemmFit&, const GemmFit&) = default;
};

struct HeadRate {
    std::int64_t dim = 0;
    double rate = 1.0;  ///< over the rate at 128

    friend bool operator==(const HeadRate&, const HeadRate&) = default;
};

/// A GPU's attention forward by one kernel in one type.
struct AttentionFit {
    AttentionCode code = AttentionCode::Native;
    GemmType type = GemmType::Bf16;
    bool paged = false;   ///< timed with the paged cache of a server; a trainer's is dense
    bool inLoop = false;  ///< timed in a loop as long as training: its clock has fallen already
    FlopsPerSecond peak{};
    double efficiency = 0.0;
    std::vector<HeadRate> headRates;  ///< ascending
    double baseLength = 0.0;          ///< what starting a row of tiles costs, in keys
    double tail = 0.0;                ///< how much of the last tile nothing hides
    double joinPower = 0.0;
    double queryTraffic = 0.0;  ///< passes over queries and outputs that are not hidden
    double keyTraffic = 0.0;
    Seconds launch{};
    double throttle = 0.0;
    Seconds throttleTime{};
    double inputBytes = 0.0;
    Source source = Source::Assumed;
    FitError error;

    friend bool operator==(const AttentionFit&, const AttentionFit&) = default;
};

/// Backward over forward time with less of its tail, at 4,096 tokens and from 32,768 on.
struct BackwardRatio {
    AttentionCode code = AttentionCode::Native;  ///< Native: of any code that has none of its own
    std::int64_t headDim = 0;
    std::int64_t valueDim = 0;
    double atShort = 0.0;
    double atLong = 0.0;
    double tail = 1.0;  ///< of forward's: backward has tiles of keys too, and fills the GPU better

    friend bool operator==(const BackwardRatio&, const BackwardRatio&) = default;
};

/// Experts' matrix multiplies as one kernel, relative to the dense fit of all their tiles.
struct GroupedFit {
    double forward = 1.0;
    double inputGradient = 1.0;
    double weightGradient = 1.0;
    double unbalanced = 1.0;  ///< as a router deals rows, over every expert having the mean
    Seconds perExpert{};      ///< where each expert is launched by itself
    Source source = Source::Assumed;
    FitError error;

    friend bool operator==(const GroupedFit&, const GroupedFit&) = default;
};

/// Operations that move bytes and compute next to nothing.
enum class MemoryOp {
    Elementwise,
    Norm,
    Softmax,
    CrossEntropy,
    FusedCrossEntropy,
    Permute,
    Cast,
    AmaxScale,
    Copy,
    EmbeddingScatter,
    Optimizer
};
inline constexpr std::size_t kMemoryOps = 11;

struct MemoryFit {
    double efficiency = 0.0;  ///< of the bandwidth, at any size beyond the launch
    Seconds launch{};
    Source source = Source::Assumed;
    FitError error;

    friend bool operator==(const MemoryFit&, const MemoryFit&) = default;
};

/// The long-run clock under load, over that of a benchmark's burst.
struct SustainedRate {
    double factor = 1.0;
    double least = 1.0;  ///< of the slowest host seen
    Source source = Source::Assumed;

    friend bool operator==(const SustainedRate&, const SustainedRate&) = default;
};

/// This is how long kernels take on one GPU: fitted to measurements, or borrowed from a GPU that
/// was measured and rescaled. planner/compute evaluates it; hardware_profiles/kernels holds it.
struct KernelProfile {
    std::string name;
    std::string donor;  ///< whose fit this is; empty: its own
    std::int64_t multiprocessors = 0;
    BytesPerSecond memoryBandwidth{};
    std::vector<Tile> tiles;
    double weightGradientFactor = 1.0;  ///< NT with fp32 accumulation over TN
    double inputGradientFactor = 1.0;   ///< NN over TN
    double gemmScale = 1.0;             ///< one machine's own factor on all matrix multiplies
    double attentionScale = 1.0;
    SustainedRate sustained;
    std::array<std::optional<GemmFit>, kGemmTypes> gemm{};
    std::vector<AttentionFit> attention;
    std::vector<BackwardRatio> backward;
    GroupedFit grouped;
    std::array<MemoryFit, kMemoryOps> memory{};

    [[nodiscard]] const GemmFit* fit(GemmType type) const {
        const auto& found = gemm[static_cast<std::size_t>(type)];
        return found ? &*found : nullptr;
    }
    [[nodiscard]] bool supports(GemmType type) const { return fit(type) != nullptr; }
    [[nodiscard]] const MemoryFit& fit(MemoryOp op) const {
        return memory[static_cast<std::size_t>(op)];
    }

    friend bool operator==(const KernelProfile&, const KernelProfile&) = default;
};

}  // namespace fabricast
