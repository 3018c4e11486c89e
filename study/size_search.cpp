#include "study/size_search.h"

#include "planner/base/parallel_map.h"

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

/// Those that may be best first.
std::vector<std::size_t> byBound(const std::vector<SizeCandidate>& candidates, SizeAim aim) {
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&candidates, aim](std::size_t place) {
        const SizeBound& bound = candidates[place].bound;
        return std::tuple(valueOf(bound, aim).value_or(std::numeric_limits<double>::max()),
                          bound.gpus);
    });
    return order;
}

}  // namespace

SizeSearch::SizeSearch(std::span<const Question> jobs,
                       const SizeAsk& ask,
                       const SizeCatalogue& catalogue,
                       const Workbench& bench,
                       const Watch& watch)
    : searcher_{jobs, ask, bench, watch},
      catalogue_(catalogue),
      order_(byBound(catalogue.candidates, aimOf(ask))),
      isDone_(catalogue.candidates.size(), false),
      isTried_(catalogue.candidates.size(), false) {}

/// The first that are of use, each of another GPU.
std::vector<std::size_t> SizeSearch::nextOf(const std::vector<bool>& isOver,
                                            const Limit& limit) const {
    std::vector<std::size_t> next;
    for (const std::size_t place : order_) {
        const SizeCandidate& candidate = catalogue_.candidates[place];
        const std::string& gpu = catalogue_.lines[candidate.line].gpu;
        const bool isAlone = std::ranges::none_of(next, [&](std::size_t other) {
            return catalogue_.lines[catalogue_.candidates[other].line].gpu == gpu;
        });
        if (!isOver[place] && isAlone && candidate.bound.seconds < limit(candidate)) {
            next.push_back(place);
            if (next.size() == kAtATime) {
                break;
            }
        }
    }
    return next;
}

void SizeSearch::add(std::size_t candidate, SizedCluster cluster) {
    isDone_[candidate] = true;
    candidateOf_.push_back(candidate);
    found_.push_back(std::move(cluster));
    const std::size_t place = found_.size() - 1;
    if (found_[place].meetsTargets &&
        (!pick_ || isBetter(found_[place], found_[*pick_], aimOf(searcher_.ask)))) {
        pick_ = place;
    }
}

Result<void> SizeSearch::searchAll(const Limit& limit) {
    std::vector<bool> isOver = isDone_;
    const std::size_t threads = searcher_.bench.threads();
    while (true) {
        const std::vector<std::size_t> next = nextOf(isOver, limit);
        if (next.empty()) {
            return {};
        }
        const auto tryOne = [&](std::size_t place) {
            const SizeCandidate& one = catalogue_.candidates[place];
            return tryCluster(searcher_,
                              catalogue_.lines[one.line],
                              one.nodes,
                              limit(one),
                              std::max<std::size_t>(1, threads / next.size()));
        };
        auto answers =
            parallelMap(next, tryOne, {.threads = threads, .stop = searcher_.watch.stop});
        FABRICAST_TRY(searcher_.watch.check());
        for (std::size_t i = 0; i < next.size(); ++i) {
            FABRICAST_TRY((*answers)[i]);
            isOver[next[i]] = true;
            isTried_[next[i]] = true;
            if (!(*answers)[i]->isCut) {
                add(next[i], std::move((*answers)[i]->cluster));
            }
        }
        searcher_.watch.report(static_cast<std::size_t>(tried()), catalogue_.candidates.size());
    }
}

std::int64_t SizeSearch::tried() const {
    return std::ranges::count(isTried_, true);
}

double SizeSearch::limitOfPick(const SizeCandidate& one) const {
    const std::span<const SizeTarget> targets = searcher_.ask.targets;
    if (!mayMeet(one.bound, targets)) {
        return 0.0;
    }
    const double most = mostSeconds(one.bound, targets);
    if (!pick_ || one.bound.gpus < found_[*pick_].gpus) {
        return most;
    }
    return one.bound.gpus > found_[*pick_].gpus ? 0.0 : std::min(most, found_[*pick_].seconds);
}

double SizeSearch::limitOfFront(const SizeCandidate& one) const {
    const std::span<const SizeTarget> targets = searcher_.ask.targets;
    if (!mayMeet(one.bound, targets)) {
        return 0.0;
    }
    double most = mostSeconds(one.bound, targets);
    for (const SizedCluster& other : found_) {
        if (other.meetsTargets) {
            most = std::min(most, beatenFrom(other, one.bound));
        }
    }
    return most;
}

Result<void> SizeSearch::findFront() {
    if (aimOf(searcher_.ask) == SizeAim::Gpus) {  // no number of the front
        FABRICAST_TRY(searchAll([this](const SizeCandidate& one) { return limitOfPick(one); }));
    }
    return searchAll([this](const SizeCandidate& one) { return limitOfFront(one); });
}

Result<void> SizeSearch::findSingleNodes() {
    return searchAll([this](const SizeCandidate& one) {
        const std::span<const SizeTarget> targets = searcher_.ask.targets;
        return one.nodes == 1 && mayMeet(one.bound, targets) ? mostSeconds(one.bound, targets)
                                                             : 0.0;
    });
}

Result<void> SizeSearch::findLine(std::size_t line) {
    return searchAll([line](const SizeCandidate& one) {
        return one.line == line ? std::numeric_limits<double>::infinity() : 0.0;
    });
}

std::vector<std::size_t> SizeSearch::front() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const auto beats = [this, i](std::size_t other) {
            const bool isBeaten = found_[other].meetsTargets && isAsGood(found_[other], found_[i]);
            return isBeaten && (!isAsGood(found_[i], found_[other]) || other < i);
        };
        bool isBeaten = !found_[i].meetsTargets;
        for (std::size_t other = 0; other < found_.size() && !isBeaten; ++other) {
            isBeaten = other != i && beats(other);
        }
        if (!isBeaten) {
            places.push_back(i);
        }
    }
    std::ranges::sort(places, [this](std::size_t a, std::size_t b) {
        return isBetter(found_[a], found_[b], SizeAim::Cost);
    });
    return places;
}

}  // namespace fabricast
