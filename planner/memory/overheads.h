#pragma once
#include "planner/base/units.h"
#include "planner/memory/device/replay.h"
#include "planner/memory/nccl_buffers.h"
#include "planner/memory/seen_communicator.h"
#include "planner/result/evidence.h"
#include "planner/spec/runtime_names.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// What a process reserves, from a replay of the allocator: the replay frees every block at once
/// and knows nothing of the tensors that modules make in passing, so it is a little off, in a way
/// that depends on who owns the buffers.
Headline<Bytes> reservedBand(Engine engine, const Footprint& footprint);

/// What an allocator that is short of memory holds for so many allocated bytes, after all that can
/// be given back to the device was: as a rule, and at most.
Bytes usuallyPinned(Bytes allocated, Bytes capacity);
Bytes mostPinned(Bytes allocated, Bytes capacity);

/// The same band on a device with that much room: an allocator that finds no more gives back what
/// it can, so that it holds anything from `pinned` to all of it. Where even `pinned` is too much it
/// is what a larger device would show.
Headline<Bytes> reservedWithin(const Headline<Bytes>& band, Bytes pinned, Bytes room);

/// DDP makes its buckets anew before the second step, in the order in which gradients came. What
/// the first ones held is used again by an optimizer's states, which are made after the first step;
/// where there are none it may stay reserved to the end.
Bytes rebuiltBuckets(Bytes buckets, Bytes states);

/// One of NCCL's communicators.
struct CommunicatorMemory {
    NcclGroup group;
    NcclBuffers buffers;
    Bytes bytes;  ///< with what was seen beside the rules
};

/// Device memory that no allocator counter shows: the runtime's context with its loaded kernels,
/// from the GPU's profile, and what NCCL holds for every communicator that the layout needs.
struct RuntimeOverhead {
    Headline<Bytes> context;
    Headline<Bytes> collectives;
    std::vector<CommunicatorMemory> communicators;
    std::string contextOrigin;  ///< where these numbers are from, in a line
    std::string collectivesOrigin;
    RuntimeNames names{};

    /// What of it is an assumption, in a line; empty: nothing.
    [[nodiscard]] std::string assumption() const;
};
RuntimeOverhead runtimeOverhead(const Scenario& scenario);

/// All of it together, for a search.
struct RuntimeBytes {
    Bytes least;
    Bytes expected;
};
RuntimeBytes runtimeBytes(const Scenario& scenario);

/// At the least that any framework takes, for many layouts on one cluster, which outlives it. What
/// was found for a layout holds for all that have the same groups.
///     LeastRuntime runtime(cluster);
///     runtime.of(layout, settings)
class LeastRuntime {
public:
    explicit LeastRuntime(const ClusterSpec& cluster);
    [[nodiscard]] Bytes of(const Layout& layout, const Settings& settings);

private:
    /// What groups depend on beside the layout.
    struct Rules {
        NcclSettings nccl;
        Dispatcher dispatcher = Dispatcher::AllToAll;
        bool dispatchOncePerNode = false;
        bool trainsApart = false;

        friend bool operator==(const Rules&, const Rules&) = default;
    };
    [[nodiscard]] Bytes workOut(const Layout& layout, const Settings& settings) const;

    const ClusterSpec& cluster_;
    SeenCommunicator seen_;
    Rules rules_;
    std::map<Layout, Bytes> known_;  ///< under these rules
};

}  // namespace fabricast
