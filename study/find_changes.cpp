#include "study/find_changes.h"

#include "planner/base/parallel_map.h"

#include <algorithm>
#include <optional>
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
};

/// What came of a trial.
struct TrialResult {
    std::int64_t walked = 0;
    std::optional<TriedChange> help;  ///< nothing where its changes are not possible or no help
};

Result<TrialResult> tryOut(const Question& question,
                           const Trial& trial,
                           const Judge& judge,
                           double worth) {
    TriedChange tried{.changes = trial.changes, .judgement = {}};
    const Result<Question> changed = with(question, tried.edits());
    Result<Judgement> judgement =
        changed ? judge(*changed, trial.before) : tl::unexpected(changed.error());
    if (!judgement) {
        return judgement.error().code == Error::Code::Stopped
                   ? Result<TrialResult>(tl::unexpected(std::move(judgement).error()))
                   : TrialResult{};
    }
    TrialResult result{.walked = judgement->walked, .help = {}};
    if (judgement->distance < trial.before * worth) {
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
    return std::tuple(order != ChangeOrder::Nearest && !judgement.reaches,
                      byEffort ? tried.effort() : 0,
                      isEqual ? 0.0 : judgement.distance);
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
        trials.push_back({{change}, search.before});
    }
    return tryAll(question, std::move(trials), judge, search, watch);
}

Result<std::vector<TriedChange>> findPairs(const Question& question,
                                           const std::vector<TriedChange>& singles,
                                           const Judge& judge,
                                           ChangeSearch& search,
                                           const Watch& watch) {
    std::vector<Trial> trials;
    const std::size_t count = std::min(singles.size(), kMostPaired);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
            const Change* first = &singles[i].changes.front();
            const Change* second = &singles[j].changes.front();
            if (first->kind == second->kind) {
                continue;
            }
            // In the order of the catalogue: where both say the nodes, more of them wins.
            if (second->place < first->place) {
                std::swap(first, second);
            }
            const double before =
                std::min(singles[i].judgement.distance, singles[j].judgement.distance);
            trials.push_back({{*first, *second}, before});
        }
    }
    return tryAll(question, std::move(trials), judge, search, watch);
}

Result<std::optional<TriedChange>> findChain(const Question& question,
                                             TriedChange first,
                                             const Catalogue& catalogue,
                                             const Judge& judge,
                                             ChangeSearch& search,
                                             const Watch& watch) {
    TriedChange now = std::move(first);
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
        now.judgement = std::move(next.front().judgement);
    }
    return now.judgement.reaches ? std::optional(std::move(now)) : std::nullopt;
}

}  // namespace fabricast
