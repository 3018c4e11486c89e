#include "study/check_fixes.h"

#include "planner/report/memory_report.h"
#include "study/answered_side.h"
#include "study/asked_file.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/fits_as_surely.h"
#include "study/judge_requirement.h"
#include "study/own_keys.h"
#include "study/undone_changes.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// Every try walks the memory of every stage.
constexpr int kMostTries = 64;

bool isAboutMemory(const CheckedRequirement& one) {
    const Metric metric = one.requirement.metric;
    return metric == Metric::Fits || metric == Metric::MemoryPeak ||
           metric == Metric::MemoryPeakShare || metric == Metric::HostMemory;
}

bool isFailed(const CheckedRequirement& one) {
    return !one.isWarning() && one.verdict != CheckVerdict::Holds;
}

/// What the requirements that are no warnings say of another side.
std::vector<CheckedRequirement> judgedAgain(const std::vector<CheckedRequirement>& before,
                                            const ComparedSide& side,
                                            const ComparedSide* baseline) {
    std::vector<CheckedRequirement> again;
    for (const CheckedRequirement& one : before) {
        if (!one.isWarning()) {
            again.push_back(judged(one.requirement, side, baseline));
        }
    }
    return again;
}

double worstShortfall(const std::vector<CheckedRequirement>& requirements) {
    double worst = 1.0;
    for (const CheckedRequirement& one : requirements) {
        worst = one.isWarning() ? worst : std::max(worst, shortfallOf(one));
    }
    return worst;
}

/// Adds those that are not among the changes yet.
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

/// Changes of a question for what failed: memory, speed, or both.
std::vector<Change> changesOf(const Question& asked,
                              const Scenario& now,
                              const CheckReport& report,
                              const Workbench& bench) {
    const ChangeSubject subject{
        .question = asked, .now = now, .stacks = {now.stack}, .profiles = &bench.profiles()};
    const auto failed = [&](bool memory) {
        return std::ranges::any_of(report.requirements, [memory](const CheckedRequirement& one) {
            return isFailed(one) && isAboutMemory(one) == memory;
        });
    };
    std::vector<Change> changes;
    if (failed(true)) {
        changes = changesFor(Aim::Memory, subject);
    }
    if (failed(false)) {
        addNew(changes, changesFor(Aim::Speed, subject));
        addNew(changes, changesFor(Aim::Buy, subject));
    }
    return changes;
}

/// What is asked of the memory of a fix, where a requirement says it.
std::optional<CheckVerdict> fitAsked(const std::vector<CheckedRequirement>& after) {
    std::optional<CheckVerdict> worst;
    for (const CheckedRequirement& one : after) {
        if (one.requirement.metric == Metric::Fits) {
            worst = std::max(worst.value_or(CheckVerdict::Holds), one.verdict);
        }
    }
    return worst;
}

/// Whether a fix fits as surely as what was checked, or as its requirements ask.
bool fitsEnough(Verdict changed, Verdict now, const std::vector<CheckedRequirement>& after) {
    const std::optional<CheckVerdict> asked = fitAsked(after);
    const bool isAsked =
        asked && (*asked == CheckVerdict::Holds ||
                  (now == Verdict::DoesNotFit && *asked == CheckVerdict::CannotTell));
    return isAsked || fitsAsSurely(changed, now);
}

/// What the requirements said of a changed question, and whether it fits.
struct JudgedFix {
    std::vector<CheckedRequirement> after;
    Verdict verdict = Verdict::Fits;
};

/// Judges changed questions, and keeps what the requirements said of each.
class FixJudge {
public:
    FixJudge(const CheckReport& report, const ComparedSide* baseline, const Workbench& bench)
        : report_(report), baseline_(baseline), bench_(bench) {}

