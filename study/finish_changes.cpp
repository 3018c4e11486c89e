#include "study/finish_changes.h"

#include "planner/search/find_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostOfGroup = 4;

/// The same changes with more or less of the hardware.
bool differInSize(const TriedChange& one, const TriedChange& other) {
    return std::ranges::equal(one.changes, other.changes, [](const Change& a, const Change& b) {
        return a.kind == b.kind && (a.times > 0 ? b.times > 0 : a.edits == b.edits);
    });
}

std::int64_t sizeOf(const TriedChange& tried) {
    std::int64_t size = 1;
    for (const Change& change : tried.changes) {
        size *= std::max<std::int64_t>(change.times, 1);
    }
    return size;
}

/// Of one kind of hardware the least that is enough leaves room for other kinds, or where none is
/// enough what comes nearest, which is found before.
bool isOutdone(const std::vector<TriedChange>& found, std::size_t place) {
    const TriedChange& one = found[place];
    for (std::size_t i = 0; i < found.size(); ++i) {
        const TriedChange& other = found[i];
        const bool isLess = sizeOf(other) < sizeOf(one) && other.judgement.reaches;
        const bool isNearer = !one.judgement.reaches && i < place;
        if ((isLess || isNearer) && differInSize(one, other)) {
            return true;
        }
    }
    return false;
}

/// In each group what reaches the aim; where nothing does, what comes nearest.
std::vector<std::size_t> chosen(const std::vector<TriedChange>& found) {
    std::vector<std::size_t> places;
    for (const FixGroup group : {FixGroup::Free, FixGroup::Workload, FixGroup::Buy}) {
        std::size_t taken = 0;
        bool reached = false;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const bool reaches = found[i].judgement.reaches;
            if (found[i].group() != group || taken == kMostOfGroup || (reached && !reaches) ||
                isOutdone(found, i)) {
                continue;
            }
            reached = reached || reaches;
            places.push_back(i);
            ++taken;
        }
    }
    return places;
}

/// Whether a search with so many walks left finds more than the one before.
bool goesOn(const Judgement& judgement, std::int64_t left) {
    return judgement.isCut && judgement.walked < std::min(left, kMostEventsWalked);
}

/// Searched further; false where it is no help then.
Result<bool> finish(const Question& question,
                    TriedChange& one,
                    const SearchJudge& judge,
                    ChangeSearch& search) {
    const std::int64_t most = std::min(search.walksLeft, kMostEventsWalked);
    FABRICAST_ASSIGN(const Question changed, with(question, one.edits()));
    Result<Judgement> judgement = judge(changed, most);
    if (!judgement && judgement.error().code == Error::Code::Stopped) {
        return tl::unexpected(std::move(judgement).error());
    }
    search.walksLeft -= judgement ? judgement->walked : most;
    if (!judgement || judgement->distance >= search.before * search.worth) {
        return false;
    }
    one.judgement = *std::move(judgement);
    if (most == kMostEventsWalked) {
        one.judgement.isCut = false;  // no question is searched further
    }
    one.judgement.walked = std::max(one.judgement.walked, most);
    return true;
}

}  // namespace

Result<std::vector<TriedChange>> finished(const Question& question,
                                          std::vector<TriedChange> found,
                                          const SearchJudge& judge,
                                          ChangeSearch& search,
                                          const Watch& watch) {
    while (true) {
        sortChanges(found, search.order);
        const std::vector<std::size_t> places = chosen(found);
        const auto cut = std::ranges::find_if(places, [&](std::size_t place) {
            return goesOn(found[place].judgement, search.walksLeft);
        });
        if (cut == places.end()) {
            std::vector<TriedChange> shown;
            for (const std::size_t place : places) {
                shown.push_back(std::move(found[place]));
            }
            return shown;
        }
        FABRICAST_TRY(watch.check());
        FABRICAST_ASSIGN(const bool helps, finish(question, found[*cut], judge, search));
        if (!helps) {
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(*cut));
        }
    }
}

std::string cutShortText(const std::vector<TriedChange>& shown, const ChangeSearch& search) {
    const auto cut =
        std::ranges::count_if(shown, [](const TriedChange& one) { return one.judgement.isCut; });
    std::string text;
    if (cut > 0) {
        text = fmt::format("{} of the {} rows may have a better layout", cut, shown.size());
    }
    if (search.notTried > 0) {
        text +=
            fmt::format("{}{} changes were not tried", text.empty() ? "" : ", ", search.notTried);
    }
    return text.empty() ? text : "of what would help " + text;
}

}  // namespace fabricast
