#include "planner/report/answer_json.h"
#include "planner/result/memory_names.h"

#include <array>
#include <optional>
#include <string_view>

namespace fabricast {

namespace {

std::string_view wordOf(TargetMetric metric) {
    constexpr std::array<std::string_view, 4> kWords = {"tokens_per_s", "step_s", "mfu", "days"};
    return kWords[static_cast<std::size_t>(metric)];
}

std::string_view wordOf(FixGroup group) {
    constexpr std::array<std::string_view, 3> kWords = {"free", "workload", "buy"};
    return kWords[static_cast<std::size_t>(group)];
}

void addKnown(JsonText& json,
              std::string_view key,
              const std::optional<double>& value,
              std::string_view why) {
    if (value) {
        json.add(key, *value);
    } else {
        json.addNull(key, why);
    }
}

/// Every key, also where there is no step to time.
void addSpeed(JsonText& json, const PlanFix& fix) {
    constexpr const char* kTooBig = "it does not fit";
    if (fix.outcome.verdict == Verdict::DoesNotFit) {
        for (const char* key : {"step_s", "tokens_per_s", "mfu", "usd_per_mtok"}) {
            json.addNull(key, kTooBig);
        }
        return;
    }
    json.add("step_s", fix.outcome.step.count());
    json.add("tokens_per_s", fix.tokensPerSecond);
    addKnown(json, "mfu", fix.mfu, "the peak of this GPU is not known");
    addKnown(
        json, "usd_per_mtok", fix.usdPerMtok, "no price is known, or the run makes no progress");
}

void addFix(JsonText& json, const PlanFix& fix) {
    json.beginObject();
    json.add("group", wordOf(fix.group));
    json.add("change", fix.change);
    json.add("typed", fix.typed);
    json.add("reaches", fix.reaches);
    json.add("changes_training", fix.group == FixGroup::Workload);
    json.add("side_effect", fix.sideEffect);
    json.add("verdict", nameOf(fix.outcome.verdict));
    json.add("peak_bytes", fix.outcome.peak);
    addSpeed(json, fix);
    if (fix.days) {
        json.add("days", *fix.days);
    }
    json.add("gpus", fix.gpus);
    json.add("layout", fix.layout);
    json.end();
}

}  // namespace

void writeFixes(JsonText& json, const PlanFixes& fixes) {
    json.beginArray("targets");
    for (const TargetVerdict& verdict : fixes.targets) {
        json.beginObject();
        json.add("metric", wordOf(verdict.target.metric));
        json.add("wanted", verdict.target.wanted);
        if (verdict.reached) {
            json.add("reached", *verdict.reached);
        } else {
            json.addNull("reached", "no layout fits");
        }
        json.add("met", verdict.isMet);
        if (!verdict.of.empty()) {
            json.add("of", verdict.of);
        }
        json.end();
    }
    json.end();
    json.beginArray("fixes");
    for (const PlanFix& fix : fixes.fixes) {
        addFix(json, fix);
    }
    json.end();
    json.add("fixes_tried", fixes.tried);
}

}  // namespace fabricast
