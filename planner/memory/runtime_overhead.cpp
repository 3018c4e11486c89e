#include "planner/memory/runtime_overhead.h"

namespace fabricast {

namespace {

using namespace literals;

// A process with PyTorch's kernels loaded holds 0.4 to 0.8 GiB beside its tensors (driver 5xx,
// CUDA 12 and 13, nvidia-smi against torch's counters); nobody has measured it per GPU model here.
constexpr Bytes kContext = 576_MiB;
constexpr Bytes kContextLow = 400_MiB;
constexpr Bytes kContextHigh = 820_MiB;

// NCCL 2.28 gives each channel and peer 4 MiB (Simple), 4.69 MiB (LL128) and 0.5 MiB (LL)
// (src/init.cc); a ring over 16 to 24 channels is 0.15 to 0.25 GiB, ring and tree up to 0.6 GiB.
constexpr Bytes kCommunicator = 220_MiB;
constexpr Bytes kCommunicatorLow = 120_MiB;
constexpr Bytes kCommunicatorHigh = 600_MiB;

/// Groups of more than one rank that this layout's frameworks open a communicator for.
std::int64_t communicators(const Layout& layout) {
    const auto opens = [](std::int64_t ranks) { return ranks > 1 ? 1 : 0; };
    const bool replicated = layout.shardSize > 0 && layout.shardSize < layout.replicas();
    std::int64_t count = opens(layout.replicas()) + opens(layout.tp) + opens(layout.pp);
    count += opens(layout.cp) + opens(layout.ep) + (replicated ? 1 : 0);
    if (layout.ep * layout.etp > 1) {
        count += opens(layout.expertReplicas());
    }
    return count;
}

}  // namespace

RuntimeOverhead runtimeOverhead(const Scenario& scenario) {
    RuntimeOverhead overhead;
    overhead.context = {kContext, kContextLow, kContextHigh, Evidence::Modelled};
    overhead.communicators = communicators(scenario.layout);
    const std::int64_t count = overhead.communicators;
    overhead.collectives = {kCommunicator * count,
                            kCommunicatorLow * count,
                            kCommunicatorHigh * count,
                            Evidence::Modelled};
    return overhead;
}

}  // namespace fabricast
