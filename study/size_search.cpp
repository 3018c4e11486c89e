#include "study/size_search.h"

#include "planner/base/parallel_map.h"
#include "study/size_verdicts.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// Clusters that are searched at a time, of different GPUs: what one search works out serves the
/// next of the same GPU. It is the same on every machine, as what is searched depends on it.
constexpr std::size_t kAtATime = 2;

/// What looks near the pick leave for what is said about it, what searches for the pick leave, and
/// those about one node leave for the last.
std::int64_t besidePick(const SizeWork& work) {
    return work.most / 2;
}
std::int64_t forOneNode(const SizeWork& work) {
    return work.most / 4;
}
std::int64_t forScaling(const SizeWork& work) {
    return work.most / 8;
}

/// Those that are not over, those that may be best first; of a box on several networks the fastest
/// one, which leaves the others the least to be better than.
std::vector<std::size_t> byBound(const std::vector<SizeCandidate>& candidates,
                                 const std::vector<SizeLine>& lines,
                                 const std::vector<bool>& isOver,
                                 SizeAim aim) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!isOver[i]) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&candidates, &lines, aim](std::size_t place) {
        const SizeBound& bound = candidates[place].bound;
        return std::tuple(valueOf(bound, aim).value_or(std::numeric_limits<double>::max()),
                          bound.gpus,
                          -lines[candidates[place].line].networkOfGpu.count());
    });
    return order;
}

SizeAim aimAt(SizeMetric metric) {
    return metric == SizeMetric::Budget ? SizeAim::Cost : SizeAim::Time;
}

/// Of two that reach a target the cheaper; of two that keep to a budget the faster.
bool isNearer(const SizedCluster& a, const SizedCluster& b, const SizeTarget& target) {
    const double missOfA = std::max(1.0, missRatio(a, target));
    const double missOfB = std::max(1.0, missRatio(b, target));
    if (missOfA != missOfB) {
        return missOfA < missOfB;
    }
    const bool isBudget = target.metric == SizeMetric::Budget;
    return missOfA <= 1.0 && isBetter(a, b, isBudget ? SizeAim::Time : SizeAim::Cost);
}

}  // namespace

SizeSearch::SizeSearch(std::span<const Question> jobs,
                       const SizeAsk& ask,
                       const SizeCatalogue& catalogue,
                       const Workbench& bench,
                       const Watch& watch,
                       SizeWork& work)
    : searcher_{jobs, ask, bench, watch},
      catalogue_(catalogue),
      candidates_(catalogue.candidates),
      isDone_(catalogue.candidates.size(), false),
      isMet_(catalogue.candidates.size(), false),
      isTried_(catalogue.candidates.size(), false),
      isLeft_(catalogue.candidates.size(), false),
      work_(work) {
    ruleOut(0);
}

/// What has no room for the states needs no search.
void SizeSearch::ruleOut(std::size_t from) {
    for (std::size_t i = from; i < candidates_.size(); ++i) {
        const SizeCandidate& one = candidates_[i];
        const SizeLine& line = catalogue_.lines[one.line];
        if (!hasRoom(line, one.amount)) {
            SizedCluster bare = bareCluster(line, one.amount);
            bare.why = "no layout fits";
            add(i, std::move(bare));
        }
    }
}

/// The first that are of use, each of another GPU; they leave `open`, and so do those that are of
/// none: a limit only gets tighter.
std::vector<SizeSearch::Next> SizeSearch::nextOf(std::vector<std::size_t>& open,
                                                 const Limit& limit) const {
    std::vector<Next> next;
    std::vector<std::size_t> later;
    const auto gpuOf = [this](std::size_t place) -> const std::string& {
        return catalogue_.lines[candidates_[place].line].gpu;
    };
    std::size_t seen = 0;
    for (; seen < open.size() && next.size() < kAtATime; ++seen) {
        const std::size_t place = open[seen];
        const SizeCandidate& candidate = candidates_[place];
        const SizeLimit least = limit(candidate);
        if (!isOfUse(candidate.bound, least)) {
            continue;
        }
        const bool isAlone = std::ranges::none_of(
            next, [&](const Next& other) { return gpuOf(other.candidate) == gpuOf(place); });
        if (isAlone) {
            next.push_back({place, least});
        } else {
            later.push_back(place);
        }
    }
    later.insert(later.end(), open.begin() + static_cast<std::ptrdiff_t>(seen), open.end());
    open = std::move(later);
    return next;
}

