#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/report/plan_views.h"
#include "planner/report/question_json.h"
#include "planner/report/surer_report.h"
#include "planner/request/layout_json.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_text.h"

#include <utility>

namespace fabricast {

namespace {

void addMemory(JsonText& json, const MemoryBreakdown& memory) {
    json.beginObject("memory");
    json.add("verdict", nameOf(memory.verdict));
    json.add("peak_bytes", memory.peak.value);
    json.add("peak_lo_bytes", memory.peak.lo);
    json.add("peak_hi_bytes", memory.peak.hi);
    json.add("capacity_bytes", memory.capacity);
    writeHost(json, memory);
    json.add("fullest_stage", memory.stages[memory.fullest].stage);
    json.beginArray("fixes");
    for (const Rejection& rejection : memory.rejections) {
        for (const Fix& fix : rejection.fixes) {
            writeFix(json, fix);
        }
    }
    json.end();
    json.end();
}

void addLayout(JsonText& json, const Plan& plan) {
    json.add("stack", plan.scenario.stack);
    writeLayout(json, "layout", plan.scenario.layout);
    json.add("recompute", recomputeText(plan.scenario.settings.recompute));
}

/// A plan in short.
void addOther(JsonText& json, const Plan& plan) {
    addLayout(json, plan);
    json.add("step_s", plan.step.step.value.count());
    json.add("verdict", nameOf(plan.memory.verdict));
    json.add("peak_bytes", plan.memory.peak.value);
}

void addPlan(JsonText& json, const PlanReport& report, std::size_t place) {
    const Plan& plan = report.plans[place];
    json.beginObject();
    json.add("rank", place + 1);
    addLayout(json, plan);
    json.add("step_s", plan.step.step.value.count());
    if (plan.simulated) {
        json.add("simulated_step_s", plan.simulated->count());
    }
    json.add("tokens_per_s_gpu", plan.step.tokensPerGpuSecond);
    if (plan.step.utilisation.mfu) {
        json.add("mfu", *plan.step.utilisation.mfu);
    } else {
        json.addNull("mfu", plan.step.utilisation.why);
    }
    addMemory(json, plan.memory);
    writeTime(json, plan.step, nullptr);
    writeComm(json, plan.scenario.cluster, plan.step);
    if (plan.cost) {
        writeCost(json, *plan.cost, report.basis);
    } else {
        json.addNull("cost", "not requested");
    }
    json.beginArray("alike");
    for (const Plan& other : plan.alike) {
        json.beginObject();
        addOther(json, other);
        json.end();
    }
    json.end();
    json.end();
}

void addPareto(JsonText& json, const PlanReport& report) {
    json.beginArray("pareto");
    for (const Plan& plan : report.pareto) {
        json.beginObject();
        addLayout(json, plan);
        json.add("gpus", plan.scenario.layout.world());
        json.add("step_s", plan.step.step.value.count());
        json.add("peak_bytes", plan.memory.peak.value);
        json.add("headroom_bytes", plan.memory.capacity - plan.memory.peak.value);
        writePerMtok(json, plan.cost);
        json.end();
    }
    json.end();
}

void addRejections(JsonText& json, const PlanReport& report) {
    json.beginArray("rejections");
    for (const PlanRejection& rejection : report.rejections) {
        json.beginObject();
        json.add("stack", rejection.stack);
        json.add("layouts", rejection.layouts);
        json.add("why", rejection.why);
        json.end();
    }
    json.end();
}

}  // namespace

std::string planJson(const PlanReport& report,
                     double seconds,
                     const JsonValue* asked,
                     std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.plan/1", version);
    if (report.isNotModelled()) {
        json.addNull("verdict", "not modelled: " + report.rejections.front().why);
    } else if (report.refused) {
        json.addNull("verdict", "refused: " + report.rejections.front().why);
    } else {
        json.add(
            "verdict",
            nameOf(report.plans.empty() ? Verdict::DoesNotFit : report.plans[0].memory.verdict));
    }
    writeQuestion(json, report.question);
    writeAsked(json, asked);
    json.add("objective", nameOf(report.objective));
    json.add("stopped", report.stopped || !report.unfinished.empty());
    json.beginObject("search");
    json.add("candidates", report.candidates);
    json.add("feasible", report.feasible);
    json.add("seconds", seconds);
    if (!report.cutShort.empty()) {
        json.add("cut_short", report.cutShort);
    }
    json.end();
    json.beginArray("plans");
    for (std::size_t i = 0; i < report.plans.size(); ++i) {
        addPlan(json, report, i);
    }
    json.end();
    if (report.tighter) {
        json.beginObject("tighter");
        addOther(json, *report.tighter);
        json.end();
    }
    if (report.faster) {
        writeFaster(json, *report.faster);
    }
    writeSurer(json, report.surer);
    addPareto(json, report);
    json.beginArray("nearest_misses");
    for (const Plan& plan : report.misses) {
        json.beginObject();
        addLayout(json, plan);
        addMemory(json, plan.memory);
        json.end();
    }
    json.end();
    addRejections(json, report);
    if (report.fixes) {
        writeFixes(json, *report.fixes);
    }
    if (report.sensitivity) {
        writeSensitivity(json, *report.sensitivity);
    }
    json.add("assumed", report.notes);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
