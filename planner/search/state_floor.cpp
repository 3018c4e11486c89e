#include "planner/search/lower_bounds.h"
#include "planner/search/model_weight_counts.h"
#include "planner/stack/state_bytes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace fabricast {
namespace {

/// What a stack has of an axis, as far as the rules take it.
template <class T>
std::vector<T> taken(const LayoutRules& rules,
                     std::string_view key,
                     T Layout::*member,
                     std::span<const T> others) {
    std::vector<T> values{Layout{}.*member};
    values.insert(values.end(), others.begin(), others.end());
    std::erase_if(values, [&](T value) { return !rules.take(key, member, value); });
    return values;
}

/// Layouts of every kind that a stack has defaults for, and the rules take.
std::vector<Layout> kindsOfStates(const Stack& stack, const LayoutRules& rules) {
    const auto shards = taken(rules, "shard", &Layout::shard, stack.axes.shards);
    const auto offloads = taken(rules, "offload", &Layout::offload, stack.axes.offloads);
    constexpr std::array<Layout, 5> kDivided = {
        {{}, {.pp = 2}, {.dp = 2}, {.dp = 2, .pp = 2}, {.dp = 2, .ep = 2}}};
    std::vector<Layout> kinds;
    for (const Shard shard : shards) {
        for (const Offload offload : offloads) {
            for (Layout layout : kDivided) {
                layout.shard = shard;
                layout.offload = offload;
                kinds.push_back(layout);
            }
        }
    }
    return kinds;
}

/// Every parameter once: what is not sharded may be there more often.
StateFloor floorOf(const Settings& settings, const Layout& layout, double parameters) {
    StateFloor floor;
    for (const StatePart& part : stateBytes(settings, layout).parts) {
        const double bytes = part.bytes * parameters;
        switch (part.place) {
            case StatePlace::Device:
                floor.onGpus += bytes;
                break;
            case StatePlace::Host:  // what is staged on its way is no state that stays
                floor.onHosts += part.name != "staging" ? bytes : 0.0;
                break;
            case StatePlace::Nvme:
                floor.onDrives += bytes;
                break;
        }
    }
    return floor;
}

bool holds(const std::optional<Bytes>& each, std::int64_t count, double bytes) {
    return !each || bytes <= static_cast<double>(each->count()) * static_cast<double>(count);
}

}  // namespace

std::vector<StateFloor> stateFloors(const SearchTask& task) {
    const ModelWeightCounts weights(task.base.model);
    std::vector<StateFloor> floors;
    for (const StackSettings& stack : task.stacks) {
        for (const Layout& layout : kindsOfStates(*stack.stack, task.rules)) {
            const Result<Settings> settings = stack.settingsFor(layout);
            if (!settings) {
                continue;
            }
            if (!settings->trainsAll()) {  // what is frozen is not counted
                return {StateFloor()};
            }
            const WeightCount all = weights.ofMeanRank({}, settings->kernels.code);
            floors.push_back(floorOf(*settings, layout, all.own + all.experts));
        }
    }
    return floors;
}

bool hasRoomFor(const std::vector<StateFloor>& floors, const ClusterSpec& cluster) {
    const NodeSpec& node = cluster.node;
    const auto fits = [&](const StateFloor& floor) {
        return holds(node.gpu.capacity().value, cluster.gpus(), floor.onGpus) &&
               holds(node.hostMemory.value, cluster.nodes, floor.onHosts) &&
               holds(node.nvme.value, cluster.nodes, floor.onDrives);
    };
    return floors.empty() || std::ranges::any_of(floors, fits);
}

}  // namespace fabricast