/// Whatever this beats leaves the front.
void SizeSearch::addToFront(std::size_t place) {
    const SizedCluster& one = found_[place];
    const bool isBeaten =
        std::ranges::any_of(front_, [&](std::size_t at) { return isAsGood(found_[at], one); });
    if (!isBeaten) {
        std::erase_if(front_, [&](std::size_t at) { return isAsGood(one, found_[at]); });
        front_.push_back(place);
    }
}

void SizeSearch::add(std::size_t candidate, SizedCluster cluster) {
    isDone_[candidate] = true;
    candidateOf_.push_back(candidate);
    found_.push_back(std::move(cluster));
    const std::size_t place = found_.size() - 1;
    isMet_[candidate] = found_[place].meetsTargets;
    if (!isMet_[candidate]) {
        return;
    }
    if (!pick_ || isBetter(found_[place], found_[*pick_], aimOf(searcher_.ask))) {
        pick_ = place;
    }
    addToFront(place);
}

/// What was to come next and what of the rest is of use has no work left for it.
void SizeSearch::leave(std::span<const Next> next,
                       std::span<const std::size_t> open,
                       const Limit& limit) {
    for (const Next& one : next) {
        isLeft_[one.candidate] = true;
    }
    for (const std::size_t place : open) {
        const SizeCandidate& one = candidates_[place];
        isLeft_[place] = isLeft_[place] || (!next.empty() && isOfUse(one.bound, limit(one)));
    }
    work_.isCutShort = work_.isCutShort || !next.empty();
}

Result<void> SizeSearch::searchAll(SizeAim aim, std::int64_t kept, const Limit& limit) {
    std::vector<std::size_t> open = byBound(candidates_, catalogue_.lines, isDone_, aim);
    const std::size_t threads = searcher_.bench.threads();
    while (true) {
        std::vector<Next> next = nextOf(open, limit);
        if (next.empty() || work_.left <= kept) {
            leave(next, open, limit);
            return {};
        }
        for (Next& one : next) {
            one.limit.walks = (work_.left - kept) / static_cast<std::int64_t>(next.size());
        }
        const auto tryOne = [&](const Next& now) {
            const SizeCandidate& one = candidates_[now.candidate];
            return tryCluster(searcher_,
                              catalogue_.lines[one.line],
                              one.amount,
                              now.limit,
                              std::max<std::size_t>(1, threads / next.size()));
        };
        auto answers =
            parallelMap(next, tryOne, {.threads = threads, .stop = searcher_.watch.stop});
        FABRICAST_TRY(searcher_.watch.check());
        for (std::size_t i = 0; i < next.size(); ++i) {
            FABRICAST_TRY((*answers)[i]);
            isTried_[next[i].candidate] = true;
            work_.left -= (*answers)[i]->walked;
            work_.isCutShort = work_.isCutShort || (*answers)[i]->isCutShort;
            tighten(candidates_[next[i].candidate].bound, (*answers)[i]->known);
            if (!(*answers)[i]->isCut) {
                add(next[i].candidate, std::move((*answers)[i]->cluster));
            }
        }
        searcher_.watch.report(static_cast<std::size_t>(tried()), candidates_.size());
    }
}

std::int64_t SizeSearch::tried() const {
    return std::ranges::count(isTried_, true);
}

std::vector<NotSearched> SizeSearch::notSearched() const {
    std::vector<NotSearched> boxes;
    for (std::size_t i = 0; i < isLeft_.size(); ++i) {
        if (!isLeft_[i] || isTried_[i]) {
            continue;
        }
        const std::string& box = catalogue_.lines[candidates_[i].line].box;
        const auto had = std::ranges::find(boxes, box, &NotSearched::box);
        NotSearched& one = had == boxes.end() ? boxes.emplace_back(NotSearched{.box = box}) : *had;
        ++one.clusters;
    }
    return boxes;
}

SizeLimit SizeSearch::limitOfPick(const SizeCandidate& one) const {
    const std::vector<SizeTarget>& targets = searcher_.ask.targets;
    return pick_ ? limitToBeat(one.bound, found_[*pick_], aimOf(searcher_.ask), targets)
                 : limitOf(one.bound, targets);
}

