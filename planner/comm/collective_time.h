#pragma once
#include "planner/comm/nccl_estimate.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace fabricast {

/// How well the time of a collective is known.
enum class CollectiveEvidence {
    Measured,      ///< on these GPUs with this number of ranks
    NearMeasured,  ///< on these GPUs with other ranks, or on GPUs of the same links
    Modelled,      ///< the library's own model, on a measured kind of network
    Assumed        ///< over a network or PCIe tree without measurements
};

/// How long one call takes, and what it holds meanwhile.
struct CollectiveTime {
    Seconds seconds;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    CollectiveProtocol protocol = CollectiveProtocol::Simple;
    std::int64_t channels = 0;  ///< multiprocessors that its kernel holds on every GPU
    Bytes wire;                 ///< what each rank sends
    CollectiveEvidence evidence = CollectiveEvidence::Modelled;
};

/// One algorithm with one protocol: latency + bytes / bandwidth.
struct CollectiveLine {
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    CollectiveProtocol protocol = CollectiveProtocol::Simple;
    Seconds latency;
    BytesPerSecond bandwidth;  ///< of the collective's size, as nccl-tests' algbw
    std::int64_t channels = 1;
};

/// This is the prior of one collective over one group, before any measurement: every line that the
/// library could pick, of which it takes the fastest for the size.
///     const CollectivePrior gather(CollectiveKind::AllGather, shape, links, nccl);
///     gather.at(64_MiB).seconds
class CollectivePrior {
public:
    CollectivePrior(CollectiveKind kind,
                    const GroupShape& shape,
                    const ClusterLinks& links,
                    const NcclModel& model);

    [[nodiscard]] CollectiveTime at(Bytes size) const;
    [[nodiscard]] Seconds secondsAt(double size) const;

private:
    struct Choice {
        Seconds seconds;
        std::size_t line = 0;
    };
    void add(CollectiveAlgorithm algorithm,
             CollectiveProtocol protocol,
             BytesPerSecond bus,
             std::int64_t channels = 0);
    [[nodiscard]] std::int64_t kernelChannels() const;
    void addRings();
    void addTrees();
    void addSwitch();
    void addPat();
    void addCollNet();
    void addPairs();
    [[nodiscard]] BytesPerSecond pairNetwork(bool toAll) const;
    [[nodiscard]] Choice choose(double size) const;
    [[nodiscard]] double treeCorrection(CollectiveProtocol protocol, double size) const;

    CollectiveKind kind_;
    GroupShape shape_;
    const ClusterLinks* links_;
    const NcclModel* model_;
    NcclGraph graph_;
    std::array<CollectiveLine, 10> lines_{};
    std::size_t count_ = 0;
};

/// The same for one size. A group of one rank takes no time. Over nodes without a network: forever.
CollectiveTime collectiveTime(CollectiveKind kind,
                              Bytes size,
                              const GroupShape& shape,
                              const ClusterLinks& links,
                              const NcclModel& model);

/// What each rank sends over its links for a collective of that size.
double wireBytes(CollectiveKind kind, CollectiveAlgorithm algorithm, double size, double ranks);

}  // namespace fabricast
