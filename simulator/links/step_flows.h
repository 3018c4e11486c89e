#pragma once
#include "planner/estimate/moved_bytes.h"
#include "planner/spec/scenario.h"
#include "simulator/engine/sim_program.h"
#include "simulator/links/link_loads.h"

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fabricast {

/// Traffic of one kind: what all ranks of a stage send in their groups, or to another stage.
struct TrafficKind {
    std::size_t from = 0;  ///< stages
    std::size_t to = 0;
    GroupKind group = GroupKind::Pipeline;
    TrafficPattern pattern = TrafficPattern::Rings;
    SimStream stream = SimStream::Data;
    friend auto operator<=>(const TrafficKind&, const TrafficKind&) = default;
};

/// What a kind's members put on links for each byte that a rank sends: all of them together where
/// one represents all.
using KindLoads = std::vector<std::vector<ResourceUse>>;

/// This turns the transfers of a step into flows over a cluster's links. A transfer alone takes
/// the forecast's time, regardless of the graph's line rates: it takes at most all of a link. Of
/// a collective all groups of the stage are assumed to run at once.
///     FABRICAST_ASSIGN(StepFlows flows, StepFlows::of(scenario, order,
///     StepFlows::Actors::Classes)); op.flow = flows.collective(stage, SimStream::Tensor,
///     pieces.sent[stage].…); flows.finish(program);
class StepFlows {
public:
    enum class Actors : std::uint8_t { Classes, Ranks };

    /// No links: every transfer runs as if alone.
    StepFlows() = default;
    /// With links or devices that failed, traffic takes the ways that are left. GPUs that these cut
    /// off are an error.
    static Result<StepFlows> of(const Scenario& scenario,
                                const RankOrder& order,
                                Actors actors,
                                const std::vector<std::string>& failed = {});

    /// The flow of a transfer of this size: of the stage's first member; those of the others
    /// follow. kNoFlow where it sends nothing.
    std::uint32_t collective(std::size_t stage, SimStream stream, const SentBytes& sent);
    std::uint32_t handOver(std::size_t from, std::size_t to, const SentBytes& sent);

    /// A link of the topology takes `factor` times as long for a byte, both ways.
    Result<void> slow(const std::string& link, double factor);
    /// Gives the program what its flows use. Links that can never be full are left out, and of
    /// links that all flows use equally one represents all: neither changes when anything ends.
    void finish(SimProgram& program);

    /// One flow: of its kind of traffic, `rate` bytes a second leave each rank.
    struct Flow {
        std::size_t kind = 0;
        std::size_t member = 0;
        double rate = 0.0;
    };
    [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }
    /// What a flow's transfers put on links for each byte.
    [[nodiscard]] const std::vector<ResourceUse>& loads(const Flow& flow) const {
        return loads_[flow.kind][flow.member];
    }
    /// By how much a link is slower than it should be: 1 where nobody slowed it.
    [[nodiscard]] double slowness(ResourceIndex resource) const {
        const auto found = slow_.find(resource);
        return found == slow_.end() ? 1.0 : found->second;
    }
    /// What a byte of each rank takes of the most loaded link while nothing has failed, in seconds
    /// by kind; empty where nothing has.
    [[nodiscard]] const std::vector<double>& usual() const { return usual_; }
    /// Whether every rank has flows of its own.
    [[nodiscard]] bool byMember() const { return actors_ == Actors::Ranks; }
    /// Null without links.
    [[nodiscard]] const Topology* topology() const { return topology_.get(); }

private:
    std::uint32_t flowOf(const TrafficKind& kind, double rate);
    std::size_t kindOf(const TrafficKind& kind);
    [[nodiscard]] std::vector<RankTraffic> trafficOf(const TrafficKind& kind) const;

    std::shared_ptr<const Topology> topology_;
    std::unique_ptr<LinkLoads> links_;
    std::shared_ptr<const Topology> whole_;  ///< before anything failed; else null
    std::unique_ptr<LinkLoads> wholeLinks_;
    std::vector<double> usual_;
    Layout layout_;
    RankOrder order_;
    std::int64_t nodeRanks_ = 1;
    std::int64_t siteRanks_ = 0;  ///< 0: all are at one site
    Actors actors_ = Actors::Classes;
    std::vector<RankGroup> pipelines_;
    std::vector<std::size_t> stageOf_;   ///< by rank
    std::vector<std::size_t> memberOf_;  ///< by rank: of its stage's
    std::map<TrafficKind, std::size_t> kinds_;
    std::vector<TrafficKind> kindList_;
    std::vector<KindLoads> loads_;  ///< by kind
    std::map<std::pair<std::size_t, double>, std::uint32_t> known_;
    std::vector<Flow> flows_;
    std::map<ResourceIndex, double> slow_;
};

}  // namespace fabricast