SizeLimit SizeSearch::limitOfFront(const SizeCandidate& one) const {
    SizeLimit limit = limitOf(one.bound, searcher_.ask.targets);
    for (const std::size_t place : front_) {
        limit.seconds = std::min(limit.seconds, beatenFrom(found_[place], one.bound));
    }
    return limit;
}

SizeLimit SizeSearch::limitOfNearest(const SizeCandidate& one,
                                     const SizeTarget& target,
                                     std::optional<std::size_t> best) const {
    if (!best) {
        return {};
    }
    const SizedCluster& had = found_[*best];
    const bool isReached = missRatio(had, target) <= 1.0;
    const double asDear = had.usd ? secondsOf(one.bound, *had.usd) : SizeLimit().seconds;
    if (isReached) {
        SizeLimit limit = limitOf(one.bound, {&target, 1});
        limit.seconds =
            std::min(limit.seconds, target.metric == SizeMetric::Budget ? had.seconds : asDear);
        return limit;
    }
    switch (target.metric) {
        case SizeMetric::TokensPerSecond:
            return {.tokensPerSecond = had.tokensPerSecond};
        case SizeMetric::Days:
            return {.seconds = had.seconds};
        case SizeMetric::Budget:
            break;
    }
    return {.seconds = asDear};
}

Result<void> SizeSearch::findPick(std::int64_t kept) {
    return searchAll(
        aimOf(searcher_.ask), kept, [this](const SizeCandidate& one) { return limitOfPick(one); });
}

Result<void> SizeSearch::findPick() {
    return findPick(forOneNode(work_));
}

Result<void> SizeSearch::findFront() {
    const SizeAim aim = aimOf(searcher_.ask);
    if (aim == SizeAim::Gpus) {  // no number of the front
        FABRICAST_TRY(findPick());
    }
    return searchAll(
        aim, forOneNode(work_), [this](const SizeCandidate& one) { return limitOfFront(one); });
}

Result<void> SizeSearch::findLeast() {
    FABRICAST_TRY(findFront());
    FABRICAST_TRY(narrow());
    return findBesidePick(besidePick(work_));
}

Result<void> SizeSearch::findNearest(const SizeTarget& target) {
    std::optional<std::size_t> best;
    std::size_t seen = 0;
    return searchAll(aimAt(target.metric), forScaling(work_), [&, this](const SizeCandidate& one) {
        if (seen < found_.size()) {
            best = nearestTo(target);
            seen = found_.size();
        }
        return limitOfNearest(one, target, best);
    });
}

Result<void> SizeSearch::findSurest() {
    if (!pick_ || found_[*pick_].isSure()) {
        return {};
    }
    const SizeAim aim = aimOf(searcher_.ask);
    const std::vector<SizeTarget>& targets = searcher_.ask.targets;
    std::optional<std::size_t> best;
    std::size_t seen = 0;
    return searchAll(aim, forOneNode(work_), [&, this](const SizeCandidate& one) {
        for (; seen < found_.size(); ++seen) {
            const SizedCluster& next = found_[seen];
            const bool isSure = next.meetsTargets && next.isSure();
            best = isSure && (!best || isBetter(next, found_[*best], aim)) ? seen : best;
        }
        return best ? limitToBeat(one.bound, found_[*best], aim, targets)
                    : limitOf(one.bound, targets);
    });
}

Result<void> SizeSearch::findSingleNodes() {
    return searchAll(aimOf(searcher_.ask), forScaling(work_), [this](const SizeCandidate& one) {
        return one.amount.nodes == 1 ? limitOf(one.bound, searcher_.ask.targets) : kNoUse;
    });
}

Result<void> SizeSearch::findLine(std::size_t line) {
    return searchAll(aimOf(searcher_.ask), 0, [line](const SizeCandidate& one) {
        return one.line == line ? SizeLimit() : kNoUse;
    });
}

std::optional<std::size_t> SizeSearch::nearestTo(const SizeTarget& target) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        if (found_[i].fits && (!best || isNearer(found_[i], found_[*best], target))) {
            best = i;
        }
    }
    return best;
}

std::vector<std::size_t> SizeSearch::front() const {
    std::vector<std::size_t> places = front_;
    std::ranges::sort(places, [this](std::size_t a, std::size_t b) {
        return isBetter(found_[a], found_[b], SizeAim::Cost);
    });
    return places;
}

}  // namespace fabricast
