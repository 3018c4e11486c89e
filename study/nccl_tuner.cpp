#include "study/nccl_tuner.h"

#include "planner/comm/call_collective.h"
#include "planner/comm/collective_curve.h"
#include "planner/comm/engine_calls.h"
#include "planner/comm/group_shape.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// The collectives that NCCL asks its tuner about, by their names in the plugin's table.
std::string_view tunedName(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::AllReduce:
            return "allreduce";
        case CollectiveKind::AllGather:
            return "allgather";
        case CollectiveKind::ReduceScatter:
            return "reducescatter";
        case CollectiveKind::Broadcast:
            return "broadcast";
        case CollectiveKind::Reduce:
            return "reduce";
        case CollectiveKind::AllToAll:
        case CollectiveKind::SendReceive:
            break;
    }
    return "";
}

/// Ranges begin and end where the choice changes, between sizes that are asked for anyway.
constexpr std::int64_t kFirstAsked = 1024;
constexpr std::int64_t kAllSizes = 4294967295;  // what the plugin's table calls any size

using Choice = std::pair<CollectiveAlgorithm, CollectiveProtocol>;

Choice choiceAt(const CollectiveCurve& curve, std::int64_t bytes) {
    const CollectiveTime time = curve.at(Bytes(bytes));
    return {time.algorithm, time.protocol};
}

/// The first size above `low` at which the choice is another one; it is at `high`.
std::int64_t changeBetween(const CollectiveCurve& curve, std::int64_t low, std::int64_t high) {
    const Choice before = choiceAt(curve, low);
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (choiceAt(curve, middle) == before ? low : high) = middle;
    }
    return high;
}

/// One collective over one kind of group, with the sizes that the plan calls it with.
struct TunedGroup {
    CollectiveKind kind = CollectiveKind::AllReduce;
    GroupShape shape;
    std::set<std::int64_t> sizes;
};

/// Sizes from `first` on that are run in one way. Over -1 channels the plugin runs one: they are
/// the most that the forecast has.
struct TunedRange {
    std::int64_t first = 0;
    Choice choice;
    std::int64_t channels = 1;
};

std::vector<TunedRange> rangesOf(const CollectiveCurve& curve,
                                 const std::set<std::int64_t>& sizes) {
    std::vector<TunedRange> ranges;
    std::int64_t last = *sizes.begin();
    for (const std::int64_t size : sizes) {
        const Choice choice = choiceAt(curve, size);
        if (ranges.empty()) {
            ranges.push_back({0, choice});
        } else if (ranges.back().choice != choice) {
            ranges.push_back({changeBetween(curve, last, size), choice});
        }
        ranges.back().channels = std::max(ranges.back().channels, curve.at(Bytes(size)).channels);
        last = size;
    }
    return ranges;
}

/// "allgather,0,65535,tree,ll,16,2,16,-1,-1" for each range.
std::string rowsOf(const TunedGroup& group, const CollectiveCurve& curve) {
    std::set<std::int64_t> sizes = group.sizes;
    for (std::int64_t size = kFirstAsked; size <= kAllSizes; size *= 2) {
        sizes.insert(size);
    }
    const std::vector<TunedRange> ranges = rangesOf(curve, sizes);
    const auto number = [](std::int64_t value) { return "," + std::to_string(value); };
    std::string text;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const bool isLast = i + 1 == ranges.size();
        const std::int64_t end =
            isLast ? std::max(kAllSizes, *sizes.rbegin()) : ranges[i + 1].first - 1;
        const auto& [algorithm, protocol] = ranges[i].choice;
        text += std::string(tunedName(group.kind)) + number(ranges[i].first) + number(end) + "," +
                std::string(algorithmName(algorithm)) + "," + std::string(protocolName(protocol)) +
                number(ranges[i].channels) + number(group.shape.nodes) + number(group.shape.ranks) +
                ",-1,-1\n";
    }
    return text;
}

/// What each stage calls, by collective, nodes and ranks: these are all that the table tells apart.
Result<std::vector<TunedGroup>> tunedGroups(const Scenario& scenario, const ClusterLinks& links) {
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const RankOrder order = rankOrderOf(*stack, scenario.layout);
    std::map<std::tuple<CollectiveKind, std::int64_t, std::int64_t>, TunedGroup> groups;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(const std::vector<CommCall> calls, stepCalls(scenario, {.stage = stage}));
        for (const CommCall& call : calls) {
            const CollectiveKind kind = collectiveOf(call.op);
            const GroupShape shape = groupShape(scenario.layout, order, call.group, links);
            if (tunedName(kind).empty() || shape.ranks <= 1 || call.bytes() <= 0) {
                continue;
            }
            TunedGroup& group =
                groups.try_emplace({kind, shape.nodes, shape.ranks}, TunedGroup{kind, shape, {}})
                    .first->second;
            group.sizes.insert(call.bytes());
        }
    }
    std::vector<TunedGroup> all;
    all.reserve(groups.size());
    for (auto& [key, group] : groups) {
        all.push_back(std::move(group));
    }
    return all;
}

}  // namespace

Result<std::string> ncclTunerTable(const Scenario& scenario, const Workbench& bench) {
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    const CollectiveLibrary& library = timing->libraryOf(scenario.cluster.node.gpu);
    if (!library.model.name.starts_with("nccl")) {
        return fail(Error::Code::Unsupported,
                    "--nccl-tuner",
                    "these GPUs run " + library.model.name + ", which has no such plugin",
                    "leave it out");
    }
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(scenario.cluster, library.model));
    FABRICAST_ASSIGN(const std::vector<TunedGroup> groups, tunedGroups(scenario, links));
    if (groups.empty()) {
        return fail(Error::Code::BadInput,
                    "--nccl-tuner",
                    "this plan calls no collective that NCCL's tuner is asked about",
                    "leave it out");
    }
    const MeasuredPlace place = placeOf(scenario.cluster, links);
    const CollectiveSetting setting{links, library.model, place, library.corrections};
    std::string text =
        "# What the forecast takes for each size, by " + library.model.name +
        ". What is not here, the plugin runs as ring, simple.\n"
        "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,"
        "numPipeOps,regBuff\n";
    for (const TunedGroup& group : groups) {
        text += rowsOf(group, CollectiveCurve(group.kind, group.shape, setting));
    }
    return text;
}

}  // namespace fabricast
