#pragma once
#include "planner/base/checked.h"

#include <compare>
#include <cstdint>

namespace fabricast {

enum class Shard { None, Zero1, Zero2, Zero3, Fsdp, Hsdp };
enum class CpKind { Ring, AllGather, Ulysses, Hierarchical };
enum class ScheduleKind {
    None,
    Gpipe,
    OneFOneB,
    Interleaved,
    LoopedBfs,
    InterleavedZb,
    ZbH1,
    ZbH2,
    ZbV,
    VHalf,
    VMin,
    DualPipe,
    DualPipeV
};
enum class Offload {
    None,
    OptimizerCpu,
    OptimizerNvme,
    ParametersCpu,
    ParametersNvme,
    Activations
};
/// Whether states lie on drives; the parameters do only under ParametersNvme.
constexpr bool usesDrives(Offload offload) {
    return offload == Offload::OptimizerNvme || offload == Offload::ParametersNvme;
}
/// Whether parameters lie off the GPU, in host memory or on drives.
constexpr bool offloadsParameters(Offload offload) {
    return offload == Offload::ParametersCpu || offload == Offload::ParametersNvme;
}

/// What lies next to tp and cp in the numbering of ranks, and so inside a node where there is room.
enum class RankPlacement { DpInside, PpInside };

/// How the ranks are divided: tp · cp · dp · pp = world (dense), etp · ep · edp · pp = world
/// (experts).
///     const Layout layout{.dp = 16, .tp = 8, .pp = 4};
struct Layout {
    std::int64_t dp = 1;
    std::int64_t tp = 1;
    bool sp =
        false;  ///< sequence parallel: activations outside the TP region are split over tp too
    std::int64_t pp = 1;
    std::int64_t vpp = 1;  ///< model chunks per pipeline rank
    std::int64_t cp = 1;
    CpKind cpKind = CpKind::Ring;
    std::int64_t ep = 1;
    std::int64_t etp = 1;
    Shard shard = Shard::None;
    std::int64_t shardSize = 0;   ///< ranks that share one copy of the states; 0: all of dp · cp
    std::int64_t microBatch = 1;  ///< samples per rank per microbatch
    ScheduleKind schedule = ScheduleKind::None;
    std::int64_t scheduleGroup = 0;  ///< interleaved: microbatches per group; 0: pp
    Offload offload = Offload::None;
    RankPlacement placement = RankPlacement::DpInside;

    [[nodiscard]] std::int64_t world() const { return saturatingProduct(dp, tp, pp, cp); }
    /// Ranks that hold the same parameters of the dense part.
    [[nodiscard]] std::int64_t replicas() const { return saturatingProduct(dp, cp); }
    [[nodiscard]] std::int64_t expertReplicas() const {
        return world() / saturatingProduct(pp, ep, etp);
    }
    friend auto operator<=>(const Layout&, const Layout&) = default;
};

}  // namespace fabricast
