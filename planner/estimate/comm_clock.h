#pragma once
#include "planner/comm/collective_curve.h"
#include "planner/comm/comm_call.h"
#include "planner/spec/scenario.h"
#include "planner/stack/rank_groups.h"

#include <array>
#include <cstddef>
#include <optional>

namespace fabricast {

/// Times the calls of one scenario: its groups' shapes are found once. The curves are the
/// cluster's, whatever the scenario.
class CommClock {
public:
    CommClock(const Scenario& scenario,
              const RankOrder& order,
              const ClusterLinks& links,
              CollectiveCurves& curves)
        : scenario_(scenario), order_(order), links_(links), curves_(curves) {}

    [[nodiscard]] const Scenario& scenario() const { return scenario_; }
    /// Seconds of one call.
    double seconds(const CommCall& call);
    /// The same inside one site: of a pipeline over several, between stages that are not apart.
    double nearSeconds(const CommCall& call);
    /// Seconds that a call is not below, in proportion to its bytes.
    double leastSeconds(const CommCall& call);
    /// Whether its ranks are as far apart in all layouts of the same tp, cp, ep and etp.
    [[nodiscard]] bool isInsideBlock(GroupKind group) const;
    /// Bytes that this rank sends in it.
    double sentBytes(const CommCall& call);
    const GroupShape& shape(GroupKind group);
    /// Where the ranks of a call are.
    const GroupShape& shapeOf(const CommCall& call);

private:
    double secondsOver(const CommCall& call, const GroupShape& where);
    /// What is moved of its bytes, by the rank that moves most.
    [[nodiscard]] Bytes moved(const CommCall& call, const GroupShape& where) const;
    [[nodiscard]] double nodeShare(const CommCall& call, const GroupShape& where) const;
    [[nodiscard]] double busiestShare(const CommCall& call) const;
    /// A ring sends and receives at once: each of the two calls is half of what they take.
    static bool isHalfOfPair(const CommCall& call);

    const Scenario& scenario_;
    RankOrder order_;
    const ClusterLinks& links_;
    CollectiveCurves& curves_;
    static constexpr std::size_t kGroups = static_cast<std::size_t>(GroupKind::ContextOuter) + 1;
    std::array<std::optional<GroupShape>, kGroups> shapes_;
};

}  // namespace fabricast
