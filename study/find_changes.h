#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/plan_report.h"
#include "study/changes.h"
#include "study/question.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace fabricast {

/// What a changed question is worth.
struct Judgement {
    double distance = 0.0;    ///< from the aim: less is better
    bool reaches = false;     ///< the aim
    Plan plan{};              ///< what was found: at least its scenario
    std::int64_t walked = 0;  ///< for it, where it was searched for
    bool isCut = false;       ///< more work may find something else
    std::vector<double>
        parts{};  ///< the distances of each thing that is aimed at, where several are
};

/// Judges a changed question that starts from one of this distance. An error means that the change
/// is not possible: a stack refuses it, nothing can be walked or found.
using Judge = std::function<Result<Judgement>(const Question& changed, double before)>;

/// Changes that were made together, and what came of them.
struct TriedChange {
    std::vector<Change> changes;
    Judgement judgement;

    [[nodiscard]] int effort() const;
    [[nodiscard]] FixGroup group() const;  ///< the one that asks most
    [[nodiscard]] std::string title() const;
    /// The same, behind the question as it was typed.
    [[nodiscard]] std::string titleBehind(const Question& question) const;
    [[nodiscard]] std::vector<Edit> edits() const;
};

/// Which of the changes that help come first, after those that reach the aim.
enum class ChangeOrder {
    Nearest,        ///< the nearest to the aim, whatever it takes
    LeastEffort,    ///< of those that reach it the least effort, and of equals the nearest; other
                    ///< hardware comes last, and of that the cheapest for the same tokens first
    FirstOfEffort,  ///< of those that reach it the least effort, and of equals the first listed
};

struct ChangeSearch {
    double before = 1.0;  ///< distance of the question as it is
    double worth = 0.99;  ///< a change is kept where it comes this many times nearer, or better
    /// Of the question as it is. What comes nearer to one of these is kept too: another change may
    /// bring back what it takes from the others.
    std::vector<double> parts{};
    bool isReached = false;  ///< the aim, perhaps, by the question as it is
    ChangeOrder order = ChangeOrder::Nearest;
    int tries = 1000;  ///< changed questions that are judged at most
    /// What their searches may still walk through together. Where nothing is left the rest is not
    /// tried.
    std::int64_t walksLeft = std::numeric_limits<std::int64_t>::max();
    std::size_t notTried = 0;
    std::size_t threads = 1;  ///< more where the judge may be asked by several at a time
};

/// Makes each change alone and keeps those that help, best first. Stops with Error::Code::Stopped.
Result<std::vector<TriedChange>> findChanges(const Question& question,
                                             const std::vector<Change>& changes,
                                             const Judge& judge,
                                             ChangeSearch& search,
                                             const Watch& watch);

/// Of changes that help alone, the first few in pairs of different kinds: those that help most, and
/// those that help each part of the aim most.
Result<std::vector<TriedChange>> findPairs(const Question& question,
                                           const std::vector<TriedChange>& singles,
                                           const Judge& judge,
                                           ChangeSearch& search,
                                           const Watch& watch);

/// Where no change reaches the aim that leaves the training and the hardware as they are: pairs of
/// such changes; where these do not reach it either, nor any change, pairs of all.
Result<std::vector<TriedChange>> findFreePairsFirst(const Question& question,
                                                    const std::vector<TriedChange>& singles,
                                                    const Judge& judge,
                                                    ChangeSearch& search,
                                                    const Watch& watch);

bool isReachedByOne(const std::vector<TriedChange>& found);
/// Whether something comes nearer to the aim, or reaches it where the question does not.
bool isNearer(const Judgement& judgement, const ChangeSearch& search);

/// The changes that may be tried for a question, which now is this scenario.
using Catalogue = std::function<std::vector<Change>(const Question& asked, const Scenario& now)>;

/// Where no single change is enough: the first one, then the best one after it, until the aim is
/// reached; nothing where a few do not reach it. The judgements hold the scenarios.
Result<std::optional<TriedChange>> findChain(const Question& question,
                                             TriedChange first,
                                             const Catalogue& catalogue,
                                             const Judge& judge,
                                             ChangeSearch& search,
                                             const Watch& watch);

void sortChanges(std::vector<TriedChange>& found, ChangeOrder order);

}  // namespace fabricast
