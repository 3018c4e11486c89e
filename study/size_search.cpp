#include "study/size_search.h"

#include "planner/base/parallel_map.h"
#include "study/size_verdicts.h"

#include <algorithm>
#include <limits>
#include <numeric>
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

/// Those that are not over, those that may be best first.
std::vector<std::size_t> byBound(const std::vector<SizeCandidate>& candidates,
                                 const std::vector<bool>& isOver,
                                 SizeAim aim) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!isOver[i]) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&candidates, aim](std::size_t place) {
        const SizeBound& bound = candidates[place].bound;
        return std::tuple(valueOf(bound, aim).value_or(std::numeric_limits<double>::max()),
                          bound.gpus);
    });
    return order;
}

bool isOfUse(const SizeBound& bound, const SizeLimit& limit) {
    return bound.seconds < limit.seconds && bound.tokensPerSecond >= limit.tokensPerSecond;
}

/// Of the counts between two `most` at the most, evenly spaced: those that divide best by two, and
/// so by what layouts are made of.
std::vector<std::int64_t> roundestBetween(std::int64_t from, std::int64_t to, std::int64_t most) {
    std::int64_t step = 1;
    while ((to - 1) / step - from / step > most) {
        step *= 2;
    }
    std::vector<std::int64_t> counts;
    for (std::int64_t count = (from / step + 1) * step; count < to; count += step) {
        counts.push_back(count);
    }
    return counts;
}

/// How many counts are looked at in a gap near the pick: a layout that divides better may make any
/// of them the cheapest.
constexpr std::int64_t kNearPick = 7;

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
    std::vector<std::size_t> open = byBound(candidates_, isDone_, aim);
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
    SizeLimit limit = limitOf(one.bound, searcher_.ask.targets);
    if (!pick_) {
        return limit;
    }
    const SizedCluster& pick = found_[*pick_];
    const SizeAim aim = aimOf(searcher_.ask);
    switch (aim) {
        case SizeAim::Cost:
            limit.seconds =
                std::min(limit.seconds, pick.usd ? secondsOf(one.bound, *pick.usd) : limit.seconds);
            return limit;
        case SizeAim::Time:
            limit.seconds = std::min(limit.seconds, pick.seconds);
            return limit;
        case SizeAim::Power:
        case SizeAim::Gpus:
            break;
    }
    const double had = valueOf(pick, aim).value_or(std::numeric_limits<double>::max());
    const double has = valueOf(one.bound, aim).value_or(std::numeric_limits<double>::max());
    if (has == had) {
        limit.seconds = std::min(limit.seconds, pick.seconds);
    }
    return has > had ? kNoUse : limit;
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

/// Whether the gap between two is beside the pick, or a wide one between half and twice its nodes.
bool SizeSearch::isNearPick(std::size_t fewer, std::size_t next) const {
    if (candidates_[next].line != lineOf(*pick_)) {
        return false;
    }
    const std::int64_t nodes = found_[*pick_].nodes;
    const std::int64_t from = candidates_[fewer].amount.nodes;
    const std::int64_t to = candidates_[next].amount.nodes;
    const bool isWide = (to - from) * 8 > nodes;
    return from == nodes || to == nodes || (isWide && from >= nodes / 2 && to <= nodes * 2);
}

/// In the gaps between neighbours of a line where a count may be of use, the `most` roundest of
/// those that the bound leaves one.
std::vector<SizeCandidate> SizeSearch::between(const Gap& mayHelp, std::int64_t most) const {
    std::vector<std::size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [this](std::size_t place) {
        return std::pair(candidates_[place].line, candidates_[place].amount.gpus);
    });
    std::vector<SizeCandidate> more;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const SizeCandidate& fewer = candidates_[order[i - 1]];
        const SizeCandidate& next = candidates_[order[i]];
        if (fewer.line != next.line || !mayHelp(order[i - 1], order[i])) {
            continue;
        }
        const SizeLine& line = catalogue_.lines[next.line];
        for (const std::int64_t nodes :
             roundestBetween(fewer.amount.nodes, next.amount.nodes, most)) {
            const SizeAmount amount = nodesOf(line, nodes);
            const SizeCandidate one{next.line, amount, sizeBound(line, amount)};
            if (isOfUse(one.bound, limitOfPick(one))) {
                more.push_back(one);
            }
        }
    }
    return more;
}

void SizeSearch::extend(std::span<const SizeCandidate> more) {
    const std::size_t before = candidates_.size();
    candidates_.insert(candidates_.end(), more.begin(), more.end());
    for (std::vector<bool>* flags : {&isDone_, &isMet_, &isTried_, &isLeft_}) {
        flags->resize(candidates_.size(), false);
    }
    ruleOut(before);
}

Result<void> SizeSearch::narrow() {
    while (hasOpenCounts(searcher_.ask)) {
        const bool hadPick = pick_.has_value();
        const std::vector<SizeCandidate> more = between(
            [this](std::size_t a, std::size_t b) { return !pick_ || isMet_[a] != isMet_[b]; }, 1);
        extend(more);
        FABRICAST_TRY(findPick());
        if (more.empty() || (!hadPick && !pick_)) {  // one round where nothing is known to reach
            return {};
        }
    }
    return {};
}

Result<void> SizeSearch::findLeast() {
    FABRICAST_TRY(findFront());
    FABRICAST_TRY(narrow());
    return findBesidePick(besidePick(work_));
}

/// Those that have room have no work left for them.
void SizeSearch::leaveFrom(std::size_t first) {
    for (std::size_t i = first; i < candidates_.size(); ++i) {
        isLeft_[i] = !isDone_[i];
    }
    work_.isCutShort = true;
}

Result<void> SizeSearch::findBesidePick(std::int64_t kept) {
    while (hasOpenCounts(searcher_.ask) && pick_) {
        const std::vector<SizeCandidate> more =
            between([this](std::size_t a, std::size_t b) { return isNearPick(a, b); }, kNearPick);
        if (more.empty()) {
            return {};
        }
        const std::size_t before = candidates_.size();
        extend(more);
        if (work_.left <= kept) {
            leaveFrom(before);
            return {};
        }
        FABRICAST_TRY(findPick(kept));
    }
    return {};
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
