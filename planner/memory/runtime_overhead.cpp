#include "planner/memory/nccl_groups.h"
#include "planner/memory/overheads.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fabricast {

namespace {

/// What NCCL may hold for one group.
struct CommunicatorRange {
    NcclBuffers buffers;  ///< by its rules, as expected
    Bytes least;
    Bytes value;
    Bytes most;
};

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

Bytes leastOf(const Sourced<Bytes>& size) {
    return size.lo.value_or(size.value.value_or(Bytes(0)));
}

Headline<Bytes> headlineOf(const Sourced<Bytes>& size) {
    const Bytes value = size.value.value_or(Bytes(0));
    return {value,
            size.lo.value_or(value),
            size.hi.value_or(value),
            size.source == Source::Measured ? Evidence::MeasuredProfile : Evidence::Modelled};
}

/// NCCL's rules, and what was seen of a group of all GPUs of a node: what was measured here holds
/// for every group, and its settings change it by the rules; else what others saw above the rules
/// is added to them.
class SeenCommunicator {
public:
    explicit SeenCommunicator(const ClusterSpec& cluster)
        : seen_(cluster.node.gpu.runtime.communicator), node_(ncclNodeGroup(cluster)) {}

    [[nodiscard]] CommunicatorRange rangeOf(const NcclCommunicator& one,
                                            const NcclSettings& settings) const {
        if (seen_.source == Source::Measured && seen_.value) {
            return measuredRange(one.group, settings);
        }
        const Headline<Bytes> beside = besideRules();
        const NcclBuffers buffers = ncclBuffers(one.group, settings);
        // A group that is opened beside those of the axes may not be used before a peak.
        return {.buffers = buffers,
                .least = one.ofAxis ? leastBuffers(one.group, settings) + beside.lo : Bytes(),
                .value = buffers.total() + beside.value,
                .most = mostBuffers(one.group, settings) + beside.hi};
    }

private:
    [[nodiscard]] CommunicatorRange measuredRange(const NcclGroup& group,
                                                  const NcclSettings& settings) const {
        const Bytes usual = ncclBuffers(group, {}).total();
        const Bytes now = ncclBuffers(group, settings).total();
        const double share = usual > Bytes() ? now / usual : 1.0;
        const auto part = [share](Bytes size) {
            return Bytes(std::llround(static_cast<double>(size.count()) * share));
        };
        const Headline<Bytes> size = headlineOf(seen_);
        return {.buffers = {},
                .least = part(size.lo),
                .value = part(size.value),
                .most = part(size.hi)};
    }

    /// Less than the rules say is no evidence against them: one call connects one algorithm.
    [[nodiscard]] Headline<Bytes> besideRules() const {
        if (!seen_.value) {
            return {};
        }
        const auto above = [](Bytes one, Bytes rules) { return std::max(Bytes(), one - rules); };
        const Bytes value = above(*seen_.value, ncclBuffers(node_, {}).total());
        const Bytes least = seen_.lo ? above(*seen_.lo, leastBuffers(node_, {})) : Bytes();
        const Bytes most = seen_.hi ? above(*seen_.hi, mostBuffers(node_, {})) : Bytes();
        return {value, std::min(least, value), std::max(most, value)};
    }

    const Sourced<Bytes>& seen_;
    NcclGroup node_;
};

Headline<Bytes> collectiveBytes(const Scenario& scenario, std::vector<CommunicatorMemory>* list) {
    const SeenCommunicator seen(scenario.cluster);
    Headline<Bytes> sum;
    for (const NcclCommunicator& one : ncclCommunicators(scenario)) {
        const CommunicatorRange range = seen.rangeOf(one, scenario.settings.nccl);
        sum.value += range.value;
        sum.lo += range.least;
        sum.hi += range.most;
        if (list != nullptr) {
            list->push_back({one.group, range.buffers, range.value});
        }
    }
    return sum;
}

/// "measured: fabricast-probe-cuda, 2026-11-22", "assumed: 0.4 to 0.8 GiB are seen".
std::string originOf(const Sourced<Bytes>& size) {
    const bool measured = size.source == Source::Measured;
    return measured ? "measured: " + size.from : "assumed: " + size.note;
}

}  // namespace

RuntimeOverhead runtimeOverhead(const Scenario& scenario) {
    const RuntimeMemory& runtime = scenario.cluster.node.gpu.runtime;
    const Headline<Bytes> kernels = headlineOf(runtime.kernels);
    RuntimeOverhead overhead;
    overhead.context = headlineOf(runtime.context);
    overhead.context.value += kernels.value;
    overhead.context.lo += kernels.lo;
    overhead.context.hi += kernels.hi;
    overhead.collectives = collectiveBytes(scenario, &overhead.communicators);
    const bool isMeasured = runtime.communicator.source == Source::Measured;
    overhead.collectives.evidence = isMeasured ? Evidence::MeasuredProfile : Evidence::Modelled;
    overhead.contextOrigin = originOf(runtime.context);
    overhead.collectivesOrigin =
        isMeasured ? originOf(runtime.communicator)
                   : "NCCL 2.28's rules (src/init.cc, src/transport); other: " +
                         (runtime.communicator.value ? originOf(runtime.communicator) : "none");
    return overhead;
}

std::string RuntimeOverhead::assumption() const {
    const bool ofContext = context.evidence != Evidence::MeasuredProfile;
    const bool ofBuffers =
        !communicators.empty() && collectives.evidence != Evidence::MeasuredProfile;
    if (ofContext && ofBuffers) {
        return "the CUDA context and NCCL's buffers are estimates (--why context, --why "
               "collectives)";
    }
    if (ofBuffers) {
        return "NCCL's buffers are an estimate (--why collectives)";
    }
    return ofContext ? "the CUDA context is an estimate (--why context)" : "";
}

namespace {

Bytes leastOfProcess(const RuntimeMemory& runtime) {
    return leastOf(runtime.context) + leastOf(runtime.kernels);
}

}  // namespace

Bytes leastRuntimeBytes(const ClusterSpec& cluster,
                        const Layout& layout,
                        const Settings& settings) {
    Bytes sum = leastOfProcess(cluster.node.gpu.runtime);
    if (cluster.sites.count > 1 && settings.outer.steps > 0) {
        return sum;  // each of the sites has a part of the layout
    }
    const SeenCommunicator seen(cluster);
    for (const NcclCommunicator& one : ncclAxes(cluster, layout, settings)) {
        sum += seen.rangeOf(one, settings.nccl).least;
    }
    return sum;
}

RuntimeBytes runtimeBytes(const Scenario& scenario) {
    const RuntimeMemory& runtime = scenario.cluster.node.gpu.runtime;
    const auto expected = [](const Sourced<Bytes>& size) { return size.value.value_or(Bytes(0)); };
    const Headline<Bytes> groups = collectiveBytes(scenario, nullptr);
    return {.least = leastOfProcess(runtime) + groups.lo,
            .expected = expected(runtime.context) + expected(runtime.kernels) + groups.value};
}

}  // namespace fabricast
