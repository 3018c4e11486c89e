#include "study/check_fixes.h"

#include "planner/report/memory_report.h"
#include "study/answered_side.h"
#include "study/asked_file.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/fits_as_surely.h"
#include "study/judge_requirement.h"
#include "study/own_keys.h"

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

}  // namespace

Result<std::vector<CheckFix>> checkFixes(const Question& question,
                                         const CheckReport& report,
                                         const ComparedSide* baseline,
                                         std::size_t most,
                                         const Workbench& bench,
                                         const Watch& watch) {
    const std::vector<Edit> held = heldBatch(question, report.side.scenario.workload.globalBatch);
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    FixJudge judge(report, baseline, bench);
    const auto judged = [&judge](const Question& changed, double) { return judge.judge(changed); };
    const auto catalogue = [&](const Question& changed, const Scenario& now) {
        return changesOf(changed, now, report, bench);
    };
    ChangeSearch search{.before = worstShortfall(report.requirements),
                        .worth = 1.0,
                        .order = ChangeOrder::LeastEffort,
                        .tries = kMostTries};
    FABRICAST_ASSIGN(
        std::vector<TriedChange> found,
        findChanges(asked, catalogue(asked, report.side.scenario), judged, search, watch));
    countHardware(found, report.side.scenario);
    const std::optional<TriedChange> first =
        found.empty() ? std::nullopt : std::optional(found.front());
    if (!hasFreeFix(found)) {
        search.tries = kMostTries;
        FABRICAST_ASSIGN(std::vector<TriedChange> pairs,
                         findPairs(asked, worthPairing(found), judged, search, watch));
        std::ranges::move(pairs, std::back_inserter(found));
    }
    if (first && !hasFix(found)) {
        search.tries = kMostTries;
        FABRICAST_ASSIGN(std::optional<TriedChange> chain,
                         findChain(asked, *first, catalogue, judged, search, watch));
        if (chain) {
            found.push_back(*std::move(chain));
        }
    }
    countHardware(found, report.side.scenario);
    sortFixes(found);
    const std::vector<OpenedFile> files = askedFiles(question);
    const FixSubject subject{asked, report.side.scenario, held, files, bench};
    std::vector<CheckFix> fixes;
    for (const TriedChange& tried : found) {
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