    Result<Judgement> judge(const Question& changed) {
        FABRICAST_ASSIGN(ComparedSide side, answeredSide(changed, bench_, "", ""));
        std::vector<CheckedRequirement> after = judgedAgain(report_.requirements, side, baseline_);
        const Verdict fit = side.memory.verdict;
        const Verdict now = report_.side.memory.verdict;
        const bool fits = fitsEnough(fit, now, after);
        if (!fits && fit > now) {
            return fail(Error::Code::Unsupported, "memory", "fits less surely than it did");
        }
        const bool holds = std::ranges::none_of(after, [](const CheckedRequirement& one) {
            return one.verdict == CheckVerdict::Fails;
        });
        Judgement judgement{.distance = worstShortfall(after), .reaches = holds && fits};
        judgement.plan.scenario = std::move(side.scenario);
        judged_[typed(changed)] = {.after = std::move(after), .verdict = fit};
        return judgement;
    }
    /// The requirements that did not hold before.
    [[nodiscard]] JudgedFix of(const Question& changed) const {
        JudgedFix shown;
        const auto found = judged_.find(typed(changed));
        std::size_t place = 0;
        for (const CheckedRequirement& before : report_.requirements) {
            if (before.isWarning()) {
                continue;
            }
            if (found != judged_.end() && isFailed(before)) {
                shown.after.push_back(found->second.after[place]);
            }
            ++place;
        }
        shown.verdict = found == judged_.end() ? Verdict::Fits : found->second.verdict;
        return shown;
    }

private:
    const CheckReport& report_;
    const ComparedSide* baseline_;
    const Workbench& bench_;
    std::map<std::string, JudgedFix> judged_;
};

/// Nothing where it surely fits.
std::string fitEffect(Verdict verdict) {
    return verdict == Verdict::Fits ? "" : std::string(fitText(verdict)) + " in memory";
}

/// What a fix is made from, beside the change that was tried.
struct FixSubject {
    const Question& question;
    const Scenario& now;
    const std::vector<Edit>& held;
    const std::vector<OpenedFile>& files;  ///< that the question came from
    const Workbench& bench;
};

/// Other GPUs than `now` has, where no edit is of the cluster: nothing where that is not so.
std::string hardwareEffect(const TriedChange& tried, const Scenario& now) {
    const std::int64_t gpus = tried.judgement.plan.scenario.layout.world();
    const bool isSaid = std::ranges::any_of(
        tried.edits(), [](const Edit& edit) { return edit.path.starts_with("cluster."); });
    return isSaid || gpus == now.layout.world()
               ? ""
               : std::to_string(gpus) + " GPUs in place of " + std::to_string(now.layout.world());
}

/// What takes other GPUs counts as hardware, whatever it changes.
void countHardware(std::vector<TriedChange>& found, const Scenario& now) {
    for (TriedChange& tried : found) {
        if (!hardwareEffect(tried, now).empty()) {
            tried.changes.back().group = FixGroup::Buy;
        }
    }
}

std::string joinedEffects(std::initializer_list<std::string> effects) {
    std::string text;
    for (const std::string& effect : effects) {
        text += (text.empty() || effect.empty() ? "" : "; ") + effect;
    }
    return text;
}

CheckFix fixOf(const TriedChange& tried, const FixSubject& subject, JudgedFix judged) {
    // A requirement that asks whether it fits says so itself.
    const std::string fit = fitAsked(judged.after) ? "" : fitEffect(judged.verdict);
    CheckFix fix{.mends = tried.judgement.reaches,
                 .change = tried.title(),
                 .edits = subject.held,
                 .typed = {},
                 .sideEffect = joinedEffects(
                     {sideEffectsOf(tried.changes), hardwareEffect(tried, subject.now), fit}),
                 .after = std::move(judged.after)};
    const std::vector<Edit> edits = tried.edits();
    fix.edits.insert(fix.edits.end(), edits.begin(), edits.end());
    fix.typed = typed(fix.edits);
    fix.inFile = ownKeysOf(subject.files, subject.question, edits, subject.bench);
    return fix;
}

/// Whether one of these mends it, and costs nothing.
bool hasFreeFix(const std::vector<TriedChange>& found) {
    return std::ranges::any_of(found, [](const TriedChange& one) {
        return one.judgement.reaches && one.group() == FixGroup::Free;
    });
}

/// Of changes some of which mend it: those that cost nothing, and may together. Of others all.
std::vector<TriedChange> worthPairing(std::vector<TriedChange> found) {
    const bool isMended = !found.empty() && found.front().judgement.reaches;
    std::erase_if(found, [isMended](const TriedChange& one) {
        return isMended && one.group() != FixGroup::Free;
    });
    return found;
}

bool hasFix(const std::vector<TriedChange>& found) {
    return std::ranges::any_of(found, [](const TriedChange& one) { return one.judgement.reaches; });
}

