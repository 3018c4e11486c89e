#pragma once
#include "planner/base/units.h"
#include "planner/result/evidence.h"
#include "planner/result/rejection.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What bytes on the device are for. The order is the order of every table that shows them.
enum class MemoryKind : std::uint8_t {
    Weights,
    Gradients,
    Optimizer,
    Activations,
    Recomputed,
    Gathered,
    Communication,
    Backward,
    Loss,
    Workspace,
    Buffers,
    Count_
};
inline constexpr std::size_t kMemoryKinds = static_cast<std::size_t>(MemoryKind::Count_);

/// Bytes by kind at one moment; the parts always sum to the total.
struct MemoryByKind {
    std::array<Bytes, kMemoryKinds> bytes{};

    [[nodiscard]] Bytes of(MemoryKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] Bytes total() const {
        Bytes sum;
        for (const Bytes part : bytes) {
            sum += part;
        }
        return sum;
    }
};

/// The fullest moment of one phase of a run: loading, steps, evaluation, checkpoint.
struct PhasePeak {
    std::string_view name;
    Bytes requested{};
    std::string peakAt;
};

/// One pipeline rank (stage) at its peak.
struct StageMemory {
    std::int64_t stage = 0;
    std::int64_t inFlight = 1;  ///< microbatches (model chunks, with vpp) alive at the peak
    std::int64_t localParameters = 0;
    MemoryByKind atPeak;       ///< requested bytes, split; sums to `requested`
    std::string peakAt;        ///< "loss", "backward of layer 31", "optimizer step"
    Bytes requested{};         ///< what tensors ask for
    Bytes allocated{};         ///< rounded by the caching allocator
    Headline<Bytes> reserved;  ///< what the allocator takes, where there is not as much all of it
    Bytes pinned{};            ///< of it what stays taken where the device is short
    Bytes savedPerLayer{};     ///< kept for backward by one layer and microbatch
    Bytes betweenSteps{};      ///< live before a step starts
    Bytes context{};           ///< CUDA context and modules, outside the allocator
    Bytes collectives{};       ///< NCCL buffers, outside the allocator
    Bytes host{};              ///< pinned and pageable, per rank
    Bytes nvme{};              ///< per rank
    std::vector<Term> terms;
    /// In the order of a run; empty where it has steps alone. The fullest is what `atPeak` is of.
    std::vector<PhasePeak> phases;
    std::int64_t eventsWalked = 0;  ///< allocations and releases of its step
};

/// What the ranks of a node keep in its host memory, or on its drives, and how much there is.
struct HostNeed {
    Bytes perNode{};             ///< 0: nothing is offloaded
    std::optional<Bytes> there;  ///< empty: not known
    std::string_view what = "host memory";
    std::string_view flag = "--host-memory";  ///< that says how much there is

    /// Any host of a GPU has as much.
    static constexpr Bytes kSurelyThere{std::int64_t{2} << 30};

    /// The one rule about both: what is not known may be enough.
    [[nodiscard]] Verdict verdict() const {
        const bool isMemory = what == "host memory";
        const Bytes known = there.value_or(isMemory ? kSurelyThere : Bytes());
        if (perNode <= known) {
            return Verdict::Fits;
        }
        return there ? Verdict::DoesNotFit : Verdict::Likely;
    }
    [[nodiscard]] bool isUnknown() const { return isUnsure(verdict()); }
};

/// This is the answer to "what does it need in memory, and does it fit?"
struct MemoryBreakdown {
    std::vector<StageMemory> stages;
    std::size_t fullest = 0;  ///< index of the stage that decides
    Headline<Bytes> peak;     ///< on the device: allocated + context + collectives; hi includes the
                              ///< allocator's reserve, as far as the device has it
    Bytes unpressed{};        ///< what hi is on a device that has as much
    Bytes pinned{};           ///< what an allocator that is short cannot give back, with the rest
    std::vector<Term> limits;  ///< the ends of `peak`, `unpressed` and `pinned`, with their parts
    Bytes capacity{};          ///< what the driver reports
    double reserve = 0.0;      ///< the share of it that was asked to be left free
    Verdict onDevice = Verdict::Fits;  ///< of the peak alone
    HostNeed host;
    HostNeed drives{.what = "NVMe space", .flag = "--nvme"};
    Verdict verdict = Verdict::Fits;    ///< the worst of the device's, the host's and the drives'
    std::vector<Rejection> rejections;  ///< filled unless it surely fits
    std::vector<std::string> notes;     ///< what was assumed

    /// Of a node's host memory and drives what decides whether it fits.
    [[nodiscard]] const HostNeed& ofNode() const {
        return drives.verdict() > host.verdict() ? drives : host;
    }
    /// What the peak is judged against.
    [[nodiscard]] Bytes room() const {
        return Bytes(
            static_cast<std::int64_t>(static_cast<double>(capacity.count()) * (1.0 - reserve)));
    }
};

}  // namespace fabricast
