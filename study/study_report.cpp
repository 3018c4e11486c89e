#include "study/study_report.h"

#include "planner/report/comparison_report.h"
#include "planner/report/explanation_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_views.h"
#include "planner/report/subject_words.h"
#include "simulator/report/shown_stages.h"
#include "simulator/report/simulation_report.h"
#include "simulator/report/step_picture.h"
#include "simulator/trace/trace_files.h"
#include "study/compare.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/simulate.h"
#include "study/typed_plan.h"

#include <array>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

/// Why there is no layout, and what would help, in the words of the plans.
Error noLayout(const PlanReport& plans) {
    const bool helps = plans.fixes && !plans.fixes->fixes.empty();
    const std::string way = helps ? plans.fixes->fixes.front().change
                                  : "set layout keys to auto, or choose other hardware";
    if (plans.rejections.empty()) {
        return {Error::Code::BadInput, "layout", "no layout can be forecast here", way};
    }
    const PlanRejection& first = plans.rejections.front();
    return {Error::Code::BadInput,
            first.stack,
            (plans.isNotModelled() ? "not modelled: " : "") + first.why,
            helps ? way : "fabricast plan says what else is excluded"};
}

/// The layout that is looked at: the one that is named, or the first.
Result<Question> layoutLookedAt(const StudyReportAsk& ask, const PlanReport& plans) {
    if (ask.about) {
        return *ask.about;
    }
    const std::vector<Plan>& shown = plans.plans.empty() ? plans.misses : plans.plans;
    if (shown.empty()) {
        return tl::unexpected(noLayout(plans));
    }
    return questionAbout(ask.question, plans.question, shown.front().scenario);
}

/// A first line, which is a page's title: the verdict, and what it is of.
std::string headLine(const Explanation& answer) {
    return answer.verdict ? std::string(verdictWord(*answer.verdict)) + "  " +
                                subjectText(answer.scenario) + "\n\n"
                          : std::string();
}

/// With a line of its own above it where nothing else of a page says what it is about.
Result<Report> layoutReport(const Question& about,
                            bool leads,
                            const Workbench& bench,
                            const Watch& watch) {
    const ExplainAsk ask{
        .memory = true, .step = true, .faster = true, .cost = true, .sensitivity = true};
    FABRICAST_ASSIGN(const Explanation answer, explain(about, ask, bench, watch));
    Report report(leads ? headLine(answer) : std::string());
    report.add(explanationReport(
        answer, {.memory = true, .time = true, .comm = true, .cost = true, .asked = &about.root}));
    return report;
}

/// With the stages that a picture has room for, or with all.
Result<Simulation> simulatedWith(std::size_t stages,
                                 const Question& about,
                                 const Workbench& bench,
                                 const Watch& watch) {
    SimulateAsk ask;
    ask.stages = stages;
    return simulate(about, ask, bench, watch);
}

Result<Report> stepReport(const Question& about, const Workbench& bench, const Watch& watch) {
    FABRICAST_ASSIGN(const Simulation step, simulatedWith(kMostLanes, about, bench, watch));
    Report report = simulationReport(step);
    report.add(Drawing{.title = "The step over time", .svg = stepPicture(step)});
    return report;
}

Result<Report> differenceReport(const Question& about,
                                const Question& beside,
                                const Workbench& bench,
                                const Watch& watch) {
    const std::array both = {about, beside};
    FABRICAST_ASSIGN(const Comparison comparison, compare(both, {}, bench, watch));
    return comparisonReport(comparison, {});
}

/// Whether the list of layouts begins with the one that is looked at.
bool isFirst(const StudyReportAsk& ask, const Question& about, const PlanReport& plans) {
    const std::vector<Plan>& shown = plans.plans.empty() ? plans.misses : plans.plans;
    if (!ask.about || shown.empty()) {
        return true;
    }
    const Result<Question> first =
        questionAbout(ask.question, plans.question, shown.front().scenario);
    return first && typed(*first) == typed(about);
}

/// A stop ends the whole report; what else goes wrong ends its section.
Result<void> addSection(const char* title, const Result<Report>& section, Report& report) {
    if (section) {
        report.add("\n").add(*section);
        return {};
    }
    if (section.error().code == Error::Code::Stopped) {
        return tl::unexpected(section.error());
    }
    report.add(std::string("\nnot shown: ") + title + ": " + section.error().text() + "\n");
    return {};
}

}  // namespace

Result<Report> studyReport(const StudyReportAsk& ask, const Workbench& bench, const Watch& watch) {
    FABRICAST_ASSIGN(const PlanReport plans, plan(ask.question, {.pareto = true}, bench, watch));
    FABRICAST_TRY(watch.check());
    FABRICAST_ASSIGN(const Question about, layoutLookedAt(ask, plans));
    const bool isOther = !isFirst(ask, about, plans);
    const Result<Report> layout = layoutReport(about, isOther, bench, watch);
    const bool leads = isOther && layout;
    Report report = leads ? *layout : planReport(plans);
    FABRICAST_TRY(addSection("the layout", leads ? planReport(plans) : layout, report));
    FABRICAST_TRY(watch.check());
    FABRICAST_TRY(addSection("the step over time", stepReport(about, bench, watch), report));
    if (ask.beside) {
        FABRICAST_TRY(watch.check());
        FABRICAST_TRY(addSection(
            "the comparison", differenceReport(about, *ask.beside, bench, watch), report));
    }
    return report;
}

Result<std::string> stepTrace(const Question& about, const Workbench& bench, const Watch& watch) {
    FABRICAST_ASSIGN(const Simulation step,
                     simulatedWith(std::numeric_limits<std::size_t>::max(), about, bench, watch));
    return traceJson(step.step.program, step.step.run, step.curves);
}

}  // namespace fabricast
