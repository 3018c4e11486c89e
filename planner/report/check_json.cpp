#include "planner/report/begin_answer.h"
#include "planner/report/check_reports.h"
#include "planner/report/check_words.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"

namespace fabricast {
namespace {

void addRequirement(JsonText& json, const CheckedRequirement& one) {
    json.beginObject();
    json.add("requirement", one.requirement.text);
    json.add("where", one.requirement.where);
    json.add("metric", nameOf(one.requirement.metric).name);
    json.add("level", one.isWarning() ? "warning" : "error");
    json.add("verdict", nameOf(one.verdict));
    if (one.value) {
        json.add("value", one.value->value);
        json.add("lo", one.value->lo);
        json.add("hi", one.value->hi);
        json.add("bound", one.bound);
    } else {
        json.addNull("value", one.why);
    }
    if (one.baseline) {
        json.add("baseline", *one.baseline);
    }
    if (one.value && !one.why.empty()) {
        json.add("why", one.why);
    }
    json.end();
}

void addRequirements(JsonText& json,
                     std::string_view key,
                     const std::vector<CheckedRequirement>& requirements) {
    json.beginArray(key);
    for (const CheckedRequirement& one : requirements) {
        addRequirement(json, one);
    }
    json.end();
}

void addChanges(JsonText& json, const CheckReport& report) {
    json.add("baseline", report.comparison->sides.front().source);
    json.beginArray("changes");
    for (const ChangedInput& change : report.changes) {
        json.beginObject();
        json.add("key", change.key);
        json.add("before", change.before);
        json.add("after", change.after);
        json.add("where_before", change.whereBefore);
        json.add("where_after", change.whereAfter);
        json.end();
    }
    json.end();
}

void addWeaker(JsonText& json, const std::vector<WeakerRequirement>& weaker) {
    json.beginArray("weaker");
    for (const WeakerRequirement& one : weaker) {
        json.beginObject();
        json.add("before", one.before.text);
        json.add("where_before", one.before.where);
        if (one.now) {
            json.add("now", one.now->text);
            json.add("where_now", one.now->where);
        } else {
            json.addNull("now", "nothing asks for it");
        }
        json.end();
    }
    json.end();
}

void addFixes(JsonText& json, const std::vector<CheckFix>& fixes) {
    json.beginArray("fixes");
    for (const CheckFix& fix : fixes) {
        json.beginObject();
        json.add("mends", fix.mends);
        json.add("change", fix.change);
        json.add("typed", fix.typed);
        json.add("side_effect", fix.sideEffect);
        json.beginArray("edits");
        for (const Edit& edit : fix.edits) {
            json.beginObject();
            json.add("path", edit.path);
            json.add("value", edit.value);
            json.end();
        }
        json.end();
        addRequirements(json, "after", fix.after);
        json.end();
    }
    json.end();
}

void addLock(JsonText& json, const LockDifference& lock) {
    json.beginObject("lock");
    json.add("is_new", lock.isNew);
    json.add("scenario_changed", lock.scenarioChanged);
    json.add("tool_changed", lock.tool);
    json.beginArray("values");
    for (const LockedValue& value : lock.values) {
        json.beginObject();
        json.add("metric", value.metric);
        json.add("before", value.before);
        json.add("now", value.now);
        json.end();
    }
    json.end();
    json.end();
}

void addChecked(JsonText& json, const CheckOutcome& outcome) {
    json.beginObject();
    json.add("scenario", outcome.source);
    if (!outcome.report) {
        json.addNull("verdict", outcome.error->text());
        json.end();
        return;
    }
    const CheckReport& report = *outcome.report;
    json.add("verdict", nameOf(report.verdict()));
    json.add("memory_verdict", nameOf(report.side.memory.verdict));
    addRequirements(json, "requirements", report.requirements);
    if (report.comparison) {
        addChanges(json, report);
        addWeaker(json, report.weaker);
    } else if (report.isNew) {
        json.addNull("changes", "new: the baseline does not have it");
    }
    if (report.lock) {
        addLock(json, *report.lock);
    }
    addFixes(json, report.fixes);
    json.add("assumed", report.side.assumed);
    json.end();
}

}  // namespace

std::string checkJson(const std::vector<CheckOutcome>& outcomes, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.check/1", version);
    const CheckCount count = countOf(outcomes);
    json.add("failed", count.failed);
    json.add("unsure", count.unsure);
    json.add("errors", count.errors);
    json.beginArray("scenarios");
    for (const CheckOutcome& outcome : outcomes) {
        addChecked(json, outcome);
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
