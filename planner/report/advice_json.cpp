#include "planner/report/advice_report.h"
#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/report/question_json.h"
#include "planner/report/surer_report.h"
#include "planner/request/layout_json.h"
#include "planner/result/memory_names.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_text.h"

#include <utility>

namespace fabricast {
namespace {

/// A plan's members inside an open object. `timed`: its step is known, and so its cost.
void addAdvisedPlan(JsonText& json, const Plan& plan, const CostBasis& basis, bool timed) {
    json.add("stack", plan.scenario.stack);
    writeLayout(json, "layout", plan.scenario.layout);
    json.add("recompute", recomputeText(plan.scenario.settings.recompute));
    json.beginObject("memory");
    json.add("verdict", nameOf(plan.memory.verdict));
    json.add("peak_bytes", plan.memory.peak.value);
    json.add("capacity_bytes", plan.memory.capacity);
    json.end();
    if (!timed) {
        json.addNull("step_s", "it does not fit");
        return;
    }
    writeHeadline(json, "step_s", plan.step.step);
    json.add("tokens_per_s_gpu", plan.step.tokensPerGpuSecond);
    if (plan.cost) {
        writeCost(json, *plan.cost, basis);
    }
}

void addStep(JsonText& json, const AdviceStep& step, const CostBasis& basis) {
    json.beginObject();
    json.add("key", step.key);
    json.add("question", step.question);
    json.add("answer", nameOf(step.answer));
    json.add("why", step.why);
    if (!step.cutShort.empty()) {
        json.add("cut_short", step.cutShort);
    }
    if (!step.set.empty()) {
        json.add("set", step.set);
    }
    if (step.plan) {
        json.beginObject("plan");
        addAdvisedPlan(json, *step.plan, basis, step.timed);
        json.end();
    } else {
        json.addNull("plan", step.why);
    }
    json.end();
}

/// Of what is recommended; null where what fits is not answered with, as it costs too much.
void addAdvisedVerdict(JsonText& json, const Advice& advice) {
    if (advice.recommended) {
        json.add("verdict", nameOf(advice.steps[*advice.recommended].plan->memory.verdict));
        return;
    }
    bool known = false;
    bool fits = false;
    for (const AdviceStep& step : advice.steps) {
        known = known || step.plan.has_value();
        fits = fits || (step.plan && step.plan->memory.verdict != Verdict::DoesNotFit);
    }
    if (known && !fits && !advice.stopped) {
        json.add("verdict", nameOf(Verdict::DoesNotFit));
    } else {
        json.addNull("verdict", adviceHead(advice));
    }
}

void addRecommended(JsonText& json, const Advice& advice) {
    if (!advice.recommended) {
        json.addNull("recommended", adviceHead(advice));
        return;
    }
    const AdviceStep& step = advice.steps[*advice.recommended];
    json.beginObject("recommended");
    json.add("key", step.key);
    if (!step.set.empty()) {
        json.add("set", step.set);
    }
    addAdvisedPlan(json, *step.plan, advice.basis, true);
    json.end();
}

/// The price and the site are the same; the GPUs may be others.
void addChange(JsonText& json, const AdviceChange& change, const CostBasis& basis) {
    json.beginObject();
    json.add("change", change.change);
    json.add("same", change.same);
    if (change.isCut) {
        json.add("cut_short", true);
    }
    if (change.plan) {
        json.add("key", change.key);
        json.beginObject("plan");
        CostBasis other = basis;
        other.gpus = change.plan->scenario.layout.world();
        addAdvisedPlan(json, *change.plan, other, true);
        json.end();
    } else {
        json.addNull("plan", "nothing fits as surely");
    }
    json.end();
}

}  // namespace

std::string adviceJson(const Advice& advice, const JsonValue* asked, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.advice/1", version);
    addAdvisedVerdict(json, advice);
    writeQuestion(json, advice.question);
    writeAsked(json, asked);
    if (advice.most) {
        json.add("max_usd", advice.most->count());
    }
    addRecommended(json, advice);
    json.add("stopped", advice.stopped);
    json.beginArray("steps");
    for (const AdviceStep& step : advice.steps) {
        addStep(json, step, advice.basis);
    }
    json.end();
    writeSurer(json, advice.surer);
    json.beginArray("changes");
    for (const AdviceChange& change : advice.changes) {
        addChange(json, change, advice.basis);
    }
    json.end();
    if (!advice.notLookedAt.empty()) {
        json.add("not_looked_at", advice.notLookedAt);
    }
    json.add("assumed", advice.notes);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
