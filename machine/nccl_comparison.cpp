#include "machine/nccl_comparison.h"

#include "machine/imported_record.h"
#include "planner/base/median.h"
#include "planner/comm/collective_curve.h"
#include "planner/load/load_question.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// The placement of a group of consecutive ranks, as many per node as NCCL says; none where the
/// machine's nodes differ.
std::optional<GroupShape> shapeOf(const NcclEstimate& call, const ClusterLinks& links) {
    if (call.ranks % call.nodes != 0) {
        return std::nullopt;
    }
    const std::int64_t perNode = call.ranks / call.nodes;
    const std::int64_t island = links.islandGpus(call.ranks);
    GroupAxes group;
    group.add({perNode, 1});
    if (call.nodes > 1) {
        group.add({call.nodes, island});
    }
    const std::int64_t world = call.nodes > 1 ? call.nodes * island : call.ranks;
    const GroupShape shape = groupShape(group, world, links);
    const bool fits = perNode <= island && shape.nodes == call.nodes && shape.perNode == perNode;
    return fits ? std::optional(shape) : std::nullopt;
}

class Comparer {
public:
    Comparer(const ClusterSpec& cluster,
             const ClusterLinks& links,
             const CollectiveLibrary& library)
        : links_(links),
          library_(library),
          place_(placeOf(cluster, links)),
          curves_({links_, library_.model, place_, library_.corrections}) {}

    void add(NcclEstimate call, NcclComparison& comparison) {
        if (call.operations > 1) {
            ++skipped_["part of a group of calls, whose time is that of the group"];
            return;
        }
        if (call.ranks < 2 || call.bytes.count() < 1) {
            ++skipped_["one rank or no bytes: nothing is sent"];
            return;
        }
        const std::optional<GroupShape> shape = shapeOf(call, links_);
        if (!shape) {
            ++skipped_[std::to_string(call.ranks) + " ranks on " + std::to_string(call.nodes) +
                       (call.nodes == 1 ? " node" : " nodes") + " do not match " +
                       comparison.machine];
            return;
        }
        const CollectiveTime model =
            collectiveTime(call.kind, call.bytes, *shape, links_, library_.model);
        if (!std::isfinite(model.seconds.count())) {
            ++skipped_["between nodes, and " + comparison.machine + " has no network"];
            return;
        }
        const CollectiveTime forecast = curves_.of(call.kind, *shape).at(call.bytes);
        comparison.rows.push_back({std::move(call), model, forecast});
    }

    void reportSkipped(NcclComparison& comparison) const {
        for (const auto& [why, count] : skipped_) {
            comparison.skipped.push_back(std::to_string(count) +
                                         (count == 1 ? " call: " : " calls: ") + why);
        }
    }

private:
    ClusterLinks links_;
    const CollectiveLibrary& library_;
    MeasuredPlace place_;
    CollectiveCurves curves_;
    std::map<std::string, std::size_t> skipped_;
};

}  // namespace

bool ComparedEstimate::sameChoice() const {
    const NcclEstimate::Way& choice = nccl.choice();
    return choice.algorithm == algorithmName(model.algorithm) &&
           choice.protocol == protocolName(model.protocol);
}

double ComparedEstimate::off() const {
    const double theirs = nccl.choice().time.count();
    return theirs > 0 ? model.seconds.count() / theirs - 1.0 : 0.0;
}

std::size_t NcclComparison::sameChoices() const {
    return static_cast<std::size_t>(std::ranges::count_if(rows, &ComparedEstimate::sameChoice));
}

double NcclComparison::medianOff() const {
    std::vector<double> all;
    for (const ComparedEstimate& row : rows) {
        all.push_back(std::abs(row.off()));
    }
    return median(std::move(all));
}

Result<NcclComparison> compareNccl(const ProfileStore& store,
                                   const std::string& machine,
                                   NcclEstimates dump) {
    FABRICAST_ASSIGN(const ClusterSpec cluster, store.cluster(machine, "--machine"));
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(store));
    const CollectiveLibrary& library = timing.libraryOf(cluster.node.gpu);
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(cluster, library.model));
    NcclComparison comparison{.machine = cluster.name,
                              .version = std::move(dump.version),
                              .model = library.model.name,
                              .skipped = std::move(dump.leftOut)};
    Comparer comparer(cluster, links, library);
    for (NcclEstimate& call : dump.calls) {
        comparer.add(std::move(call), comparison);
    }
    comparer.reportSkipped(comparison);
    return comparison;
}

Result<NcclComparison> compareNcclDumps(const ProfileStore& store,
                                        const std::string& machine,
                                        const std::vector<std::string>& dumps) {
    FABRICAST_ASSIGN(NcclEstimates estimates, importNcclEstimates(dumps));
    return compareNccl(store, machine, std::move(estimates));
}

}  // namespace fabricast
