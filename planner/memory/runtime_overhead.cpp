#include "planner/memory/nccl_groups.h"
#include "planner/memory/overheads.h"
#include "planner/memory/seen_communicator.h"

#include <string>
#include <vector>

namespace fabricast {

namespace {

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
    RuntimeOverhead overhead{.names = runtimeNames(scenario.cluster.node.gpu.vendor)};
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
    const std::string ofRuntime = "the " + std::string(names.runtime) + " context";
    const std::string ofLibrary = std::string(names.collectives) + "'s buffers";
    if (ofContext && ofBuffers) {
        return ofRuntime + " and " + ofLibrary +
               " are estimates (--why context, --why collectives)";
    }
    if (ofBuffers) {
        return ofLibrary + " are an estimate (--why collectives)";
    }
    return ofContext ? ofRuntime + " is an estimate (--why context)" : "";
}

namespace {

Bytes leastOf(const Sourced<Bytes>& size) {
    return size.lo.value_or(size.value.value_or(Bytes(0)));
}

Bytes leastOfProcess(const RuntimeMemory& runtime) {
    return leastOf(runtime.context) + leastOf(runtime.kernels);
}

/// The simplest layout with the same groups along its axes, which are called for the same.
Layout withItsGroups(Layout layout) {
    const Layout simple;
    layout.shard = layout.shard == Shard::None ? Shard::None : Shard::Zero1;
    layout.vpp = simple.vpp;
    layout.microBatch = simple.microBatch;
    layout.schedule = simple.schedule;
    layout.scheduleGroup = simple.scheduleGroup;
    layout.offload = simple.offload;
    layout.placement = simple.placement;
    return layout;
}

}  // namespace

LeastRuntime::LeastRuntime(const ClusterSpec& cluster) : cluster_(cluster), seen_(cluster) {}

Bytes LeastRuntime::workOut(const Layout& layout, const Settings& settings) const {
    Bytes sum = leastOfProcess(cluster_.node.gpu.runtime);
    if (cluster_.sites.count > 1 && settings.outer.steps > 0) {
        return sum;  // each of the sites has a part of the layout
    }
    for (const NcclCommunicator& one : ncclAxes(cluster_, layout, settings)) {
        sum += seen_.leastOf(one, settings.nccl);
    }
    return sum;
}

Bytes LeastRuntime::of(const Layout& layout, const Settings& settings) {
    const Rules rules{.nccl = settings.nccl,
                      .dispatcher = settings.kernels.dispatcher,
                      .dispatchOncePerNode = settings.kernels.dispatchOncePerNode,
                      .trainsApart = settings.outer.steps > 0};
    if (rules != rules_) {
        rules_ = rules;
        known_.clear();
    }
    const auto [known, isNew] = known_.try_emplace(withItsGroups(layout));
    if (isNew) {
        known->second = workOut(layout, settings);
    }
    return known->second;
}

RuntimeBytes runtimeBytes(const Scenario& scenario) {
    const RuntimeMemory& runtime = scenario.cluster.node.gpu.runtime;
    const auto expected = [](const Sourced<Bytes>& size) { return size.value.value_or(Bytes(0)); };
    const Headline<Bytes> groups = collectiveBytes(scenario, nullptr);
    return {.least = leastOfProcess(runtime) + groups.lo,
            .expected = expected(runtime.context) + expected(runtime.kernels) + groups.value};
}

}  // namespace fabricast
