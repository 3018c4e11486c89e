#include "planner/memory/seen_communicator.h"

#include <algorithm>
#include <cmath>

namespace fabricast {

namespace {

/// A ring and the pool of its point-to-point calls, as connected at the first collective.
Bytes leastBuffers(const NcclGroup& group, NcclSettings settings) {
    NcclGroup first = group;
    settings.tree = settings.tree && !settings.ring;
    first.nvlsChannels = 0;
    first.peers = 0;
    return ncclBuffers(first, settings).total();
}

/// All algorithms, in each group.
Bytes mostBuffers(const NcclGroup& group, const NcclSettings& settings) {
    NcclGroup all = group;
    all.collectives = true;
    all.large = true;
    all.allReduces = true;
    return ncclBuffers(all, settings).total();
}

/// Less than the rules say is no evidence against them: one call connects one algorithm.
Headline<Bytes> besideRules(const Sourced<Bytes>& seen, const NcclGroup& node) {
    if (!seen.value) {
        return {};
    }
    const auto above = [](Bytes one, Bytes rules) { return std::max(Bytes(), one - rules); };
    const Bytes value = above(*seen.value, ncclBuffers(node, {}).total());
    const Bytes least = seen.lo ? above(*seen.lo, leastBuffers(node, {})) : Bytes();
    const Bytes most = seen.hi ? above(*seen.hi, mostBuffers(node, {})) : Bytes();
    return {value, std::min(least, value), std::max(most, value)};
}

/// What the settings leave of what a group usually has.
double shareLeft(const NcclGroup& group, const NcclSettings& settings) {
    const Bytes usual = ncclBuffers(group, {}).total();
    return usual > Bytes() ? ncclBuffers(group, settings).total() / usual : 1.0;
}

Bytes shareOfBytes(Bytes size, double share) {
    return Bytes(std::llround(static_cast<double>(size.count()) * share));
}

}  // namespace

SeenCommunicator::SeenCommunicator(const ClusterSpec& cluster)
    : seen_(cluster.node.gpu.runtime.communicator),
      beside_(besideRules(seen_, ncclNodeGroup(cluster))) {}

CommunicatorRange SeenCommunicator::rangeOf(const NcclCommunicator& one,
                                            const NcclSettings& settings) const {
    if (isMeasured()) {
        const Headline<Bytes> size = headlineOf(seen_);
        const double share = shareLeft(one.group, settings);
        return {.buffers = {},
                .least = shareOfBytes(size.lo, share),
                .value = shareOfBytes(size.value, share),
                .most = shareOfBytes(size.hi, share)};
    }
    const NcclBuffers buffers = ncclBuffers(one.group, settings);
    return {.buffers = buffers,
            .least = leastOf(one, settings),
            .value = buffers.total() + beside_.value,
            .most = mostBuffers(one.group, settings) + beside_.hi};
}

/// A group that is opened beside those of the axes may not be used before a peak.
Bytes SeenCommunicator::leastOf(const NcclCommunicator& one, const NcclSettings& settings) const {
    if (isMeasured()) {
        return shareOfBytes(headlineOf(seen_).lo, shareLeft(one.group, settings));
    }
    return one.ofAxis ? leastBuffers(one.group, settings) + beside_.lo : Bytes();
}

Headline<Bytes> headlineOf(const Sourced<Bytes>& size) {
    const Bytes value = size.value.value_or(Bytes(0));
    return {value,
            size.lo.value_or(value),
            size.hi.value_or(value),
            size.source == Source::Measured ? Evidence::MeasuredProfile : Evidence::Modelled};
}

}  // namespace fabricast
