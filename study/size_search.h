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
///     FABRICAST_TRY(search.findPick());
///     FABRICAST_TRY(search.findFront());
class SizeSearch {
public:
    SizeSearch(std::span<const Question> jobs,
               const SizeAsk& ask,
               const SizeCatalogue& catalogue,
               const Workbench& bench,
               const Watch& watch);

    /// The best by the aim that reaches the targets, and every cluster of one node that does.
    Result<void> findPick();
    /// Those that reach the targets and that no other beats in money, time and power.
    Result<void> findFront();
    /// All counts of a kind of node.
    Result<void> findLine(std::size_t line);

    [[nodiscard]] std::optional<std::size_t> pick() const { return pick_; }  ///< of `found`
    [[nodiscard]] std::vector<std::size_t> front() const;
    [[nodiscard]] std::span<const SizedCluster> found() const { return found_; }
    /// Of those found: its line.
    [[nodiscard]] std::size_t lineOf(std::size_t place) const {
        return catalogue_.candidates[candidateOf_[place]].line;
    }

private:
    using IsOpen = std::function<bool(const SizeCandidate&)>;
    Result<void> searchAll(const std::vector<std::size_t>& order, const IsOpen& isOpen);
    [[nodiscard]] std::vector<std::size_t> nextOf(const std::vector<std::size_t>& order,
                                                  const IsOpen& isOpen) const;
    void add(std::size_t candidate, SizedCluster cluster);
    [[nodiscard]] std::vector<std::size_t> byBound() const;

    std::span<const Question> jobs_;
    const SizeAsk& ask_;
    const SizeCatalogue& catalogue_;
    const Workbench& bench_;
    const Watch& watch_;
    std::vector<bool> isDone_;  ///< by candidate
    std::vector<SizedCluster> found_;
    std::vector<std::size_t> candidateOf_;
    std::optional<std::size_t> pick_;
};

}  // namespace fabricast
