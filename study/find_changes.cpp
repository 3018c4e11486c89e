#include "study/find_changes.h"

#include "planner/base/parallel_map.h"
#include "study/replaced_keys.h"
#include "study/targets.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostPaired = 8;
constexpr std::size_t kMostChained = 4;

std::vector<const Change*> pointersTo(const std::vector<Change>& changes) {
    std::vector<const Change*> pointers;
    for (const Change& change : changes) {
        pointers.push_back(&change);
    }
    return pointers;
}

/// Changes that are made together, of a question of this distance.
struct Trial {
    std::vector<Change> changes;
    double before = 1.0;
    std::vector<double> parts{};  ///< what comes nearer to one of these helps too
    bool isReached = true;        ///< reaching the aim is no help by itself
};

bool helps(const Judgement& judgement, const Trial& trial, double worth) {
    if (judgement.distance < trial.before * worth || (judgement.reaches && !trial.isReached)) {
        return true;
    }
    const std::size_t parts = std::min(judgement.parts.size(), trial.parts.size());
    for (std::size_t i = 0; i < parts; ++i) {
        if (judgement.parts[i] < trial.parts[i] * worth) {
            return true;
        }
    }
    return false;
}

/// What came of a trial.
struct TrialResult {
    std::int64_t walked = 0;
    std::optional<TriedChange> help;  ///< nothing where its changes are not possible or no help
};

/// Whether all that a change says is said in another way by one of those behind it: it would be of
/// no effect.
bool isOverwritten(const Change& change, std::span<const Change> behind) {
    return std::ranges::all_of(change.edits, [&behind](const Edit& edit) {
        return std::ranges::any_of(behind, [&edit](const Change& later) {
            return std::ranges::any_of(later.edits, [&edit](const Edit& one) {
                return one.path == edit.path || isReplaced(edit.path, one);
            });
        });
    });
}

std::vector<Change> withoutOverwritten(const std::vector<Change>& changes) {
    std::vector<Change> kept;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!isOverwritten(changes[i], std::span(changes).subspan(i + 1))) {
            kept.push_back(changes[i]);
        }
    }
    return kept;
}

Result<TrialResult> tryOut(const Question& question,
                           const Trial& trial,
                           const Judge& judge,
                           double worth) {
    TriedChange tried{.changes = trial.changes, .judgement = {}};
    if (withoutOverwritten(tried.changes).size() < tried.changes.size()) {
        return TrialResult{};  // fewer of them are tried by themselves
    }
    const Result<Question> changed = with(question, tried.edits());
    Result<Judgement> judgement =
        changed ? judge(*changed, trial.before) : tl::unexpected(changed.error());
    if (!judgement) {
        return judgement.error().code == Error::Code::Stopped
                   ? Result<TrialResult>(tl::unexpected(std::move(judgement).error()))
                   : TrialResult{};
    }
    TrialResult result{.walked = judgement->walked, .help = {}};
    if (helps(*judgement, trial, worth)) {
        tried.judgement = *std::move(judgement);
        result.help = std::move(tried);
    }
    return result;
}

/// The first of the trials, as many as the search has left: those that help, best first. A few are
/// tried at once, however many threads there are: what they walked through is then counted.
Result<std::vector<TriedChange>> tryAll(const Question& question,
                                        std::vector<Trial> trials,
                                        const Judge& judge,
                                        ChangeSearch& search,
                                        const Watch& watch) {
    constexpr std::size_t kAtOnce = 4;
    const std::size_t left = static_cast<std::size_t>(std::max(search.tries, 0));
    trials.resize(std::min(trials.size(), left));
    std::vector<TriedChange> found;
    std::size_t begin = 0;
    while (begin < trials.size() && search.walksLeft > 0) {
        const std::size_t count = std::min(kAtOnce, trials.size() - begin);
        const auto tried = parallelMap(std::span(trials).subspan(begin, count),
                                       [&](const Trial& trial) -> Result<TrialResult> {
                                           FABRICAST_TRY(watch.check());
                                           return tryOut(question, trial, judge, search.worth);
                                       },
                                       {.threads = search.threads});
        for (Result<TrialResult> one : *tried) {
            FABRICAST_TRY(one);
            search.walksLeft -= one->walked;
            if (one->help) {
                found.push_back(*std::move(one->help));
            }
        }
        begin += count;
    }
    search.tries -= static_cast<int>(begin);
    search.notTried += trials.size() - begin;
    sortChanges(found, search.order);
    return found;
}

auto rankOf(const TriedChange& tried, ChangeOrder order) {
    const Judgement& judgement = tried.judgement;
    const bool byEffort = judgement.reaches && order != ChangeOrder::Nearest;
    const bool isEqual = byEffort && order == ChangeOrder::FirstOfEffort;
    const bool isBought = byEffort && !isEqual && tried.group() == FixGroup::Buy;
    // What is bought is in the order of what the same tokens cost, without a known price last.
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    return std::tuple(order != ChangeOrder::Nearest && !judgement.reaches,
                      isBought,
                      isBought ? dollarsPerMtok(judgement.plan).value_or(kUnknown) : 0.0,
                      byEffort ? tried.effort() : 0,
                      isEqual ? 0.0 : judgement.distance);
}

std::vector<std::size_t> placesBy(const std::vector<TriedChange>& singles, std::size_t part) {
    std::vector<std::size_t> places(singles.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&singles, part](std::size_t place) {
        return singles[place].judgement.parts[part];
    });
    return places;
}

