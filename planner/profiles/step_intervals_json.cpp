#include "planner/profiles/correction_json.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_numbers.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 8> kIntervalsKeys = {
    "schema", "name", "title", "aliases", "source", "from", "classes", "comparison"};
constexpr std::array<std::string_view, 5> kClassKeys = {
    "class", "below", "above", "runs", "sources"};
constexpr std::array<std::string_view, 2> kComparisonKeys = {"same_split", "other_split"};
constexpr std::array<std::string_view, 3> kPairKeys = {"error", "pairs", "sources"};
constexpr double kLeastRatio = 1e-4;
constexpr double kMostRatio = 1000.0;
constexpr std::int64_t kMostIntervalRuns = 1'000'000;

double roundedRatio(double value) {
    return std::max(kLeastRatio, fourDigits(value));
}

Result<StepInterval> readInterval(const JsonValue& item) {
    StepInterval interval;
    FABRICAST_ASSIGN(interval.below, requireNumber(item, "below", {kLeastRatio, 1.0}));
    FABRICAST_ASSIGN(interval.above, requireNumber(item, "above", {1.0, kMostRatio}));
    FABRICAST_ASSIGN(const JsonValue* const runs, item.require("runs"));
    FABRICAST_ASSIGN(interval.runs, runs->integer({1, kMostIntervalRuns}));
    FABRICAST_ASSIGN(const JsonValue* const sources, item.require("sources"));
    FABRICAST_ASSIGN(interval.sources, sources->integer({1, kMostIntervalRuns}));
    return interval;
}

Result<void> readPairError(const JsonValue& comparison, std::string_view key, PairError& pairs) {
    const JsonValue* const item = comparison.find(key);
    if (item == nullptr) {
        return {};
    }
    FABRICAST_TRY(item->onlyKeys(kPairKeys));
    FABRICAST_ASSIGN(pairs.error, requireNumber(*item, "error", {0.0, kMostRatio}));
    FABRICAST_ASSIGN(const JsonValue* const count, item->require("pairs"));
    FABRICAST_ASSIGN(pairs.pairs, count->integer({1, kMostIntervalRuns}));
    FABRICAST_ASSIGN(const JsonValue* const sources, item->require("sources"));
    FABRICAST_ASSIGN(pairs.sources, sources->integer({1, kMostIntervalRuns}));
    return {};
}

Result<ComparisonError> readComparison(const JsonValue& root) {
    ComparisonError error;
    const JsonValue* const comparison = root.find("comparison");
    if (comparison == nullptr) {
        return error;
    }
    FABRICAST_TRY(comparison->onlyKeys(kComparisonKeys));
    FABRICAST_TRY(readPairError(*comparison, kComparisonKeys[0], error.sameSplit));
    FABRICAST_TRY(readPairError(*comparison, kComparisonKeys[1], error.otherSplit));
    return error;
}

/// A kind without pairs is left out.
void addComparison(JsonText& json, const ComparisonError& error) {
    if (error.sameSplit.pairs == 0 && error.otherSplit.pairs == 0) {
        return;
    }
    json.beginObject("comparison");
    for (const auto& [key, kind] : {std::pair(kComparisonKeys[0], &error.sameSplit),
                                    std::pair(kComparisonKeys[1], &error.otherSplit)}) {
        if (kind->pairs > 0) {
            json.beginObject(key);
            json.add("error", fourDigits(kind->error));
            json.add("pairs", kind->pairs);
            json.add("sources", kind->sources);
            json.end();
        }
    }
    json.end();
}

}  // namespace

Result<StepIntervals> readStepIntervals(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kIntervalsKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "interval"));
    StepIntervals intervals;
    intervals.title = header.title;
    FABRICAST_ASSIGN(intervals.from, requireText(root, "from"));
    FABRICAST_ASSIGN(const JsonValue* const classes, root.require("classes"));
    FABRICAST_TRY(classes->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : classes->items()) {
        FABRICAST_TRY(item.onlyKeys(kClassKeys));
        FABRICAST_ASSIGN(const std::string path, requireText(item, "class"));
        FABRICAST_ASSIGN(intervals.classes[path], readInterval(item));
    }
    FABRICAST_ASSIGN(intervals.comparison, readComparison(root));
    return intervals;
}

std::string stepIntervalsJson(const StepIntervals& intervals, const std::string& name) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.interval/1");
    json.add("name", name);
    json.add("title", intervals.title);
    json.add("source", "fitted");
    json.add("from", intervals.from);
    json.beginArray("classes");
    for (const auto& [path, interval] : intervals.classes) {
        json.beginObject();
        json.add("class", path);
        json.add("below", roundedRatio(interval.below));
        json.add("above", roundedRatio(interval.above));
        json.add("runs", interval.runs);
        json.add("sources", interval.sources);
        json.end();
    }
    json.end();
    addComparison(json, intervals.comparison);
    json.end();
    return std::move(json).finish();
}

Result<StepIntervals> ProfileStore::intervals(std::string_view name) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Interval, name));
    return parsed(file, &readStepIntervals);
}

}  // namespace fabricast
