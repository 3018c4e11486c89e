#pragma once
#include "planner/estimate/step_estimator.h"
#include "planner/search/search_space.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace fabricast {

/// One layer and the model's ends on one rank: what many layouts share.
struct BlockCost {
    ModelTime time;
    std::int64_t savedDense = 0;   ///< bytes that a layer without experts keeps, at least
    std::int64_t savedSparse = 0;  ///< and one with them
    double compute = 0.0;          ///< one microbatch through the whole model and back
};

/// The costs of every kind of block that the candidates have, each worked out once.
class BlockCosts {
public:
    /// On `threads` threads; the same for any number.
    BlockCosts(const SearchTask& task,
               const SearchSpace& space,
               const StepEstimator& estimator,
               std::size_t threads)
        : task_(task), space_(space), estimator_(estimator), threads_(threads) {}

    /// Works out what these candidates have and no other had before.
    void add(const std::vector<std::uint32_t>& candidates);

    /// An error where the stack's blocks cannot be modelled.
    [[nodiscard]] const Result<BlockCost>& of(const Candidate& candidate) const;

private:
    /// What operations of a block depend on.
    using Key = std::tuple<std::uint32_t,
                           std::uint32_t,
                           Shard,
                           bool,
                           bool,
                           bool,
                           std::int64_t,
                           std::int64_t,
                           CpKind,
                           std::int64_t,
                           std::int64_t,
                           std::int64_t>;
    static Key keyOf(const Candidate& candidate);

    const SearchTask& task_;
    const SearchSpace& space_;
    const StepEstimator& estimator_;
    std::size_t threads_;
    std::map<Key, std::size_t> places_;
    std::vector<Result<BlockCost>> costs_;
};

}  // namespace fabricast