/// What costs nothing comes before another training, and that before other hardware.
void sortFixes(std::vector<TriedChange>& found) {
    sortChanges(found, ChangeOrder::LeastEffort);
    std::ranges::stable_sort(found, [](const TriedChange& a, const TriedChange& b) {
        return a.judgement.reaches && b.judgement.reaches && a.group() < b.group();
    });
}

/// What is looked for, and with what.
struct FixesSought {
    const std::vector<Change>& undone;
    const Catalogue& catalogue;
    const Judge& judge;
    const Watch& watch;
    ChangeSearch search{};
};

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
    if (!hasFreeFix(found)) {
        search.tries = kMostTries;
        FABRICAST_ASSIGN(std::vector<TriedChange> pairs,
                         findPairs(asked, worthPairing(found), sought.judge, search, sought.watch));
        std::ranges::move(pairs, std::back_inserter(found));
    }
    const double before = search.before;
    if (first && !hasFix(found)) {
        search.tries = kMostTries;
        FABRICAST_ASSIGN(
            std::optional<TriedChange> chain,
            findChain(asked, *first, sought.catalogue, sought.judge, search, sought.watch));
        if (chain) {
            found.push_back(*std::move(chain));
        }
    }
    search.before = before;
    search.tries = kMostTries;
    FABRICAST_ASSIGN(std::vector<TriedChange> undone,
                     findChanges(asked, back, sought.judge, search, sought.watch));
    std::ranges::move(undone, std::back_inserter(found));
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

/// Whether one does what another does, with no less hardware.
bool repeats(const TriedChange& one, const TriedChange& other) {
    const auto isAlike = [](const Change& a, const Change& b) {
        return a.edits == b.edits || (a.kind == b.kind && a.times > 0 && b.times > 0);
    };
    return one.edits() == other.edits() || std::ranges::equal(one.changes, other.changes, isAlike);
}

/// Of the same with more or less hardware the first alone.
std::vector<TriedChange> withoutRepeats(std::vector<TriedChange> sorted) {
    std::vector<TriedChange> kept;
    for (TriedChange& tried : sorted) {
        const bool isNew = std::ranges::none_of(
            kept, [&tried](const TriedChange& one) { return repeats(tried, one); });
        if (isNew) {
            kept.push_back(std::move(tried));
        }
    }
    return kept;
}

}  // namespace

Result<std::vector<CheckFix>> checkFixes(const Question& question,
                                         const CheckReport& report,
                                         const CheckBaseline* baseline,
                                         std::size_t most,
                                         const Workbench& bench,
                                         const Watch& watch) {
    const Scenario& now = report.side.scenario;
    const std::vector<Edit> held = heldBatch(question, now.workload.globalBatch);
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    FixJudge judge(report, baseline == nullptr ? nullptr : &baseline->side, bench);
    const auto judged = [&judge](const Question& changed, double) { return judge.judge(changed); };
    const auto catalogue = [&](const Question& changed, const Scenario& scenario) {
        return changesOf(changed, scenario, report, bench);
    };
    const std::vector<Change> undone =
        baseline == nullptr ? std::vector<Change>() : undoneChanges(asked, baseline->question);
    FixesSought sought{.undone = undone, .catalogue = catalogue, .judge = judged, .watch = watch};
    sought.search = {.before = worstShortfall(report.requirements),
                     .worth = 1.0,
                     .order = ChangeOrder::LeastEffort,
                     .tries = kMostTries};
    FABRICAST_ASSIGN(std::vector<TriedChange> found, foundFixes(asked, now, sought));
    FABRICAST_TRY(leastHardware(found, asked, now, sought));
    countHardware(found, now);
    sortFixes(found);
    const std::vector<OpenedFile> files = askedFiles(question);
    const FixSubject subject{asked, now, held, files, bench};
    std::vector<CheckFix> fixes;
    for (const TriedChange& tried : withoutRepeats(std::move(found))) {
        // Where nothing mends it, what comes nearest is all that is named.
        if (fixes.size() == most || (!tried.judgement.reaches && !fixes.empty())) {
            break;
        }
        FABRICAST_ASSIGN(const Question changed, with(asked, tried.edits()));
        fixes.push_back(fixOf(tried, subject, judge.of(changed)));
    }
    return fixes;
}

}  // namespace fabricast
