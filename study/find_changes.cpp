#include "study/find_changes.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostPaired = 6;

std::vector<const Change*> pointersTo(const std::vector<Change>& changes) {
    std::vector<const Change*> pointers;
    for (const Change& change : changes) {
        pointers.push_back(&change);
    }
    return pointers;
}

/// What came of changes that are made together; nothing where they are not possible or no help.
Result<std::optional<TriedChange>> tryOut(const Question& question,
                                          std::vector<Change> changes,
                                          const Judge& judge,
                                          double before,
                                          ChangeSearch& search) {
    TriedChange tried{.changes = std::move(changes), .judgement = {}};
    --search.tries;
    const Result<Question> changed = with(question, tried.edits());
    Result<Judgement> judgement =
        changed ? judge(*changed, before) : tl::unexpected(changed.error());
    if (!judgement && judgement.error().code == Error::Code::Stopped) {
        return tl::unexpected(std::move(judgement).error());
    }
    if (!judgement || judgement->distance >= before * search.worth) {
        return std::optional<TriedChange>();
    }
    tried.judgement = *std::move(judgement);
    return std::optional(std::move(tried));
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
    std::vector<TriedChange> found;
    for (const Change& change : changes) {
        FABRICAST_TRY(watch.check());
        if (search.tries <= 0) {
            break;
        }
        FABRICAST_ASSIGN(std::optional<TriedChange> tried,
                         tryOut(question, {change}, judge, search.before, search));
        if (tried) {
            found.push_back(*std::move(tried));
        }
    }
    sortChanges(found, search.order);
    return found;
}

Result<std::vector<TriedChange>> findPairs(const Question& question,
                                           const std::vector<TriedChange>& singles,
                                           const Judge& judge,
                                           ChangeSearch& search,
                                           const Watch& watch) {
    std::vector<TriedChange> found;
    const std::size_t count = std::min(singles.size(), kMostPaired);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
            FABRICAST_TRY(watch.check());
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
            FABRICAST_ASSIGN(std::optional<TriedChange> tried,
                             tryOut(question, {*first, *second}, judge, before, search));
            if (tried) {
                found.push_back(*std::move(tried));
            }
        }
    }
    sortChanges(found, search.order);
    return found;
}

}  // namespace fabricast
