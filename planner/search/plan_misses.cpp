#include "planner/memory/stage_memory.h"
#include "planner/search/plan_search.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

/// Layouts walked for each that is wanted where nothing fits, and those that they are chosen from.
constexpr std::size_t kMissesWalked = 4;
constexpr std::size_t kMissesBounded = 2000;
constexpr std::uint16_t kMissesSizes = 3;  ///< the smallest micro-batches

template <class Sized>
void takeLeast(std::vector<Sized>& found, std::size_t most) {
    const std::size_t kept = std::min(found.size(), most);
    std::partial_sort(
        found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
    found.resize(kept);
}

}  // namespace

/// Where layouts are not modelled, one that is and does not fit decides what the answer is.
std::size_t PlanSearch::missesWanted() const {
    return std::max(options_.misses, refusals_.empty() ? std::size_t{0} : std::size_t{1});
}

/// Of the smallest micro-batches, those that need least in their order. Layouts that the host has
/// no room for come only where there is no other.
Result<std::vector<PlanSearch::Sized>> PlanSearch::smallest() {
    std::vector<Sized> found;
    std::vector<Sized> beyondHost;
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        FABRICAST_TRY(watch_.check());
        if (space_.families[family].unmodelled) {
            continue;
        }
        for (const Candidate& candidate : space_.candidatesOf(family)) {
            const auto usual =
                scenarios_.usual(space_.families[family].stack, space_.layoutOf(candidate));
            if (candidate.size < kMissesSizes && !candidate.swapped && usual) {
                auto& list = memory_.fitsHost(family, **usual) ? found : beyondHost;
                list.emplace_back(memory_.fromCounts(candidate, **usual), candidate);
            }
        }
    }
    const std::size_t most = kMissesWalked * missesWanted();
    std::vector<Sized> least = leastInOrder(std::move(found), most);
    return least.empty() ? leastInOrder(std::move(beyondHost), most) : least;
}

/// Of every division of the ranks the order that needs least, with the smallest micro-batch and
/// everything recomputed: the first few divisions, least first.
Result<std::vector<PlanSearch::Sized>> PlanSearch::leanest() {
    constexpr std::size_t kDivisions = 12;
    std::vector<Sized> found;
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        FABRICAST_TRY(watch_.check());
        const std::uint32_t stack = space_.families[family].stack;
        if (space_.families[family].unmodelled || space_.sizesOf(family).empty()) {
            continue;
        }
        Candidate candidate{.family = family};
        candidate.recompute = static_cast<std::uint16_t>(space_.recomputesOf(family).size() - 1);
        for (const std::uint16_t way : space_.sizesOf(family).front().ways) {
            candidate.way = way;
            const auto usual = scenarios_.usual(stack, space_.layoutOf(candidate));
            if (usual && memory_.fitsHost(family, **usual)) {
                found.emplace_back(memory_.fromCounts(candidate, **usual), candidate);
            }
        }
    }
    std::vector<Sized> least = leastInOrder(std::move(found), kMissesBounded);
    std::set<std::uint32_t> seen;
    std::erase_if(least,
                  [&seen](const Sized& one) { return !seen.insert(one.second.family).second; });
    least.resize(std::min(least.size(), kDivisions));
    return least;
}

/// Those that need least, least first.
std::vector<PlanSearch::Sized> PlanSearch::leastInOrder(std::vector<Sized> found,
                                                        std::size_t most) {
    takeLeast(found, kMissesBounded);
    std::vector<std::pair<Candidate, std::string>> unmodelled;
    std::erase_if(found, [&](Sized& waiting) {
        if (watch_.stopped()) {
            return true;
        }
        const auto scenario = scenarios_.allowed(waiting.second);
        if (!scenario) {
            return true;
        }
        const Result<BlockCost>& cost = blocks_.of(waiting.second, **scenario);
        const auto bytes = cost ? memory_.fromOrder(waiting.second, **scenario, *cost)
                                : tl::unexpected(cost.error());
        waiting.first = bytes.value_or(waiting.first);
        if (!bytes && bytes.error().code == Error::Code::Unsupported) {
            unmodelled.emplace_back(waiting.second, bytes.error().why);
        }
        return !bytes;
    });
    takeLeast(found, most);
    for (const auto& [candidate, why] : unmodelled) {
        if (found.empty()) {
            refuse(candidate, why);
        }
    }
    return found;
}

/// Those wanted with the least peaks, best first, of layouts that come in the order of the least
/// that they need. The allocator is not asked yet.
Result<std::vector<PlanSearch::Sized>> PlanSearch::leastPeaks(const std::vector<Sized>& bounded) {
    std::vector<Sized> least;
    for (const auto& [bytes, candidate] : bounded) {
        FABRICAST_TRY(watch_.check());
        const bool enough = least.size() == missesWanted();
        if (enough && bytes >= least.back().first) {
            break;
        }
        const auto scenario = scenarios_.of(candidate);
        if (!scenario) {
            continue;
        }
        const Bytes most = enough ? Bytes(least.back().first) : kNoLimit;
        const Result<Bytes> peak = peakOfFullestStage(**scenario, most, watch_);
        if (peak && *peak < most) {
            const Sized sized(peak->count(), candidate);
            least.insert(std::ranges::upper_bound(least, sized), sized);
            least.resize(std::min(least.size(), missesWanted()));
        }
    }
    return least;
}

Result<void> PlanSearch::findMisses() {
    if (missesWanted() == 0) {
        return {};
    }
    watch_.say("nothing fits: looking for the nearest misses");
    std::vector<Plan> misses;
    FABRICAST_ASSIGN(const std::vector<Sized> bounded, smallest());
    FABRICAST_ASSIGN(const std::vector<Sized> least, leastPeaks(bounded));
    for (const auto& [bytes, candidate] : least) {
        FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
        FABRICAST_ASSIGN(MemoryBreakdown memory, walked(candidate, *scenario, kNoLimit));
        misses.push_back({*scenario, {}, std::move(memory)});
    }
    std::stable_sort(misses.begin(), misses.end(), [](const Plan& a, const Plan& b) {
        return a.memory.peak.value < b.memory.peak.value;
    });
    report_.misses = std::move(misses);
    return watch_.check();
}

}  // namespace fabricast
