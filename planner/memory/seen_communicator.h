#pragma once
#include "planner/memory/nccl_buffers.h"
#include "planner/memory/nccl_groups.h"
#include "planner/result/evidence.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/settings.h"
#include "planner/spec/sourced.h"

namespace fabricast {

/// What NCCL may hold for one group.
struct CommunicatorRange {
    NcclBuffers buffers;  ///< by its rules, as expected
    Bytes least;
    Bytes value;
    Bytes most;
};

/// NCCL's rules, and what was seen of a group of all GPUs of a node: what was measured here holds
/// for every group, and its settings change it by the rules; else what others saw above the rules
/// is added to them. It is of a cluster that outlives it.
///     const SeenCommunicator seen(cluster);
///     seen.rangeOf(communicator, settings.nccl).value
class SeenCommunicator {
public:
    explicit SeenCommunicator(const ClusterSpec& cluster);

    [[nodiscard]] CommunicatorRange rangeOf(const NcclCommunicator& one,
                                            const NcclSettings& settings) const;
    /// The least of it alone.
    [[nodiscard]] Bytes leastOf(const NcclCommunicator& one, const NcclSettings& settings) const;

private:
    [[nodiscard]] bool isMeasured() const {
        return seen_.source == Source::Measured && seen_.value;
    }

    const Sourced<Bytes>& seen_;
    Headline<Bytes> beside_;  ///< NCCL's rules
};

/// A size of a profile with its interval.
Headline<Bytes> headlineOf(const Sourced<Bytes>& size);

}  // namespace fabricast
