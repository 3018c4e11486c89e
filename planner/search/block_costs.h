#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/memory/segment_footprint.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast {

/// What the model's last segments keep and need at the most, one after another.
struct EndFootprint {
    std::int64_t kept = 0;
    std::int64_t forward = 0;
    std::int64_t backward = 0;
};

/// One layer and the model's ends on one rank: what many layouts share.
struct BlockCost {
    ModelTime time;
    SegmentFootprint dense;  ///< a layer without experts
    SegmentFootprint sparse;
    EndFootprint end;
};

/// The costs of every kind of block that the candidates have, each worked out once, when it is
/// asked for. They stay where they are.
class BlockCosts {
public:
    BlockCosts(const SearchTask& task, const SearchSpace& space, StepEstimator& estimator)
        : task_(task), space_(space), estimator_(estimator) {}

    /// An error where the stack's blocks cannot be modelled.
    const Result<BlockCost>& of(const Candidate& candidate, const Scenario& scenario);
    /// What its layers wait for of transfers, where that is known; else nothing.
    LayerExposures exposures(const Candidate& candidate,
                             const Scenario& scenario,
                             const ModelTime& time);
    /// What a sample takes at least in blocks of this kind, whatever the micro-batch.
    const Result<ModelTime>& leastPerSample(const Candidate& candidate, const Scenario& scenario);

private:
    /// What operations of a block depend on; of the settings the engine decides the rest.
    using Key = std::tuple<std::int64_t,
                           std::int64_t,
                           std::int64_t,
                           std::int64_t,
                           std::int64_t,
                           std::uint32_t,
                           std::uint16_t,
                           Engine,
                           CpKind,
                           bool,
                           bool,
                           bool>;
    /// Where nothing is computed again, which bounds every other way, and where all layers are.
    struct LeastTimes {
        Result<ModelTime> once;
        Result<ModelTime> again;
    };
    [[nodiscard]] Key keyOf(const Candidate& candidate, const Scenario& scenario) const;

    const SearchTask& task_;
    const SearchSpace& space_;
    StepEstimator& estimator_;
    std::map<Key, Result<BlockCost>> costs_;
    std::map<Key, LeastTimes> least_;
    std::map<std::pair<Key, std::int64_t>, LayerExposures> exposures_;
};

}  // namespace fabricast
