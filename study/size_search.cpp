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

}  // namespace

SizeSearch::SizeSearch(std::span<const Question> jobs,
                       const SizeAsk& ask,
                       const SizeCatalogue& catalogue,
                       const Workbench& bench,
                       const Watch& watch)
    : jobs_(jobs),
      ask_(ask),
      catalogue_(catalogue),
      bench_(bench),
      watch_(watch),
      isDone_(catalogue.candidates.size(), false) {}

/// Those that may be best first.
std::vector<std::size_t> SizeSearch::byBound() const {
    std::vector<std::size_t> order(catalogue_.candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const SizeAim aim = aimOf(ask_);
    std::ranges::stable_sort(order, {}, [this, aim](std::size_t place) {
        const SizeBound& bound = catalogue_.candidates[place].bound;
        return std::tuple(valueOf(bound, aim).value_or(std::numeric_limits<double>::max()),
                          bound.gpus);
    });
    return order;
}

/// The first that are open, each of another GPU.
std::vector<std::size_t> SizeSearch::nextOf(const std::vector<std::size_t>& order,
                                            const IsOpen& isOpen) const {
    std::vector<std::size_t> next;
    for (const std::size_t place : order) {
        const SizeCandidate& candidate = catalogue_.candidates[place];
        const std::string& gpu = catalogue_.lines[candidate.line].gpu;
        const bool isAlone = std::ranges::none_of(next, [&](std::size_t other) {
            return catalogue_.lines[catalogue_.candidates[other].line].gpu == gpu;
        });
        if (!isDone_[place] && isAlone && isOpen(candidate)) {
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
        (!pick_ || isBetter(found_[place], found_[*pick_], aimOf(ask_)))) {
        pick_ = place;
    }
}

Result<void> SizeSearch::searchAll(const std::vector<std::size_t>& order, const IsOpen& isOpen) {
    const auto all = static_cast<std::size_t>(catalogue_.candidates.size());
    while (true) {
        const std::vector<std::size_t> next = nextOf(order, isOpen);
        if (next.empty()) {
            return {};
        }
        const std::size_t each = std::max<std::size_t>(1, bench_.threads() / next.size());
        const auto searchOne = [&](std::size_t place) {
            const SizeCandidate& one = catalogue_.candidates[place];
            return sizedCluster(
                jobs_, catalogue_.lines[one.line], one.nodes, ask_, bench_, each, watch_);
        };
        auto answers =
            parallelMap(next, searchOne, {.threads = bench_.threads(), .stop = watch_.stop});
        FABRICAST_TRY(watch_.check());
        for (std::size_t i = 0; i < next.size(); ++i) {
            FABRICAST_TRY((*answers)[i]);
            add(next[i], *std::move((*answers)[i]));
        }
        watch_.report(found_.size(), all);
    }
}

Result<void> SizeSearch::findPick() {
    const SizeAim aim = aimOf(ask_);
    FABRICAST_TRY(searchAll(byBound(), [this, aim](const SizeCandidate& one) {
        const std::optional<double> least = valueOf(one.bound, aim);
        return mayMeet(one.bound, ask_.targets) &&
               (!pick_ || (least && *least <= *valueOf(found_[*pick_], aim)));
    }));
    return searchAll(byBound(), [this](const SizeCandidate& one) {
        return pick_ && found_[*pick_].nodes > 1 && one.nodes == 1 &&
               mayMeet(one.bound, ask_.targets);
    });
}

Result<void> SizeSearch::findFront() {
    return searchAll(byBound(), [this](const SizeCandidate& one) {
        return mayMeet(one.bound, ask_.targets) &&
               std::ranges::none_of(found_, [&one](const SizedCluster& other) {
                   return other.meetsTargets && isAsGood(other, one.bound);
               });
    });
}

Result<void> SizeSearch::findLine(std::size_t line) {
    return searchAll(byBound(), [line](const SizeCandidate& one) { return one.line == line; });
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
