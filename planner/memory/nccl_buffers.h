#pragma once
#include "planner/base/units.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// How the GPUs of a node reach each other; through host memory they have no buffers of their own.
enum class NcclLink { NvLink, Pci, Host };

/// One group of ranks, as far as NCCL's buffers depend on it. A node here is what NCCL treats as
/// one: GPUs joined by NVLink may be a whole rack.
struct NcclGroup {
    std::string_view name;  ///< "tp"
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t perNode = 1;    ///< ranks in each
    std::int64_t boardGpus = 1;  ///< of these, in one box: they send through each other's NICs
    NcclLink link = NcclLink::NvLink;
    bool reads = false;         ///< a GPU reads its neighbour's buffer (Ampere) instead of writing
    std::int64_t channels = 1;  ///< that its links inside a node give
    double nics = 0.0;          ///< its own, of each node
    bool gpuDirect = true;      ///< NICs reach the GPU's memory
    std::int64_t nvlsChannels = 0;  ///< of reductions in the switch; 0: it does not reduce
    bool collectives = true;        ///< they are called in it
    bool large = true;              ///< and carry more than a few numbers
    bool allReduces = true;         ///< also over nodes
    std::int64_t peers = 0;         ///< that a rank sends to and receives from, point to point
};

/// What NCCL holds of a GPU's memory for a group once everything in it has been called.
struct NcclBuffers {
    std::int64_t channels = 0;
    std::int64_t nvlsChannels = 0;
    std::int64_t pairChannels = 0;  ///< to each peer
    Bytes ring;
    Bytes tree;    ///< beside the ring's
    Bytes nvls;    ///< and of its tree over nodes
    Bytes pairs;   ///< send and receive
    Bytes shared;  ///< of point-to-point through NICs, made with the group whether used or not

    [[nodiscard]] Bytes total() const { return ring + tree + nvls + pairs + shared; }
};

/// By NCCL's own rules (2.28: src/init.cc, src/graph, src/transport), of the most loaded rank.
///     connection = up(LL + LL128 + Simple) received and up(0) sent, or with reads the Simple part
///                  of the sender's; up: to whole 2 MiB
///     ring   = channels x connection; through a NIC: LL128 + Simple are the sender's too
///     tree   = channels x connection, if it has two neighbours in the chain; and NICs of its own
///     nvls   = 2 x nvls channels x 8 chunks x GPUs of the node that reduce
///     pairs  = channels to a peer x connection x peers in the node
///     shared = power of two of the channels x 16 chunks
NcclBuffers ncclBuffers(const NcclGroup& group, const NcclSettings& settings);

}  // namespace fabricast
