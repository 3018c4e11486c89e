#pragma once
#include "planner/comm/collective_time.h"
#include "planner/evidence/measured_collectives.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Sizes at which curves are kept: 64 B, 128 B, ... 64 GiB.
inline constexpr int kFirstKnot = 6;
inline constexpr std::size_t kKnots = 31;

/// What a user measured holds for the sizes of it, and beyond them to so many times that: the next
/// size of a log whose sizes are four apart.
inline constexpr double kMeasuredReach = 4.0;

/// This is how far a measured curve is from the library's own model for the same group: the
/// logarithm of measured over modelled time, by size.
struct CollectiveCorrection {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 2;
    std::int64_t nodes = 1;
    std::int64_t perNode = 1;
    std::size_t machine = 0;  ///< of the table
    double leastBytes = 0.0;  ///< that were measured
    double mostBytes = 0.0;
    std::array<double, kKnots> logRatio{};

    /// Whether so many bytes are within the reach of what was measured.
    [[nodiscard]] bool reaches(double bytes) const {
        return bytes * kMeasuredReach >= leastBytes && bytes <= mostBytes * kMeasuredReach;
    }
};

/// What is compared when a correction is looked for.
struct MeasuredPlace {
    std::string name;               ///< of the file
    std::vector<std::string> gpus;  ///< profiles
    std::string generation;
    NodeFabric fabric = NodeFabric::Pcie;
    bool pciPeers = true;
    std::string node;         ///< profile
    std::string networkKind;  ///< "infiniband"
    std::string network;      ///< profile
    bool own = false;         ///< measured by the user
};

/// All corrections, once per program. Files for GPUs that are not in the model are ignored.
///     const CorrectionTable table = correctionTable(measured, nccl);
struct CorrectionTable {
    std::vector<MeasuredPlace> machines;
    std::vector<CollectiveCorrection> rows;
};
CorrectionTable correctionTable(const std::vector<MeasuredCollectives>& measured,
                                const NcclModel& model);

/// The position of a group, as used by corrections.
MeasuredPlace placeOf(const ClusterSpec& cluster, const ClusterLinks& links);

/// The correction of one size, and where it is from.
struct KnotCorrection {
    double logRatio = 0.0;
    CollectiveEvidence evidence = CollectiveEvidence::Modelled;
    std::size_t machine = 0;
    std::size_t pooled = 1;  ///< machines whose mean it is, `machine` the first
    bool own = false;        ///< measured by the user, who may have measured other sizes only
};
using ChosenCorrection = std::array<std::optional<KnotCorrection>, kKnots>;

/// The correction for a group: of the user's own measurement of this very machine that reaches so
/// far, the first of several, over nodes with as many ranks in each; else of the nearest machine,
/// or the mean of those with the same die that are as near, between its two nearest numbers of
/// ranks, and the weaker the farther it is. What is built in holds for sizes beyond its own too.
/// Nothing where nothing comparable was measured.
ChosenCorrection chooseCorrection(CollectiveKind kind,
                                  const GroupShape& shape,
                                  const MeasuredPlace& place,
                                  const CorrectionTable& table);

/// What corrects a size: between a size that the user's measurement reaches and one that it does
/// not, the other.
const std::optional<KnotCorrection>& correctionAt(const ChosenCorrection& chosen, Bytes size);

/// The knot at or below a size, and how far to the next it is.
struct KnotPlace {
    std::size_t knot = 0;
    double part = 0.0;
};
KnotPlace knotPlace(Bytes size);

}  // namespace fabricast
