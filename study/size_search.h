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

    /// The best by the aim of those that reach the targets.
    Result<void> findPick();
    /// Those that reach the targets and that no other beats in money, time and power; among them
    /// the best by the aim, or the one of the fewest GPUs.
    Result<void> findFront();
    /// Counts between those of the catalogue where a better one may be, as long as there are any:
    /// the roundest between one that reaches the targets and the next that does not; where none
    /// reaches them, between any two neighbours. Only where the ask left the counts open.
    Result<void> narrow();
    /// A better pick among several counts near it, as long as more than `kept` is left to walk.
    /// Likewise.
    Result<void> findBesidePick(std::int64_t kept);
    /// The front, and the best by the aim of it and of the counts between: near it several.
    Result<void> findLeast();
    /// The one that comes closest to a target, whether or not it reaches others.
    Result<void> findNearest(const SizeTarget& target);
    /// Where the pick perhaps reaches the targets, the best that surely does.
    Result<void> findSurest();
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
    /// Of those found: whether its count is one of the catalogue, and not between two.
    [[nodiscard]] bool isOfCatalogue(std::size_t place) const {
        return candidateOf_[place] < catalogue_.candidates.size();
    }
    /// Those of the catalogue, then the ones between.
    [[nodiscard]] std::span<const SizeCandidate> candidates() const { return candidates_; }

    [[nodiscard]] SizeWork& work() const { return work_; }
    /// Searched to their end or not.
    [[nodiscard]] std::int64_t tried() const;
    /// By box, in the order of the catalogue: what may be of use and no work was left for.
    [[nodiscard]] std::vector<NotSearched> notSearched() const;

    /// What a cluster has to do to be of use; asked on the calling thread.
    using Limit = std::function<SizeLimit(const SizeCandidate&)>;
    /// All that are of use, those that may be best by the aim first, as long as more than `kept` is
    /// left to walk.
    Result<void> searchAll(SizeAim aim, std::int64_t kept, const Limit& limit);

private:
    /// Whether a count between two candidates of a line may be of use.
    using Gap = std::function<bool(std::size_t fewer, std::size_t next)>;
    struct Next {
        std::size_t candidate = 0;
        SizeLimit limit;
    };
    void ruleOut(std::size_t from);
    [[nodiscard]] std::vector<Next> nextOf(std::vector<std::size_t>& open,
                                           const Limit& limit) const;
    [[nodiscard]] SizeLimit limitOfPick(const SizeCandidate& one) const;
    [[nodiscard]] SizeLimit limitOfFront(const SizeCandidate& one) const;
    [[nodiscard]] SizeLimit limitOfNearest(const SizeCandidate& one,
                                           const SizeTarget& target,
                                           std::optional<std::size_t> best) const;
    Result<void> findPick(std::int64_t kept);
    [[nodiscard]] bool isNearPick(std::size_t fewer, std::size_t next) const;
    [[nodiscard]] std::vector<SizeCandidate> between(const Gap& mayHelp, std::int64_t most) const;
    void extend(std::span<const SizeCandidate> more);
    void leave(std::span<const Next> next, std::span<const std::size_t> open, const Limit& limit);
    void leaveFrom(std::size_t first);
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
