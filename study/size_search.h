#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/sized_cluster.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace fabricast {

/// This searches clusters of a catalogue, as few as an answer needs: one is left out only where a
/// cluster that was searched is better than the best that it could be (SizeBound). What is found
/// does not depend on the number of threads.
///     SizeSearch search(jobs, ask, catalogue, bench, watch);
///     FABRICAST_TRY(search.findFront());
///     if (search.pick()) { … }
class SizeSearch {
public:
    SizeSearch(std::span<const Question> jobs,
               const SizeAsk& ask,
               const SizeCatalogue& catalogue,
               const Workbench& bench,
               const Watch& watch);

    /// Those that reach the targets and that no other beats in money, time and power; among them
    /// the best by the aim, or the one of the fewest GPUs.
    Result<void> findFront();
    /// Every cluster of one node that reaches the targets.
    Result<void> findSingleNodes();
    /// All counts of a kind of node.
    Result<void> findLine(std::size_t line);

    [[nodiscard]] std::optional<std::size_t> pick() const { return pick_; }  ///< of `found`
    [[nodiscard]] std::vector<std::size_t> front() const;
    [[nodiscard]] std::span<const SizedCluster> found() const { return found_; }
    /// Of those found: its line.
    [[nodiscard]] std::size_t lineOf(std::size_t place) const {
        return catalogue_.candidates[candidateOf_[place]].line;
    }

    /// Searched to their end or not.
    [[nodiscard]] std::int64_t tried() const;

private:
    /// Seconds that a cluster may take to be of use: below its bound it is of none.
    using Limit = std::function<double(const SizeCandidate&)>;
    Result<void> searchAll(const Limit& limit);
    [[nodiscard]] std::vector<std::size_t> nextOf(const std::vector<bool>& isOver,
                                                  const Limit& limit) const;
    [[nodiscard]] double limitOfPick(const SizeCandidate& one) const;
    [[nodiscard]] double limitOfFront(const SizeCandidate& one) const;
    void add(std::size_t candidate, SizedCluster cluster);

    SizeSearcher searcher_;
    const SizeCatalogue& catalogue_;
    std::vector<std::size_t> order_;  ///< candidates, those that may be best first
    std::vector<bool> isDone_;        ///< by candidate: to its end
    std::vector<bool> isTried_;       ///< by candidate
    std::vector<SizedCluster> found_;
    std::vector<std::size_t> candidateOf_;
    std::optional<std::size_t> pick_;
};

}  // namespace fabricast
