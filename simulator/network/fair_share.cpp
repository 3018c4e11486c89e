#include "simulator/network/fair_share.h"

#include "planner/base/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// No link carries more than it can; the tolerance for sums in floating point.
constexpr double kRounding = 1.0 + 1e-9;

}  // namespace

FairShare::FairShare(std::vector<BytesPerSecond> capacities) {
    resources_.resize(capacities.size());
    for (std::size_t resource = 0; resource < capacities.size(); ++resource) {
        resources_[resource].capacity = capacities[resource].count();
    }
}

FlowIndex FairShare::start(FlowDemand demand) {
    const FlowIndex flow = add(std::move(demand));
    settle();
    return flow;
}

void FairShare::end(FlowIndex flow) {
    remove(flow);
    settle();
}

FlowIndex FairShare::add(FlowDemand demand) {
    FABRICAST_CHECK(demand.weight > 0.0 && demand.copies > 0.0);
    FABRICAST_CHECK(!demand.uses.empty() || std::isfinite(demand.limit.count()));
    FlowIndex flow = 0;
    if (free_.empty()) {
        flow = static_cast<FlowIndex>(flows_.size());
        flows_.emplace_back();
    } else {
        flow = free_.back();
        free_.pop_back();
    }
    flows_[flow] = {};
    flows_[flow].demand = std::move(demand);
    flows_[flow].active = true;
    for (const ResourceUse use : flows_[flow].demand.uses) {
        resources_[use.resource].flows.push_back(flow);
    }
    const std::vector<ResourceUse>& uses = flows_[flow].demand.uses;
    changed_.insert(changed_.end(), uses.begin(), uses.end());
    if (uses.empty()) {
        alone_.push_back(flow);
    }
    return flow;
}

void FairShare::remove(FlowIndex flow) {
    FABRICAST_CHECK(flows_[flow].active);
    flows_[flow].active = false;
    const std::vector<ResourceUse> uses = std::move(flows_[flow].demand.uses);
    for (const ResourceUse use : uses) {
        std::vector<FlowIndex>& on = resources_[use.resource].flows;
        on.erase(std::ranges::find(on, flow));
    }
    free_.push_back(flow);
    changed_.insert(changed_.end(), uses.begin(), uses.end());
    std::erase(alone_, flow);
}

void FairShare::settle() {
    gather(changed_, alone_);
    changed_.clear();
    alone_.clear();
    solve();
}

void FairShare::setCapacity(ResourceIndex resource, BytesPerSecond capacity) {
    resources_[resource].capacity = capacity.count();
    const ResourceUse use{resource, 1.0};
    changed_.push_back(use);
    settle();
}

/// Everything that shares with these resources, in order of their numbers.
void FairShare::gather(std::span<const ResourceUse> from, std::span<const FlowIndex> alone) {
    ++round_;
    group_.assign(alone.begin(), alone.end());
    touched_.clear();
    const auto touch = [this](std::span<const ResourceUse> uses) {
        for (const ResourceUse use : uses) {
            Resource& resource = resources_[use.resource];
            if (resource.seen != round_) {
                resource.seen = round_;
                touched_.push_back(use.resource);
            }
        }
    };
    touch(from);
    for (std::size_t next = 0; next < touched_.size(); ++next) {
        for (const FlowIndex flow : resources_[touched_[next]].flows) {
            if (flows_[flow].seen != round_) {
                flows_[flow].seen = round_;
                group_.push_back(flow);
                touch(flows_[flow].demand.uses);
            }
        }
    }
    std::ranges::sort(group_);
    std::ranges::sort(touched_);
}

bool FairShare::later(const Event& a, const Event& b) {
    return std::tie(a.level, a.limit, a.number) > std::tie(b.level, b.limit, b.number);
}

void FairShare::push(ResourceIndex number, double level) {
    Resource& resource = resources_[number];
    ++resource.state;
    if (resource.open > 0) {
        const double full = (resource.capacity - resource.frozen) / resource.slope;
        events_.push_back({std::max(full, level), number, resource.state, false});
        std::ranges::push_heap(events_, later);
    }
}

void FairShare::openGroup() {
    events_.clear();
    for (const ResourceIndex number : touched_) {
        Resource& resource = resources_[number];
        resource.frozen = 0.0;
        resource.slope = 0.0;
        resource.open = 0;
    }
    for (const FlowIndex number : group_) {
        Flow& flow = flows_[number];
        flow.open = true;
        for (const ResourceUse use : flow.demand.uses) {
            Resource& resource = resources_[use.resource];
            resource.slope += flow.demand.copies * use.share * flow.demand.weight;
            ++resource.open;
        }
        if (std::isfinite(flow.demand.limit.count())) {
            events_.push_back({flow.demand.limit.count() / flow.demand.weight, number, 0, true});
        }
    }
    std::ranges::make_heap(events_, later);
    for (const ResourceIndex number : touched_) {
        push(number, 0.0);
    }
}

void FairShare::freeze(FlowIndex number, double level, ResourceIndex bottleneck) {
    Flow& flow = flows_[number];
    flow.open = false;
    flow.rate =
        bottleneck == kNoResource ? flow.demand.limit : BytesPerSecond(flow.demand.weight * level);
    flow.bottleneck = bottleneck;
    for (const ResourceUse use : flow.demand.uses) {
        Resource& resource = resources_[use.resource];
        const double part = flow.demand.copies * use.share * flow.demand.weight;
        resource.frozen += part * level;
        resource.slope -= part;
        --resource.open;
    }
}

/// Progressive filling: the level, rate over weight, rises for all flows at once; a flow stops
/// where a resource of it is full, or at its limit.
void FairShare::solve() {
    openGroup();
    while (!events_.empty()) {
        std::ranges::pop_heap(events_, later);
        const Event event = events_.back();
        events_.pop_back();
        if (event.limit) {
            if (flows_[event.number].open) {
                freeze(event.number, event.level, kNoResource);
                for (const ResourceUse use : flows_[event.number].demand.uses) {
                    push(use.resource, event.level);
                }
            }
            continue;
        }
        if (resources_[event.number].state != event.state) {
            continue;
        }
        std::vector<ResourceIndex> changed;
        for (const FlowIndex flow : resources_[event.number].flows) {
            if (flows_[flow].open) {
                freeze(flow, event.level, event.number);
                for (const ResourceUse use : flows_[flow].demand.uses) {
                    changed.push_back(use.resource);
                }
            }
        }
        std::ranges::sort(changed);
        const auto rest = std::ranges::unique(changed);
        changed.erase(rest.begin(), rest.end());
        for (const ResourceIndex resource : changed) {
            push(resource, event.level);
        }
    }
    for (const ResourceIndex resource : touched_) {
        FABRICAST_CHECK(resources_[resource].frozen <= resources_[resource].capacity * kRounding);
    }
}

}  // namespace fabricast
