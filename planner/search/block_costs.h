#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/memory/walk/segment_footprint.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

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

/// Bytes that a layer keeps of each sample at least, from its forward to its backward.
struct LayersKept {
    double dense = 0.0;
    double sparse = 0.0;  ///< of a layer with experts
};

/// The costs of every kind of block that the candidates have, each worked out once, when it is
/// asked for. They stay where they are.
class BlockCosts {
public:
    BlockCosts(const SearchTask& task, const SearchSpace& space, StepEstimator& estimator)
        : task_(task), space_(space), estimator_(estimator) {}

    /// An error where the stack's blocks cannot be modelled.
    const Result<ModelTime>& timeOf(const Candidate& candidate, const Scenario& scenario);
    const Result<BlockCost>& of(const Candidate& candidate, const Scenario& scenario);
    /// Whether all layouts with such blocks have the same groups inside a chunk, and copy nothing.
    [[nodiscard]] bool shares(const Candidate& candidate, const Scenario& scenario) const;
    /// Passes of chunks of such blocks that layouts like this one share.
    PassFloors& floorsOf(const Candidate& candidate, const Scenario& scenario);
    /// In micro-batches of any size.
    const Result<LayersKept>& leastKept(const Candidate& candidate, const Scenario& scenario);
    /// What a sample takes at least in blocks of this kind, in micro-batches up to the scenario's.
    const Result<ModelTime>& leastPerSample(const Candidate& candidate, const Scenario& scenario);

private:
    /// What operations of a block depend on; of the settings the engine decides the rest.
    struct Key {
        std::int64_t microBatch = 0;
        std::int64_t tp = 1;
        std::int64_t cp = 1;
        std::int64_t ep = 1;
        std::int64_t etp = 1;
        std::uint32_t stack = 0;
        std::uint16_t recompute = 0;
        Engine engine = Engine::Local;
        CpKind cpKind = CpKind::Ring;
        bool zero3 = false;
        bool pipelined = false;
        bool sp = false;

        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    /// Where nothing is computed again, which bounds every other way, and where all layers are.
    struct LeastTimes {
        Result<ModelTime> once;
        Result<ModelTime> again;
    };
    [[nodiscard]] Key keyOf(const Candidate& candidate, const Scenario& scenario) const;

    const SearchTask& task_;
    const SearchSpace& space_;
    StepEstimator& estimator_;
    PassFloors own_;  ///< of the layout that shares none
    std::unordered_map<Key, Result<ModelTime>, Hash> times_;
    std::unordered_map<Key, PassFloors, Hash> floors_;
    std::unordered_map<Key, Result<BlockCost>, Hash> costs_;
    std::unordered_map<Key, Result<LayersKept>, Hash> kept_;
    std::unordered_map<Key, LeastTimes, Hash> least_;
};

}  // namespace fabricast
