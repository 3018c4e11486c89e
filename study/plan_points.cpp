#include "planner/load/measured_notes.h"
#include "planner/report/plan_views.h"
#include "planner/result/memory_names.h"
#include "study/idle_settings.h"
#include "study/own_measurements.h"
#include "study/plan.h"
#include "study/question_inputs.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/sweep_rows.h"
#include "study/targets.h"
#include "study/typed_plan.h"

#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// What a plan leans on, and what was stated of it in vain; empty: nothing.
struct AboutBest {
    std::string measured;
    std::string idle;
};

void addBest(JsonText& json, const Plan& plan, const AboutBest& about) {
    json.add("verdict", nameOf(plan.memory.verdict));
    json.add("gpus", plan.scenario.layout.world());
    json.add("global_batch", plan.scenario.workload.globalBatch);
    json.add("step_s", plan.step.step.value.count());
    json.add("step_s_lo", plan.step.step.lo.count());
    json.add("step_s_hi", plan.step.step.hi.count());
    json.add("tokens_per_s", plan.step.tokensPerSecond);
    if (plan.step.utilisation.mfu) {
        json.add("mfu", *plan.step.utilisation.mfu);
    }
    json.add("peak_bytes", plan.memory.peak.value);
    if (const std::optional<double> price = dollarsPerMtok(plan)) {
        json.add("usd_per_mtok", *price);
    }
    json.add("stack", plan.scenario.stack);
    json.add("layout", planLayoutText(plan.scenario));
    if (!about.measured.empty()) {
        json.add("measured", about.measured);
    }
    if (!about.idle.empty()) {
        json.add("no_effect", about.idle);
    }
}

Result<PlanReport> bestOfPoint(const Question& question,
                               std::vector<Edit> edits,
                               const Workbench& bench,
                               const Watch& watch) {
    edits.push_back({"search.top", "1", "--top"});
    FABRICAST_ASSIGN(const Question here, with(question, edits));
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(here, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    request.options.misses = 0;
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, watch));
    FABRICAST_ASSIGN(const std::vector<std::string> own,
                     ownMeasurementNotes(report.plans, request.budget, bench));
    addNotes(own, report.notes);
    return report;
}

Result<std::string> idleInBest(const Question& here,
                               const PlanReport& report,
                               const Workbench& bench,
                               const Watch& watch) {
    FABRICAST_ASSIGN(const Question about,
                     questionAbout(here, report.question, report.plans.front().scenario));
    return idleSettings({&about, 1}, bench, watch);
}

/// As a single plan says it.
std::string_view wordOfNone(const Result<PlanReport>& report) {
    return !report || report->isNotModelled() ? "not_modelled" : nameOf(Verdict::DoesNotFit);
}

std::string whyNoBest(const Result<PlanReport>& report) {
    if (!report) {
        return "not modelled: " + report.error().why;
    }
    return !report->misses.empty() || report->rejections.empty()
               ? "no layout fits" + unmodelledText(*report)
               : report->rejections.front().why;
}

}  // namespace

SweepWork planPoints(const Question& question) {
    return {.schema = "fabricast.sweep/1",
            .question = typed(question),
            .said = textWithFiles(question),
            .folders = question.folders,
            .answer = [question](const std::vector<Edit>& point,
                                 const Workbench& bench,
                                 const Watch& watch,
                                 JsonText& json) -> Result<void> {
                const Result<PlanReport> report = bestOfPoint(question, point, bench, watch);
                if (!report && report.error().code != Error::Code::Unsupported) {
                    return tl::unexpected(report.error());
                }
                FABRICAST_ASSIGN(const Question here, with(question, point));
                if (report) {
                    FABRICAST_TRY(checkAnyLayout(*report, here, bench));
                }
                if (report && !report->plans.empty()) {
                    FABRICAST_ASSIGN(const std::string idle,
                                     idleInBest(here, *report, bench, watch));
                    addBest(json, report->plans.front(), {leanedOn(report->notes), idle});
                } else {
                    json.add("verdict", wordOfNone(report));
                    json.add("why", whyNoBest(report));
                }
                return {};
            }};
}

}  // namespace fabricast
