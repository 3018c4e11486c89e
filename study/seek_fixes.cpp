#include "study/fixes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace fabricast {

namespace {

/// What takes other GPUs counts as hardware, whatever it changes.
void countHardware(std::vector<TriedChange>& found, const Scenario& now) {
    for (TriedChange& tried : found) {
        if (!hardwareEffect(tried, now).empty()) {
            tried.changes.back().group = FixGroup::Buy;
        }
    }
}

/// What costs nothing comes before another training, and that before other hardware.
void sortFixes(std::vector<TriedChange>& found) {
    sortChanges(found, ChangeOrder::LeastEffort);
    std::ranges::stable_sort(found, [](const TriedChange& a, const TriedChange& b) {
        return a.judgement.reaches && b.judgement.reaches && a.group() < b.group();
    });
}

/// What undoes another training or other hardware is a way back: another way on is looked for all
/// the same.
bool isWayOn(const Change& change) {
    return change.group == FixGroup::Free && change.kind != "all";
}

/// Changes alone, in pairs, or one after another.
Result<std::vector<TriedChange>> foundFixes(const Question& asked,
                                            const Scenario& now,
                                            FixesSought& sought) {
    ChangeSearch& search = sought.search;
    std::vector<Change> changes;
    std::vector<Change> back;
    for (const Change& change : sought.undone) {
        addNew(isWayOn(change) ? changes : back, {change});
    }
    addNew(changes, sought.catalogue(asked, now));
    FABRICAST_ASSIGN(std::vector<TriedChange> found,
                     findChanges(asked, changes, sought.judge, search, sought.watch));
    countHardware(found, now);
    const std::optional<TriedChange> first =
        found.empty() ? std::nullopt : std::optional(found.front());
    search.tries = kMostTries;
    FABRICAST_ASSIGN(std::vector<TriedChange> pairs,
                     findFreePairsFirst(asked, found, sought.judge, search, sought.watch));
    std::ranges::move(pairs, std::back_inserter(found));
    if (first && !isReachedByOne(found)) {
        ChangeSearch onwards = search;
        onwards.tries = kMostTries;
        FABRICAST_ASSIGN(
            std::optional<TriedChange> chain,
            findChain(asked, *first, sought.catalogue, sought.judge, onwards, sought.watch));
        if (chain) {
            found.push_back(*std::move(chain));
        }
    }
    search.tries = kMostTries;
    FABRICAST_ASSIGN(std::vector<TriedChange> undone,
                     findChanges(asked, back, sought.judge, search, sought.watch));
    std::ranges::move(undone, std::back_inserter(found));
    // What comes nearer to one thing alone was of use for pairs.
    std::erase_if(found,
                  [&search](const TriedChange& one) { return !isNearer(one.judgement, search); });
    return found;
}

/// The changes with less hardware in place of that of `place`: what else that change does stays.
std::vector<Change> withLess(const std::vector<Change>& changes,
                             std::size_t place,
                             const Change& less) {
    std::vector<Change> tried = changes;
    std::vector<Edit> edits = less.edits;
    for (const Edit& edit : changes[place].edits) {
        if (std::ranges::find(edits, edit.path, &Edit::path) == edits.end()) {
            edits.push_back(edit);
        }
    }
    tried[place] = less;
    tried[place].edits = std::move(edits);
    return tried;
}

/// A fix found with so many times the hardware may hold with fewer.
Result<void> lessenHardware(TriedChange& tried,
                            const std::vector<Change>& catalogue,
                            const Question& asked,
                            const FixesSought& sought) {
    for (std::size_t place = 0; place < tried.changes.size(); ++place) {
        const Change most = tried.changes[place];
        for (const Change& less : catalogue) {
            if (less.kind != most.kind || less.times >= most.times || less.times == 0) {
                continue;
            }
            FABRICAST_TRY(sought.watch.check());
            TriedChange fewer{.changes = withLess(tried.changes, place, less), .judgement = {}};
            const Result<Question> changed = with(asked, fewer.edits());
            Result<Judgement> judgement =
                changed ? sought.judge(*changed, 0.0) : tl::unexpected(changed.error());
            if (judgement && judgement->reaches) {
                fewer.judgement = *std::move(judgement);
                tried = std::move(fewer);
                break;
            }
        }
    }
    return {};
}

/// The catalogue has the least hardware first.
Result<void> leastHardware(std::vector<TriedChange>& found,
                           const Question& asked,
                           const Scenario& now,
                           const FixesSought& sought) {
    constexpr std::size_t kMostLessened = 8;
    const std::vector<Change> catalogue = sought.catalogue(asked, now);
    std::size_t lessened = 0;
    for (TriedChange& tried : found) {
        if (!tried.judgement.reaches || tried.group() != FixGroup::Buy ||
            lessened == kMostLessened) {
            continue;
        }
        ++lessened;
        FABRICAST_TRY(lessenHardware(tried, catalogue, asked, sought));
    }
    return {};
}

/// Whether one writes all keys that the other does: `offload=none` and taking back what set it are
/// one change.
bool writesAllOf(const TriedChange& one, const TriedChange& other) {
    const auto pathsOf = [](const TriedChange& tried) {
        std::set<std::string> paths;
        for (const Edit& edit : tried.edits()) {
            paths.insert(edit.path);
        }
        return paths;
    };
    return std::ranges::includes(pathsOf(one), pathsOf(other));
}

bool isOneRun(const Scenario& a, const Scenario& b) {
    const ClusterSpec& here = a.cluster;
    const ClusterSpec& there = b.cluster;
    return a.stack == b.stack && a.model == b.model && a.layout == b.layout &&
           a.settings == b.settings && a.workload.sequence == b.workload.sequence &&
           a.workload.globalBatch == b.workload.globalBatch && here.node == there.node &&
           here.nodes == there.nodes && here.fabric.name == there.fabric.name &&
           here.sites == there.sites && here.reserve == there.reserve;
}

/// Whether one does what another does, with no less hardware.
bool repeats(const TriedChange& one, const TriedChange& other) {
    const auto isAlike = [](const Change& a, const Change& b) {
        return a.edits == b.edits || (a.kind == b.kind && a.times > 0 && b.times > 0);
    };
    const bool isSame = writesAllOf(one, other) &&
                        one.judgement.distance == other.judgement.distance &&
                        isOneRun(one.judgement.plan.scenario, other.judgement.plan.scenario);
    return isSame || std::ranges::equal(one.changes, other.changes, isAlike);
}

/// Of the same with more or less hardware the first alone.
std::vector<TriedChange> withoutRepeats(std::vector<TriedChange> sorted) {
    std::vector<TriedChange> kept;
    for (TriedChange& tried : sorted) {
        const bool isNew = std::ranges::none_of(
            kept, [&tried](const TriedChange& before) { return repeats(tried, before); });
        if (isNew) {
            kept.push_back(std::move(tried));
        }
    }
    return kept;
}

}  // namespace

void addNew(std::vector<Change>& changes, std::vector<Change> more) {
    for (Change& change : more) {
        const bool isNew = std::ranges::none_of(
            changes, [&](const Change& one) { return one.edits == change.edits; });
        if (isNew) {
            change.place = changes.size();
            changes.push_back(std::move(change));
        }
    }
}

std::string hardwareEffect(const TriedChange& tried, const Scenario& now) {
    const std::int64_t gpus = tried.judgement.plan.scenario.layout.world();
    const bool isSaid = std::ranges::any_of(
        tried.edits(), [](const Edit& edit) { return edit.path.starts_with("cluster."); });
    return isSaid || gpus == now.layout.world()
               ? ""
               : std::to_string(gpus) + " GPUs in place of " + std::to_string(now.layout.world());
}

Result<std::vector<TriedChange>> seekFixes(const Question& asked,
                                           const Scenario& now,
                                           FixesSought& sought) {
    FABRICAST_ASSIGN(std::vector<TriedChange> found, foundFixes(asked, now, sought));
    FABRICAST_TRY(leastHardware(found, asked, now, sought));
    countHardware(found, now);
    sortFixes(found);
    return withoutRepeats(std::move(found));
}

}  // namespace fabricast
