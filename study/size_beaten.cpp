#include "planner/report/size_report.h"
#include "study/size_verdicts.h"
#include "study/sized_cluster.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

bool isOfFront(const SizeSearch& search, const std::string& box) {
    return std::ranges::any_of(search.front(),
                               [&](std::size_t place) { return search.found()[place].box == box; });
}

/// How far a cluster is from the target that it misses most; 1 or less: it reaches all.
double mostMissed(const SizedCluster& one, std::span<const SizeTarget> targets) {
    double most = 1.0;
    for (const SizeTarget& target : targets) {
        most = std::max(most, missRatio(one, target));
    }
    return most;
}

/// Of those found of a box that fit: the best that reaches the targets, or what comes closest.
std::optional<SizedCluster> bestOfBox(const SizeSearch& search,
                                      const std::string& box,
                                      const SizeAsk& ask) {
    const SizedCluster* best = nullptr;
    for (const SizedCluster& one : search.found()) {
        if (one.box != box || !one.fits || one.plans.empty()) {
            continue;
        }
        const double missed = mostMissed(one, ask.targets);
        const double had = best == nullptr ? missed : mostMissed(*best, ask.targets);
        if (best == nullptr || missed < had ||
            (missed == had && isBetter(one, *best, aimOf(ask)))) {
            best = &one;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

/// Targets that are missed by a ratio are reached by these.
std::vector<SizeTarget> loosened(std::vector<SizeTarget> targets, double missed) {
    for (SizeTarget& target : targets) {
        const bool isAtLeast = target.metric == SizeMetric::TokensPerSecond;
        target.wanted = isAtLeast ? target.wanted / missed : target.wanted * missed;
    }
    return targets;
}

/// What of a box is better than the best that was found of it.
SizeLimit limitOfBox(const SizeBound& bound,
                     const std::optional<SizedCluster>& best,
                     const SizeAsk& ask) {
    if (!best) {
        return {};
    }
    const double missed = mostMissed(*best, ask.targets);
    return missed > 1.0 ? limitOf(bound, loosened(ask.targets, missed))
                        : limitToBeat(bound, *best, aimOf(ask), ask.targets);
}

/// By name the best that was found of a box.
using BestOfBoxes = std::map<std::string, std::optional<SizedCluster>, std::less<>>;

/// Of each box the best that reaches the targets or, where none does, what comes closest.
Result<void> findBest(SizeSearch& search,
                      const SizeCatalogue& catalogue,
                      const SizeAsk& ask,
                      BestOfBoxes& best) {
    std::optional<std::size_t> seen;
    const auto look = [&] {
        if (seen != search.found().size()) {
            seen = search.found().size();
            for (auto& [box, of] : best) {
                of = bestOfBox(search, box, ask);
            }
        }
    };
    const auto among = [&](bool isToReach) {
        return [&, isToReach](const SizeCandidate& one) -> SizeLimit {
            look();
            const auto of = best.find(catalogue.lines[one.line].box);
            if (of == best.end()) {
                return kNoUse;
            }
            return !of->second && isToReach ? limitOf(one.bound, ask.targets)
                                            : limitOfBox(one.bound, of->second, ask);
        };
    };
    FABRICAST_TRY(search.searchAll(aimOf(ask), 0, among(true)));
    FABRICAST_TRY(search.searchAll(SizeAim::Time, 0, among(false)));
    look();
    return {};
}

/// What of the front leaves no place for it.
std::string whyBeaten(const SizeSearch& search, const SizedCluster& one) {
    if (!one.meetsTargets) {
        return "does not reach the target";
    }
    for (const std::size_t place : search.front()) {
        const SizedCluster& better = search.found()[place];
        if (isAsGood(better, one)) {
            return (isAsGood(one, better) ? "no better in money, time and power than "
                                          : "beaten in money, time and power by ") +
                   sizedClusterText(better);
        }
    }
    return "beaten by what is listed";
}

/// Why nothing of a box fits, as if it were the only one.
Result<std::string> whyNothingFits(std::span<const Question> jobs,
                                   const SizeCatalogue& catalogue,
                                   const std::string& box,
                                   const Workbench& bench,
                                   const Watch& watch,
                                   SizeWork& work) {
    SizeCatalogue alone = catalogue;
    std::erase_if(alone.candidates,
                  [&](const SizeCandidate& one) { return catalogue.lines[one.line].box != box; });
    FABRICAST_ASSIGN(const std::vector<SizeMisfit> misfits,
                     sizeMisfits(jobs, alone, bench, watch, work));
    return misfits.empty() ? std::string("has no plan") : misfits.front().why;
}

}  // namespace

Result<std::vector<SizeBeaten>> sizeBeaten(std::span<const Question> jobs,
                                           const SizeAsk& ask,
                                           const SizeCatalogue& catalogue,
                                           const Workbench& bench,
                                           const Watch& watch,
                                           SizeSearch& search) {
    std::vector<SizeBeaten> beaten;
    if (ask.clusters.size() + ask.gpus.size() < 2) {
        return beaten;
    }
    std::vector<std::string> boxes;
    BestOfBoxes best;
    for (const SizeCandidate& one : catalogue.candidates) {
        const std::string& box = catalogue.lines[one.line].box;
        if (!isOfFront(search, box) && best.try_emplace(box).second) {
            boxes.push_back(box);
        }
    }
    FABRICAST_TRY(findBest(search, catalogue, ask, best));
    for (const std::string& box : boxes) {
        SizeBeaten one{.box = box, .best = std::move(best[box]), .why = {}};
        if (one.best) {
            one.why = whyBeaten(search, *one.best);
        } else if (search.work().left <= 0) {
            search.work().isCutShort = true;
            one.why = "not looked at: the search was cut short";
        } else {
            FABRICAST_ASSIGN(one.why,
                             whyNothingFits(jobs, catalogue, box, bench, watch, search.work()));
        }
        beaten.push_back(std::move(one));
    }
    return beaten;
}

}  // namespace fabricast
