#include "planner/memory/overheads.h"
#include "planner/spec/one_site.h"

namespace fabricast {

namespace {

/// Groups of more than one rank along the layout's axes, for which every framework opens a
/// communicator.
std::int64_t communicatorsOfAxes(const Layout& layout) {
    const auto opens = [](std::int64_t ranks) { return ranks > 1 ? 1 : 0; };
    const bool replicated = layout.shardSize > 0 && layout.shardSize < layout.replicas();
    std::int64_t count = opens(layout.replicas()) + opens(layout.tp) + opens(layout.pp);
    count += opens(layout.cp) + opens(layout.ep) + (replicated ? 1 : 0);
    if (layout.ep * layout.etp > 1) {
        count += opens(layout.expertReplicas());
    }
    return count;
}

/// And those that a framework opens besides: for all ranks, in which Megatron also reduces the norm
/// of the gradients (a group of its own), and for the stages that share the embedding.
std::int64_t communicatorsOfSteps(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const std::int64_t ofAxes = communicatorsOfAxes(layout);
    if (layout.world() == 1) {
        return ofAxes;
    }
    switch (scenario.settings.engine) {
        case Engine::Megatron:
        case Engine::MegatronFsdp:
            return ofAxes + 2 + (layout.pp > 1 ? 1 : 0);
        case Engine::DeepSpeed:
            return ofAxes + 1;
        default:
            break;
    }
    return ofAxes + (ofAxes > 1 ? 1 : 0);
}

/// Sites that train apart have one more between them, where their exchange is of GPUs.
std::int64_t communicators(const Scenario& scenario) {
    const bool exchanges =
        trainsApart(scenario) && scenario.settings.outer.place == OuterPlace::Gpu;
    return communicatorsOfSteps(OneSite(scenario).scenario()) + (exchanges ? 1 : 0);
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

/// "measured: fabricast-probe-cuda, 2026-11-22", "assumed: 0.4 to 0.8 GiB are seen".
std::string originOf(const Sourced<Bytes>& size) {
    const bool measured = size.source == Source::Measured;
    return measured ? "measured: " + size.from : "assumed: " + size.note;
}

}  // namespace

RuntimeOverhead runtimeOverhead(const Scenario& scenario) {
    const RuntimeMemory& runtime = scenario.cluster.node.gpu.runtime;
    const Headline<Bytes> kernels = headlineOf(runtime.kernels);
    const Headline<Bytes> each = headlineOf(runtime.communicator);
    RuntimeOverhead overhead;
    overhead.context = headlineOf(runtime.context);
    overhead.context.value += kernels.value;
    overhead.context.lo += kernels.lo;
    overhead.context.hi += kernels.hi;
    overhead.communicators = communicators(scenario);
    const std::int64_t count = overhead.communicators;
    overhead.collectives = {each.value * count, each.lo * count, each.hi * count, each.evidence};
    overhead.contextOrigin = originOf(runtime.context);
    overhead.collectivesOrigin = originOf(runtime.communicator);
    return overhead;
}

std::string RuntimeOverhead::assumption() const {
    const bool ofContext = context.evidence != Evidence::MeasuredProfile;
    const bool ofBuffers = communicators > 0 && collectives.evidence != Evidence::MeasuredProfile;
    if (ofContext && ofBuffers) {
        return "the CUDA context and NCCL's buffers are estimates (--why context, --why "
               "collectives)";
    }
    if (ofBuffers) {
        return "NCCL's buffers are an estimate (--why collectives)";
    }
    return ofContext ? "the CUDA context is an estimate (--why context)" : "";
}

Bytes leastRuntimeBytes(const RuntimeMemory& runtime, const Layout& layout) {
    return leastOf(runtime.context) + leastOf(runtime.kernels) +
           leastOf(runtime.communicator) * communicatorsOfAxes(layout);
}

RuntimeBytes runtimeBytes(const Scenario& scenario) {
    const RuntimeMemory& runtime = scenario.cluster.node.gpu.runtime;
    const std::int64_t count = communicators(scenario);
    const auto expected = [](const Sourced<Bytes>& size) { return size.value.value_or(Bytes(0)); };
    return {.least = leastOf(runtime.context) + leastOf(runtime.kernels) +
                     leastOf(runtime.communicator) * count,
            .expected = expected(runtime.context) + expected(runtime.kernels) +
                        expected(runtime.communicator) * count};
}

}  // namespace fabricast
