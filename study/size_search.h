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
///     SizeSearch search(jobs, ask, catalogue, bench, watch, work);
///     FABRICAST_TRY(search.findFront());
///     if (search.pick()) { … }
class SizeSearch {
public:
    SizeSearch(std::span<const Question> jobs,
               const SizeAsk& ask,
               const SizeCatalogue& catalogue,
               const Workbench& bench,
               const Watch& watch,
               SizeWork& work);

    /// The best by the aim of those that reach the targets, also of the counts between those of
    /// the catalogue where the ask left them open.
    Result<void> findLeast();
    /// Those that reach the targets and that no other beats in money, time and power; among them
    /// the best by the aim, or the one of the fewest GPUs.
    Result<void> findFront();
    /// The one that comes closest to a target, whether or not it reaches others.
    Result<void> findNearest(const SizeTarget& target);
    /// Every cluster of one node that reaches the targets.
    Result<void> findSingleNodes();
    /// All counts of a kind of node.
    Result<void> findLine(std::size_t line);

    [[nodiscard]] std::optional<std::size_t> pick() const { return pick_; }  ///< of `found`
    [[nodiscard]] std::vector<std::size_t> front() const;
    /// Of those found that fit, the place of the one that comes closest to a target; of those that
    /// reach it the cheapest, or of a budget the fastest.
    [[nodiscard]] std::optional<std::size_t> nearestTo(const SizeTarget& target) const;
    [[nodiscard]] std::span<const SizedCluster> found() const { return found_; }
    /// Of those found: its line.
    [[nodiscard]] std::size_t lineOf(std::size_t place) const {
        return candidates_[candidateOf_[place]].line;
    }
    /// Those of the catalogue, then the ones between.
    [[nodiscard]] std::span<const SizeCandidate> candidates() const { return candidates_; }

    [[nodiscard]] SizeWork& work() const { return work_; }
    /// Searched to their end or not.
    [[nodiscard]] std::int64_t tried() const;
    /// By box, in the order of the catalogue: what may be of use and no work was left for.
    [[nodiscard]] std::vector<NotSearched> notSearched() const;

private:
    /// What a cluster has to do to be of use; asked on the calling thread.
    using Limit = std::function<SizeLimit(const SizeCandidate&)>;
    struct Next {
        std::size_t candidate = 0;
        SizeLimit limit;
    };
    void ruleOut(std::size_t from);
    /// As long as more than `kept` is left to walk.
    Result<void> searchAll(SizeAim aim, std::int64_t kept, const Limit& limit);
    [[nodiscard]] std::vector<Next> nextOf(std::vector<std::size_t>& open,
                                           const Limit& limit) const;
    [[nodiscard]] SizeLimit limitOfPick(const SizeCandidate& one) const;
    [[nodiscard]] SizeLimit limitOfFront(const SizeCandidate& one) const;
    [[nodiscard]] SizeLimit limitOfNearest(const SizeCandidate& one,
                                           const SizeTarget& target,
                                           std::optional<std::size_t> best) const;
    Result<void> findPick();
    [[nodiscard]] std::vector<SizeCandidate> between() const;
    void extend(std::span<const SizeCandidate> more);
    void leave(std::span<const Next> next, std::span<const std::size_t> open, const Limit& limit);
    void add(std::size_t candidate, SizedCluster cluster);
    void addToFront(std::size_t place);

    SizeSearcher searcher_;
    const SizeCatalogue& catalogue_;
    std::vector<SizeCandidate> candidates_;
    std::vector<bool> isDone_;   ///< by candidate: to its end
    std::vector<bool> isMet_;    ///< by candidate: known to reach the targets
    std::vector<bool> isTried_;  ///< by candidate
    std::vector<bool> isLeft_;   ///< by candidate: without work for it
    std::vector<SizedCluster> found_;
    std::vector<std::size_t> front_;  ///< of `found_`, not in order
    std::vector<std::size_t> candidateOf_;
    std::optional<std::size_t> pick_;
    SizeWork& work_;
};

}  // namespace fabricast
