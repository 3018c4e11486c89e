#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/search/block_table.h"
#include "planner/search/known_work.h"
#include "planner/search/search_space.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fabricast {

/// The costs of every kind of block that the candidates have, each worked out once, when it is
/// asked for, unless an earlier search did. They stay where they are.
class BlockCosts {
public:
    /// `known`: by stack of the task.
    BlockCosts(const SearchTask& task,
               const SearchSpace& space,
               StepEstimator& estimator,
               std::span<BorrowedWork> known)
        : task_(task),
          space_(space),
          estimator_(estimator),
          known_(known),
          floors_(task.stacks.size()),
          waits_(task.stacks.size()),
          scratch_(task.base) {}

    /// An error where the stack's blocks cannot be modelled.
    const Result<ModelTime>& timeOf(const Candidate& candidate, const Scenario& scenario);
    const Result<BlockCost>& of(const Candidate& candidate, const Scenario& scenario);
    /// Whether all layouts with such blocks have the same groups inside a chunk, and copy nothing.
    [[nodiscard]] bool shares(const Candidate& candidate, const Scenario& scenario) const;
    /// Passes of chunks of such blocks that layouts like this one share.
    PassFloors& floorsOf(const Candidate& candidate, const Scenario& scenario);
    /// What layers wait for of a sample's transfers, in micro-batches up to the scenario's.
    Result<LayerWaits> leastWaits(const Candidate& candidate, const Scenario& scenario);
    /// In micro-batches of any size.
    const Result<LayersKept>& leastKept(const Candidate& candidate, const Scenario& scenario);
    /// What a sample takes at least in blocks of this kind, in micro-batches up to the scenario's.
    const Result<ModelTime>& leastPerSample(const Candidate& candidate, const Scenario& scenario);

private:
    [[nodiscard]] std::uint16_t madeOf(const Candidate& candidate, const Scenario& scenario) const;
    [[nodiscard]] std::vector<CpKind> exchanges(const Candidate& candidate,
                                                const Scenario& scenario) const;
    const Result<ModelTime>& layersOf(BlockKey key,
                                      const Candidate& candidate,
                                      const Scenario& scenario);
    Result<ModelTime> blockTime(const BlockKey& key,
                                const Candidate& candidate,
                                const Scenario& scenario);
    void findKept(BlockKey key, const Candidate& candidate, const Scenario& scenario);
    Result<void> findLeast(BlockKey key, const Candidate& candidate, const Scenario& scenario);
    Scenario& copied(const Scenario& scenario);
    [[nodiscard]] BlockTable& tableOf(const Candidate& candidate) {
        return known_[space_.families[candidate.family].stack]->blocks;
    }

    const SearchTask& task_;
    const SearchSpace& space_;
    StepEstimator& estimator_;
    std::span<BorrowedWork> known_;
    PassFloors own_;                           ///< of the layout that shares none
    std::vector<ByBlock<PassFloors>> floors_;  ///< by stack
    struct KnownWaits {
        LayerWaits waits;
        std::int64_t samples = 0;  ///< of the micro-batch
    };
    std::vector<ByBlock<KnownWaits>> waits_;  ///< likewise, of any micro-batch
    /// The time that was asked for last: layouts of one block are looked at one after another.
    struct Last {
        std::uint32_t stack = 0;
        BlockKey block;
        const Result<ModelTime>* time = nullptr;
    };
    Last last_;
    Scenario scratch_;  ///< to be changed: a copy of the cluster takes longer than a bound
};

}  // namespace fabricast
