#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/request/layout_json.h"
#include "planner/result/memory_names.h"
#include "planner/spec/names.h"
#include "planner/text/json_text.h"

#include <array>
#include <cmath>
#include <utility>

namespace fabricast {

namespace {

std::string_view speedVerdictWord(SpeedVerdict verdict) {
    constexpr std::array<std::string_view, 4> kWords = {"faster", "slower", "equal", "unknown"};
    return kWords[static_cast<std::size_t>(verdict)];
}

void addSide(JsonText& json, const ComparedSide& side) {
    json.beginObject();
    json.add("name", side.name);
    json.add("source", side.source);
    json.add("model", side.scenario.model.name);
    json.add("cluster", side.scenario.cluster.name);
    json.add("stack", side.scenario.stack);
    writeLayout(json, "layout", side.scenario.layout);
    if (side.step) {
        writeHeadline(json, "step_s", side.step->step);
    } else {
        json.addNull("step_s", side.whyNoStep);
    }
    json.add("verdict", nameOf(side.memory.verdict));
    writeHeadline(json, "peak_bytes", side.memory.peak);
    json.add("assumed", side.assumed);
    json.end();
}

void addInputs(JsonText& json, const Comparison& comparison) {
    json.beginArray("inputs");
    for (const InputDifference& input : comparison.inputs) {
        json.beginObject();
        json.add("key", input.key);
        json.add("values", input.values);
        json.add("has_effect", input.hasEffect);
        json.end();
    }
    json.end();
}

void addNumbers(JsonText& json, const Comparison& comparison, double leastChange) {
    json.beginArray("numbers");
    for (const ComparedNumber& number : comparison.numbers) {
        json.beginObject();
        json.add("key", number.key);
        json.beginArray("values");
        for (const std::optional<double>& value : number.values) {
            json.item(value.value_or(std::nan("")));
        }
        json.end();
        json.add("changed", number.changes(comparison.baseline, leastChange));
        json.end();
    }
    json.end();
}

void addFall(JsonText& json, std::string_view key, const Waterfall& fall, std::string_view unit) {
    const auto named = [unit](std::string_view name) {
        return std::string(name) + "_" + std::string(unit);
    };
    json.beginObject(key);
    json.add(named("from"), fall.from);
    json.add(named("to"), fall.to);
    json.beginObject("parts");
    for (const DifferencePart& part : fall.parts) {
        json.add(named(part.key), part.change);
    }
    json.end();
    json.end();
}

void addDifferences(JsonText& json, const Comparison& comparison) {
    json.beginArray("differences");
    for (const SideDifference& difference : comparison.differences) {
        json.beginObject();
        json.add("side", comparison.sides[difference.side].name);
        json.add("verdict", speedVerdictWord(difference.verdict));
        if (difference.time) {
            json.add("time_ratio", difference.ratio);
            json.add("equal_within", difference.band);
            json.add("per", comparison.sameTokens ? "step" : "million_tokens");
            addFall(json, "time", *difference.time, "s");
        } else {
            json.addNull("time_ratio", "one side has no time forecast");
        }
        addFall(json, "memory", difference.memory, "bytes");
        json.end();
    }
    json.end();
}

}  // namespace

std::string comparisonJson(const Comparison& comparison,
                           double leastChange,
                           std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.comparison/1", version);
    json.add("baseline", comparison.sides[comparison.baseline].name);
    json.add("equal_within", comparison.band);
    json.beginArray("sides");
    for (const ComparedSide& side : comparison.sides) {
        addSide(json, side);
    }
    json.end();
    addInputs(json, comparison);
    addNumbers(json, comparison, leastChange);
    addDifferences(json, comparison);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
