#include "planner/memory/nccl_buffers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fabricast {
namespace {

constexpr std::int64_t kMostChannels = 64;  // MAXCHANNELS
constexpr std::int64_t kSteps = 8;          // NCCL_STEPS: chunks of a buffer
constexpr std::int64_t kSharedSteps = 16;   // NCCL_SHARED_STEPS: of those that peers share
constexpr std::int64_t kPage = 2 << 20;     // CUDA_IPC_MIN, and the least that cuMemCreate gives
constexpr std::int64_t kFlags = 4096;       // ncclSendMem, ncclRecvMem
constexpr std::int64_t kPciChannels = 4;    // one or two rings, each twice
constexpr std::int64_t kChannelsPerNic = 4;
constexpr std::int64_t kMostNetChannels = 16;
constexpr std::int64_t kFewPairChannels = 2;  // to each peer, where any is not behind NVLink
constexpr std::int64_t kMostHeads = 32;       // NCCL_MAX_NVLS_ARITY

std::int64_t wholePages(std::int64_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

/// Of one channel to one neighbour: what a rank has to receive, and what to send.
struct Connection {
    std::int64_t received = 0;
    std::int64_t sent = 0;

    [[nodiscard]] std::int64_t both() const { return received + sent; }
};

Connection insideNode(const NcclGroup& group, const NcclSettings& settings) {
    if (group.link == NcclLink::Host || !settings.p2p) {
        return {};
    }
    const std::int64_t small = settings.llBuffer + settings.ll128Buffer + kFlags;
    if (group.reads) {
        return {wholePages(small), wholePages(settings.buffer + kFlags)};
    }
    return {wholePages(small + settings.buffer), wholePages(kFlags)};
}

Connection throughNic(const NcclGroup& group, const NcclSettings& settings) {
    if (!group.gpuDirect) {
        return {};
    }
    const std::int64_t large = settings.ll128Buffer + settings.buffer;
    return {wholePages(large + settings.llBuffer), wholePages(large)};
}

/// What one group's buffers are counted from.
struct Counts {
    std::int64_t channels = 0;
    std::int64_t throughNic = 0;  ///< channels in which this rank is its node's way out
    std::int64_t pairPool = 0;    ///< channels of point-to-point calls, a power of two
    std::int64_t netPeers = 0;    ///< of a rank in a tree over nodes
    Connection inside;
    Connection outside;
};

std::int64_t channelsOf(const NcclGroup& group, const NcclSettings& settings) {
    const bool direct = group.link == NcclLink::NvLink && settings.p2p;
    std::int64_t found = direct ? group.channels : kPciChannels;
    if (group.nodes > 1) {
        const auto nics = std::max<std::int64_t>(1, std::llround(group.nics));
        const std::int64_t wire = std::min(kMostNetChannels, kChannelsPerNic * nics);
        found = group.perNode > 1 ? std::min(found, wire) : wire;
    }
    found = std::min({found, settings.maxChannels, settings.maxCtas});
    return std::clamp<std::int64_t>(
        std::max({found, settings.minChannels, settings.minCtas}), 1, kMostChannels);
}

Counts countsOf(const NcclGroup& group, const NcclSettings& settings) {
    Counts counts;
    counts.channels = channelsOf(group, settings);
    counts.pairPool =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(counts.channels)));
    counts.inside = insideNode(group, settings);
    if (group.nodes > 1) {
        counts.throughNic = (counts.channels + group.perNode - 1) / group.perNode;
        counts.netPeers = group.nodes == 2 ? 1 : 2;
        counts.outside = throughNic(group, settings);
    }
    return counts;
}

std::int64_t ringBytes(const Counts& counts) {
    const std::int64_t inside = counts.channels - counts.throughNic;
    return inside * counts.inside.both() + counts.throughNic * counts.outside.both();
}