/// The first few as they stand and of each part of the aim in turn, in the order of the singles.
std::vector<std::size_t> mostHelpful(const std::vector<TriedChange>& singles) {
    std::vector<std::size_t> places(singles.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> orders = {places};
    const std::size_t parts = singles.empty() ? 0 : singles.front().judgement.parts.size();
    for (std::size_t part = 0; part < parts; ++part) {
        orders.push_back(placesBy(singles, part));
    }
    std::set<std::size_t> chosen;
    for (std::size_t rank = 0; rank < singles.size(); ++rank) {
        for (const std::vector<std::size_t>& order : orders) {
            if (chosen.size() < kMostPaired) {
                chosen.insert(order[rank]);
            }
        }
    }
    return {chosen.begin(), chosen.end()};
}

bool isFree(const TriedChange& tried) {
    return tried.group() == FixGroup::Free;
}

}  // namespace

int TriedChange::effort() const {
    int sum = 0;
    for (const Change& change : changes) {
        sum += change.effort + 1;
    }
    return sum;
}

FixGroup TriedChange::group() const {
    FixGroup most = FixGroup::Free;
    for (const Change& change : changes) {
        most = std::max(most, change.group);
    }
    return most;
}

std::string TriedChange::title() const {
    return titleOf(pointersTo(changes));
}

std::string TriedChange::titleBehind(const Question& question) const {
    return titleOf(pointersTo(changes), &question);
}

std::vector<Edit> TriedChange::edits() const {
    return joined(pointersTo(changes));
}

void sortChanges(std::vector<TriedChange>& found, ChangeOrder order) {
    std::ranges::stable_sort(found, [order](const TriedChange& a, const TriedChange& b) {
        return rankOf(a, order) < rankOf(b, order);
    });
}

Result<std::vector<TriedChange>> findChanges(const Question& question,
                                             const std::vector<Change>& changes,
                                             const Judge& judge,
                                             ChangeSearch& search,
                                             const Watch& watch) {
    std::vector<Trial> trials;
    trials.reserve(changes.size());
    for (const Change& change : changes) {
        trials.push_back({{change}, search.before, search.parts});
    }
    return tryAll(question, std::move(trials), judge, search, watch);
}

Result<std::vector<TriedChange>> findPairs(const Question& question,
                                           const std::vector<TriedChange>& singles,
                                           const Judge& judge,
                                           ChangeSearch& search,
                                           const Watch& watch) {
    std::vector<Trial> trials;
    const std::vector<std::size_t> places = mostHelpful(singles);
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            const TriedChange& one = singles[places[i]];
            const TriedChange& other = singles[places[j]];
            const Change* first = &one.changes.front();
            const Change* second = &other.changes.front();
            if (first->kind == second->kind) {
                continue;
            }
            // In the order of the catalogue: where both say the nodes, more of them wins.
            if (second->place < first->place) {
                std::swap(first, second);
            }
            trials.push_back({.changes = {*first, *second},
                              .before = std::min(one.judgement.distance, other.judgement.distance),
                              .isReached = search.isReached || one.judgement.reaches ||
                                           other.judgement.reaches});
        }
    }
    return tryAll(question, std::move(trials), judge, search, watch);
}

Result<std::vector<TriedChange>> findFreePairsFirst(const Question& question,
                                                    const std::vector<TriedChange>& singles,
                                                    const Judge& judge,
                                                    ChangeSearch& search,
                                                    const Watch& watch) {
    std::vector<TriedChange> free;
    std::ranges::copy_if(singles, std::back_inserter(free), &isFree);
    if (isReachedByOne(free)) {
        return std::vector<TriedChange>();
    }
    const int tries = search.tries;
    FABRICAST_ASSIGN(std::vector<TriedChange> pairs,
                     findPairs(question, free, judge, search, watch));
    if (isReachedByOne(singles) || isReachedByOne(pairs) || free.size() == singles.size()) {
        return pairs;
    }
    search.tries = tries;
    FABRICAST_ASSIGN(std::vector<TriedChange> all,
                     findPairs(question, singles, judge, search, watch));
    std::ranges::move(all, std::back_inserter(pairs));
    return pairs;
}

bool isReachedByOne(const std::vector<TriedChange>& found) {
    return std::ranges::any_of(found, [](const TriedChange& one) { return one.judgement.reaches; });
}

bool isNearer(const Judgement& judgement, const ChangeSearch& search) {
    return judgement.distance < search.before * search.worth ||
           (judgement.reaches && !search.isReached);
}

Result<std::optional<TriedChange>> findChain(const Question& question,
                                             TriedChange first,
                                             const Catalogue& catalogue,
                                             const Judge& judge,
                                             ChangeSearch& search,
                                             const Watch& watch) {
    TriedChange now = std::move(first);
    search.parts.clear();  // each link comes nearer
    for (std::size_t made = 1; made < kMostChained && !now.judgement.reaches; ++made) {
        FABRICAST_ASSIGN(const Question changed, with(question, now.edits()));
        search.before = now.judgement.distance;
        FABRICAST_ASSIGN(
            std::vector<TriedChange> next,
            findChanges(
                changed, catalogue(changed, now.judgement.plan.scenario), judge, search, watch));
        if (next.empty()) {
            return std::optional<TriedChange>();
        }
        now.changes.push_back(std::move(next.front().changes.front()));
        now.changes = withoutOverwritten(now.changes);
        now.judgement = std::move(next.front().judgement);
    }
    return now.judgement.reaches ? std::optional(std::move(now)) : std::nullopt;
}

}  // namespace fabricast
