#pragma once
#include "planner/spec/scenario.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// How what autograd saves goes to the host.
enum class HostWay {
    None,
    EachNode,   ///< torch's save_on_cpu: each node's by itself, weights too
    TrlInLine,  ///< TRL's OffloadActivations: no parameters, and nothing of the head
    TrlAside,   ///< the same with a stream for the copies
    Layers      ///< Transformer Engine's: what it marks of whole layers
};
HostWay hostWayOf(const Scenario& scenario);

/// Whether nodes go to the host by themselves, by TRL's way or torch's.
constexpr bool isByNode(HostWay way) {
    return way == HostWay::EachNode || way == HostWay::TrlInLine || way == HostWay::TrlAside;
}
constexpr bool isTrl(HostWay way) {
    return way == HostWay::TrlInLine || way == HostWay::TrlAside;
}

/// Of how many layers Transformer Engine moves the activations to the host; 0 where another way, or
/// none, is asked for.
std::int64_t offloadedLayers(const Scenario& scenario);

/// When it moves them (transformer_engine/pytorch/cpu_offload.py,
/// AsyncDoubleBufferGroupOffloadHandler): the first `offloaded` of `layers`, one group each. Group
/// i is freed behind the forward of layer window[i], and comes back before the backward of that
/// layer. Its copies run beside the layers from window[i - 1] (of group 0: the first layer) to
/// there:
///     window[i] = (layers / offloaded) · (i + 1) - 1 + min(i + 1, layers mod offloaded)
std::vector<std::int64_t> offloadWindows(std::int64_t layers, std::int64_t offloaded);

}  // namespace fabricast