/// A chain inside the node, whose first rank is joined to other nodes. One neighbour of a chain is
/// the ring's.
std::int64_t treeBytes(const NcclGroup& group, const NcclSettings& settings, const Counts& counts) {
    const std::int64_t shared = settings.ring ? 1 : 0;
    const std::int64_t neighbours = std::min<std::int64_t>(2, group.perNode - 1);
    const std::int64_t inside = std::max<std::int64_t>(0, neighbours - shared);
    const bool sameAsRing = settings.ring && group.nodes == 2 && group.perNode == 1;
    const std::int64_t outside = sameAsRing ? 0 : counts.throughNic * counts.netPeers;
    return counts.channels * inside * counts.inside.both() + outside * counts.outside.both();
}

bool reducesInSwitch(const NcclGroup& group, const NcclSettings& settings) {
    return settings.nvls && settings.p2p && group.nvlsChannels > 0 && group.perNode > 2 &&
           group.large && (group.nodes == 1 || group.allReduces);
}

std::int64_t nvlsBytes(const NcclGroup& group,
                       const NcclSettings& settings,
                       const Counts& counts,
                       std::int64_t channels) {
    std::int64_t heads = std::min(group.perNode, kMostHeads);
    std::int64_t outside = 0;
    if (group.nodes > 1) {
        heads = std::clamp<std::int64_t>(std::llround(group.nics), 1, heads);
        outside = channels * counts.netPeers * counts.outside.both();
    }
    return 2 * channels * kSteps * settings.nvlsChunk * heads + outside;
}

/// What goes to, or comes from, ranks behind NICs. A chunk is at most one of a collective.
std::int64_t poolBytes(const NcclGroup& group, const NcclSettings& settings, const Counts& counts) {
    const bool direct = group.link == NcclLink::NvLink;
    const std::int64_t asked = group.nodes > 1 ? settings.p2pNetChunk
                               : direct        ? settings.p2pNvlChunk
                                               : settings.p2pPciChunk;
    return counts.pairPool * kSharedSteps * std::min(asked, settings.buffer / kSteps);
}

/// GPUs of a box that NVLink joins send through each other's NICs: each has a pool for all.
std::int64_t sendersOf(const NcclGroup& group, const NcclSettings& settings) {
    const bool lends = group.nodes > 1 && group.link == NcclLink::NvLink && settings.p2p;
    return lends ? std::min(group.perNode, group.boardGpus) : 1;
}

void addPairs(const NcclGroup& group,
              const NcclSettings& settings,
              const Counts& counts,
              NcclBuffers& buffers) {
    const bool onlyNvLink = group.nodes == 1 && group.link == NcclLink::NvLink;
    const std::int64_t near = std::min(group.peers, group.perNode - 1);
    buffers.pairChannels =
        onlyNvLink ? counts.pairPool : std::min(kFewPairChannels, counts.pairPool);
    buffers.pairs = Bytes(near * buffers.pairChannels * counts.inside.both());
    if (group.peers > near && group.gpuDirect) {
        buffers.pairs += Bytes(poolBytes(group, settings, counts));
    }
}

}  // namespace

NcclBuffers ncclBuffers(const NcclGroup& group, const NcclSettings& settings) {
    NcclBuffers buffers;
    if (group.ranks < 2) {
        return buffers;
    }
    const Counts counts = countsOf(group, settings);
    buffers.channels = counts.channels;
    buffers.shared = Bytes(sendersOf(group, settings) * poolBytes(group, settings, counts));
    if (group.collectives) {
        buffers.ring = Bytes(settings.ring ? ringBytes(counts) : 0);
        buffers.tree = Bytes(settings.tree ? treeBytes(group, settings, counts) : 0);
    }
    if (group.collectives && reducesInSwitch(group, settings)) {
        buffers.nvlsChannels = std::clamp(group.nvlsChannels, settings.minCtas, settings.maxCtas);
        buffers.nvls = Bytes(nvlsBytes(group, settings, counts, buffers.nvlsChannels));
    }
    if (group.peers > 0) {
        addPairs(group, settings, counts, buffers);
    }
    return buffers;
}

}  // namespace fabricast
