#pragma once
#include "planner/base/units.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fabricast {

/// One direction of a link, or anything else that has a rate and is shared.
using ResourceIndex = std::uint32_t;
using FlowIndex = std::uint32_t;

/// What a flow puts on a resource for each byte of its own: 1, or its part where it is spread.
struct ResourceUse {
    ResourceIndex resource = 0;
    double share = 1.0;
    friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

struct FlowDemand {
    std::vector<ResourceUse> uses;  ///< no resource twice
    double weight = 1.0;            ///< of two flows over one link, the rates are as the weights
    double copies = 1.0;            ///< number of equal flows, of which this is one
    /// What its ends sustain at most.
    BytesPerSecond limit = BytesPerSecond(std::numeric_limits<double>::infinity());
};

/// This shares the rates of links among flows, weighted max-min fair. The rates r solve
///     for every resource   sum over its flows of  copies · share · r  <=  capacity
///     for every flow       r = limit, or a resource of it is full on which no flow has a larger
///                          r / weight
/// which has one solution. When a flow starts or ends, only the flows are solved again that share
/// a resource with it, directly or through others; each such group by progressive filling. What
/// begins and ends at one time is solved once.
///     FairShare network(capacities);
///     const FlowIndex flow = network.start({.uses = {{4, 1.0}, {9, 1.0}}});
///     network.rate(flow);
class FairShare {
public:
    explicit FairShare(std::vector<BytesPerSecond> capacities);

    FlowIndex start(FlowDemand demand);
    void end(FlowIndex flow);
    /// The same without rates, which `settle` brings: once for all that begins and ends at a time.
    FlowIndex add(FlowDemand demand);
    void remove(FlowIndex flow);
    void settle();
    /// A link that failed, or is slower now.
    void setCapacity(ResourceIndex resource, BytesPerSecond capacity);

    [[nodiscard]] BytesPerSecond rate(FlowIndex flow) const { return flows_[flow].rate; }
    [[nodiscard]] const FlowDemand& demand(FlowIndex flow) const { return flows_[flow].demand; }
    /// The resource that holds the flow back; kNoResource where that is its own limit.
    [[nodiscard]] ResourceIndex bottleneck(FlowIndex flow) const { return flows_[flow].bottleneck; }
    /// The flows that the last call solved again, in order of their numbers.
    [[nodiscard]] std::span<const FlowIndex> solved() const { return group_; }

    static constexpr ResourceIndex kNoResource = std::numeric_limits<ResourceIndex>::max();

private:
    struct Flow {
        FlowDemand demand;
        BytesPerSecond rate;
        ResourceIndex bottleneck = kNoResource;
        bool active = false;
        bool open = false;       ///< not frozen yet, while its group is solved
        std::uint64_t seen = 0;  ///< by the last gathering that met it
    };
    struct Resource {
        double capacity = 0.0;
        std::vector<FlowIndex> flows;
        double frozen = 0.0;      ///< load of the flows whose rate is settled
        double slope = 0.0;       ///< load that the others add for each unit of level
        std::uint32_t open = 0;   ///< how many those are
        std::uint32_t state = 0;  ///< counts its changes while its group is solved
        std::uint64_t seen = 0;
    };
    struct Event {
        double level = 0.0;
        std::uint32_t number = 0;  ///< of the resource, or of the flow whose limit it is
        std::uint32_t state = 0;
        bool limit = false;
    };
    static bool later(const Event& a, const Event& b);
    void gather(std::span<const ResourceUse> from, std::span<const FlowIndex> alone);
    void solve();
    void openGroup();
    void freeze(FlowIndex flow, double level, ResourceIndex bottleneck);
    void push(ResourceIndex resource, double level);

    std::vector<Flow> flows_;
    std::vector<Resource> resources_;
    std::vector<FlowIndex> free_;
    std::vector<ResourceUse> changed_;  ///< since the last call of `settle`
    std::vector<FlowIndex> alone_;      ///< likewise, flows that use nothing
    std::vector<FlowIndex> group_;
    std::vector<ResourceIndex> touched_;
    std::vector<Event> events_;
    std::uint64_t round_ = 0;
};

}  // namespace fabricast
