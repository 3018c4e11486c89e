#include "study/check.h"

#include "planner/base/parallel_map.h"
#include "planner/text/text_files.h"
#include "study/check_fixes.h"
#include "study/check_lock.h"
#include "study/idle_settings.h"
#include "study/input_effects.h"
#include "study/own_measurements.h"
#include "study/requirements.h"
#include "study/search_request.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {
namespace {

std::string sourceOf(const Question& question) {
    const std::string& file = question.file;
    return file.empty() ? "as typed" : file == "-" ? file : sourceName(file);
}

/// Those that are not among them yet.
void addNew(const std::vector<Requirement>& more, std::vector<Requirement>& requirements) {
    for (const Requirement& one : more) {
        if (std::ranges::find(requirements, one.text, &Requirement::text) == requirements.end()) {
            requirements.push_back(one);
        }
    }
}

/// The question's own, then those that were asked for, "fits" where there are none; then what is
/// kept of a baseline.
Result<std::vector<Requirement>> requirementsOf(const Question& question, const CheckAsk& ask) {
    FABRICAST_ASSIGN(std::vector<Requirement> requirements, requirementsIn(question));
    addNew(ask.requirements, requirements);
    if (requirements.empty()) {
        requirements.push_back({.text = "fits", .where = question.file, .metric = Metric::Fits});
    }
    addNew(ask.kept, requirements);
    return requirements;
}

/// The inputs that differ and that somebody wrote: what follows from them is no change of its own.
/// Where nobody wrote any of them (another model file of the same name), all.
std::vector<ChangedInput> changesBetween(const Comparison& comparison,
                                         const Question& before,
                                         const Question& after) {
    std::vector<ChangedInput> all;
    for (const InputDifference& input : comparison.inputs) {
        all.push_back({.key = input.key,
                       .before = input.values.front(),
                       .after = input.values.back(),
                       .whereBefore = whereSaid(before, input.key),
                       .whereAfter = whereSaid(after, input.key)});
    }
    std::vector<ChangedInput> written = all;
    std::erase_if(written, [](const ChangedInput& one) {
        return one.whereBefore.empty() && one.whereAfter.empty();
    });
    return written.empty() ? all : written;
}

/// What this call would ask of the baseline, and no longer asks. A baseline whose requirements
/// cannot be read asked for nothing.
std::vector<WeakerRequirement> weakerThan(const Question& before,
                                          const std::vector<Requirement>& requirements,
                                          const CheckAsk& ask) {
    const Result<std::vector<Requirement>> asked = requirementsOf(before, ask);
    return asked ? weakerIn(requirements, *asked) : std::vector<WeakerRequirement>();
}

Result<void> addBaseline(const Question& question,
                         const Question& before,
                         const Workbench& bench,
                         CheckReport& report) {
    FABRICAST_TRY(checkSearch(before));
    FABRICAST_ASSIGN(ComparedSide base, answeredSide(before, bench, "baseline", sourceOf(before)));
    report.comparison = compareSides({std::move(base), report.side}, 0);
    report.changes = changesBetween(*report.comparison, before, question);
    return {};
}

/// What compares with a baseline that does not have the scenario.
void judgeNew(CheckedRequirement& checked, NoBaseline withoutBaseline) {
    if (withoutBaseline == NoBaseline::NewHolds) {
        checked.verdict = CheckVerdict::Holds;
        checked.why = "new: the baseline does not have it";
    } else if (withoutBaseline == NoBaseline::NewFails) {
        checked.verdict = CheckVerdict::Fails;
        checked.why = "new: the baseline does not have it (--if-no-baseline pass)";
    }
}

}  // namespace

Result<CheckReport> check(const Question& question,
                          const CheckAsk& ask,
                          const Workbench& bench,
                          const Watch& watch) {
    FABRICAST_TRY(watch.check());
    FABRICAST_ASSIGN(const std::vector<Requirement> requirements, requirementsOf(question, ask));
    CheckReport report{.source = sourceOf(question)};
    FABRICAST_ASSIGN(report.side, answeredSide(question, bench, "now", report.source));
    FABRICAST_ASSIGN(const std::vector<std::string> idle,
                     idleSettingsNote({&question, 1}, bench, watch));
    addNotes(idle, report.side.assumed);
    FABRICAST_ASSIGN(const std::vector<std::string> prices, idlePricesNote(question, bench));
    addNotes(prices, report.side.assumed);
    report.forecast = lockedScenario(question, report.side);
    if (ask.lock) {
        report.lock = sinceLock(ask.lock->lock,
                                ask.lock->tool,
                                lockedName(report.source, ask.lock->place),
                                report.forecast);
    }
    if (ask.baseline) {
        FABRICAST_TRY(addBaseline(question, *ask.baseline, bench, report));
        report.weaker = weakerThan(*ask.baseline, requirements, ask);
    }
    report.isNew = !ask.baseline && ask.withoutBaseline != NoBaseline::NotJudged;
    const ComparedSide* base = report.comparison ? &report.comparison->sides.front() : nullptr;
    for (const Requirement& one : requirements) {
        report.requirements.push_back(judged(one, report.side, base));
        if (one.ofBaseline && base == nullptr) {
            judgeNew(report.requirements.back(), ask.withoutBaseline);
        }
    }
    if (report.verdict() == CheckVerdict::Fails && ask.fixes > 0) {
        std::optional<CheckBaseline> baseline;
        if (base != nullptr) {
            baseline.emplace(*ask.baseline, *base);
        }
        FABRICAST_ASSIGN(
            report.fixes,
            checkFixes(question, report, baseline ? &*baseline : nullptr, ask.fixes, bench, watch));
    }
    return report;
}

namespace {

Result<CheckReport> checkTask(const CheckTask& task,
                              CheckAsk ask,
                              const Workbench& bench,
                              const Watch& watch) {
    if (!task.question) {
        return tl::unexpected(task.question.error());
    }
    FABRICAST_ASSIGN(ask.baseline, task.baseline);
    return check(*task.question, ask, bench, watch);
}

}  // namespace

Result<std::vector<CheckOutcome>> checkAll(const std::vector<CheckTask>& tasks,
                                           const CheckAsk& ask,
                                           const Workbench& bench,
                                           const Watch& watch) {
    const Watch quiet{.stop = watch.stop};  // callbacks run on the thread that called
    const auto checkOne = [&](const CheckTask& task) {
        Result<CheckReport> report = checkTask(task, ask, bench, tasks.size() == 1 ? watch : quiet);
        CheckOutcome outcome{.source = task.source};
        if (report) {
            outcome.report = *std::move(report);
        } else {
            outcome.error = std::move(report).error();
        }
        return outcome;
    };
    std::optional<std::vector<CheckOutcome>> outcomes =
        parallelMap(tasks, checkOne, {.threads = bench.threads(), .stop = watch.stop});
    FABRICAST_TRY(watch.check());
    return *std::move(outcomes);
}

}  // namespace fabricast
