#pragma once
#include "planner/base/units.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/collective_kind.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One size of a collective. Sizes and rates are as nccl-tests counts them: algbw is the size over
/// the time, busbw what the busiest link of a ring would carry.
struct CollectiveTiming {
    Bytes size;
    Seconds seconds;
    Seconds modelled;  ///< by the library's own model, before measurements correct it
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    CollectiveProtocol protocol = CollectiveProtocol::Simple;
    std::int64_t channels = 0;  ///< multiprocessors that its kernel holds on every GPU
    Bytes sent;                 ///< by each rank
};

/// This is the answer to "how long does this collective take here?"
struct CollectiveAnswer {
    ClusterSpec cluster;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 0;
    std::int64_t nodes = 1;    ///< that the library treats as one each: a whole rack of NVLink
    std::int64_t perNode = 1;  ///< ranks in the fullest
    CollectiveTiming asked;
    std::vector<CollectiveTiming> curve;  ///< smaller sizes, and the asked one last; may be empty
    std::string library;                  ///< "nccl-2-30"
    std::string_view evidence;            ///< how well it is known
    std::string measured;                 ///< the machine whose measurements correct it; or empty
    std::size_t pooled = 1;               ///< machines whose mean corrects it, that one the first
    std::vector<std::string> notes;
};

/// busbw over algbw, by the formula that nccl-tests prints.
constexpr double busFactor(CollectiveKind kind, std::int64_t ranks) {
    const auto n = static_cast<double>(ranks);
    switch (kind) {
        case CollectiveKind::AllReduce:
            return 2.0 * (n - 1.0) / n;
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
            return (n - 1.0) / n;
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
        case CollectiveKind::SendReceive:
            break;
    }
    return 1.0;
}

}  // namespace fabricast
