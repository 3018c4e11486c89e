#include "study/size_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fabricast {
namespace {

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

}  // namespace

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

}  // namespace fabricast
