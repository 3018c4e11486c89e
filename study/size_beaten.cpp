#include "planner/report/size_report.h"
#include "study/size_verdicts.h"
#include "study/sized_cluster.h"

#include <algorithm>
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
    for (std::size_t line = 0; line < catalogue.lines.size(); ++line) {
        const std::string& box = catalogue.lines[line].box;
        const bool isSaid = std::ranges::find(beaten, box, &SizeBeaten::box) != beaten.end();
        const bool isCompared = std::ranges::any_of(
            catalogue.candidates, [&](const SizeCandidate& one) { return one.line == line; });
        if (isSaid || !isCompared || isOfFront(search, box)) {
            continue;
        }
        for (std::size_t other = line; other < catalogue.lines.size(); ++other) {
            if (catalogue.lines[other].box == box) {
                FABRICAST_TRY(search.findLine(other));
            }
        }
        SizeBeaten one{.box = box, .best = bestOfBox(search, box, ask), .why = {}};
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
