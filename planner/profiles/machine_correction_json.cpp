#include "planner/evidence/likeness.h"
#include "planner/profiles/correction_json.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_numbers.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

/// The last one is new in version 3.
constexpr std::array<std::string_view, 14> kCorrectionKeys = {"schema",
                                                              "name",
                                                              "title",
                                                              "aliases",
                                                              "source",
                                                              "from",
                                                              "date",
                                                              "gpu",
                                                              "factors",
                                                              "runs",
                                                              "groups",
                                                              "median_error",
                                                              "intervals",
                                                              "like"};
constexpr std::array<std::string_view, 11> kFirstCorrectionKeys = {"schema",
                                                                   "name",
                                                                   "title",
                                                                   "aliases",
                                                                   "source",
                                                                   "from",
                                                                   "gpu",
                                                                   "clock",
                                                                   "network",
                                                                   "runs",
                                                                   "median_error"};
constexpr std::array<std::string_view, 4> kFactorKeys = {"factor", "speed", "error", "runs"};
constexpr std::array<std::string_view, 4> kOwnIntervalKeys = {"class", "below", "above", "runs"};
constexpr std::array<std::string_view, 5> kLikeKeys = {
    "run", "settings", "counts", "shares", "weight"};
constexpr NumberRange kCountRange = {1e-9, 1e12};
/// Rounded, and a bubble a little below 0.
constexpr NumberRange kShareRange = {-1.0, 2.0};
constexpr NumberRange kWeightRange = {-100.0, 100.0};
constexpr std::array<std::string_view, 2> kErrorKeys = {"before", "after"};
constexpr NumberRange kSpeedRange = {kLeastCorrection, kMostCorrection};
constexpr std::int64_t kMostCorrectedRuns = 1'000'000;
constexpr double kMostError = 1e6;
constexpr double kLeastOwnRatio = 1e-4;
constexpr double kMostOwnRatio = 1000.0;

std::string boundText(double bound) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), bound).ptr};
}

/// A number that has to be within bounds which an error tells.
Result<double> requireWithin(const JsonValue& item, std::string_view key, NumberRange range) {
    FABRICAST_ASSIGN(const JsonValue* const value, item.require(key));
    if (value->number(range.least, range.most) || !value->isNumber()) {
        return value->number(range.least, range.most);
    }
    return tl::unexpected(value->problem("is out of range at " + value->shown(),
                                         boundText(range.least) + " to " + boundText(range.most)));
}

Result<std::int64_t> readRunCount(const JsonValue& item, std::string_view key) {
    FABRICAST_ASSIGN(const JsonValue* const runs, item.require(key));
    return runs->integer({1, kMostCorrectedRuns});
}

constexpr std::array<std::string_view, kMachineFactors> factorNames() {
    std::array<std::string_view, kMachineFactors> names;
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        names[i] = nameOf(static_cast<MachineFactor>(i));
    }
    return names;
}

Result<FittedFactor> readFactor(const JsonValue& item) {
    static constexpr auto kNames = factorNames();
    FABRICAST_TRY(item.onlyKeys(kFactorKeys));
    FABRICAST_ASSIGN(const JsonValue* const named, item.require("factor"));
    FABRICAST_ASSIGN(const std::string name, readWord(*named, kNames));
    FittedFactor fitted;
    const auto found = std::ranges::find(kNames, name);
    fitted.factor = static_cast<MachineFactor>(found - kNames.begin());
    FABRICAST_ASSIGN(fitted.speed, requireWithin(item, "speed", kSpeedRange));
    FABRICAST_ASSIGN(fitted.error, requireWithin(item, "error", {0.0, kMostError}));
    FABRICAST_ASSIGN(fitted.runs, readRunCount(item, "runs"));
    return fitted;
}

/// Version 1 has a factor on products and attention, and one on the network, of all its runs.
Result<void> readFirstFactors(const JsonValue& root, MachineCorrection& correction) {
    constexpr std::array kBoth = {MachineFactor::Clock, MachineFactor::Network};
    for (const MachineFactor factor : kBoth) {
        FittedFactor fitted{.factor = factor, .runs = correction.runs};
        FABRICAST_ASSIGN(fitted.speed, requireWithin(root, nameOf(factor), kSpeedRange));
        if (fitted.speed != 1.0) {
            correction.fitted.push_back(fitted);
        }
    }
    return {};
}

Result<OwnInterval> readOwnInterval(const JsonValue& item) {
    FABRICAST_TRY(item.onlyKeys(kOwnIntervalKeys));
    OwnInterval interval;
    FABRICAST_ASSIGN(interval.evidence, requireText(item, "class"));
    FABRICAST_ASSIGN(interval.below, requireWithin(item, "below", {kLeastOwnRatio, 1.0}));
    FABRICAST_ASSIGN(interval.above, requireWithin(item, "above", {1.0, kMostOwnRatio}));
    FABRICAST_ASSIGN(interval.runs, readRunCount(item, "runs"));
    return interval;
}

/// A number for each of these names.
template <std::size_t N>
Result<std::array<double, N>> requireNamed(const JsonValue& item,
                                           std::string_view key,
                                           const std::array<std::string_view, N>& names,
                                           NumberRange range) {
    FABRICAST_ASSIGN(const JsonValue* const all, item.require(key));
    FABRICAST_TRY(all->onlyKeys(names));
    std::array<double, N> numbers{};
    for (std::size_t i = 0; i < N; ++i) {
        FABRICAST_ASSIGN(numbers[i], requireWithin(*all, names[i], range));
    }
    return numbers;
}

Result<LikeRun> readLikeRun(const JsonValue& item) {
    FABRICAST_TRY(item.onlyKeys(kLikeKeys));
    LikeRun run;
    FABRICAST_ASSIGN(run.id, requireText(item, "run"));
    FABRICAST_ASSIGN(run.traits.settings, requireText(item, "settings"));
    FABRICAST_ASSIGN(run.traits.counts, requireNamed(item, "counts", kTraitCounts, kCountRange));
    FABRICAST_ASSIGN(run.traits.shares, requireNamed(item, "shares", kTraitShares, kShareRange));
    FABRICAST_ASSIGN(run.weight, requireWithin(item, "weight", kWeightRange));
    return run;
}

Result<OwnLikeness> readLikeness(const JsonValue& root) {
    FABRICAST_ASSIGN(const JsonValue* const like, root.require("like"));
    FABRICAST_TRY(like->expect(JsonValue::Kind::Array));
    if (like->items().size() > kMostLikeRuns) {
        return tl::unexpected(
            like->problem("has more than " + std::to_string(kMostLikeRuns) + " runs"));
    }
    std::vector<LikeRun> runs;
    for (const JsonValue& item : like->items()) {
        FABRICAST_ASSIGN(LikeRun run, readLikeRun(item));
        runs.push_back(std::move(run));
    }
    return ownLikeness(std::move(runs));
}

Result<void> readFactors(const JsonValue& root, MachineCorrection& correction) {
    FABRICAST_ASSIGN(const JsonValue* const date, root.require("date"));
    FABRICAST_ASSIGN(correction.date, date->text());
    if (!correction.date.empty() && !isDay(correction.date)) {
        return tl::unexpected(
            date->problem("must be a day, not " + date->shown(), "write \"2026-11-20\""));
    }
    FABRICAST_ASSIGN(correction.groups, readRunCount(root, "groups"));
    FABRICAST_ASSIGN(const JsonValue* const factors, root.require("factors"));
    FABRICAST_TRY(factors->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : factors->items()) {
        FABRICAST_ASSIGN(const FittedFactor fitted, readFactor(item));
        if (std::ranges::find(correction.fitted, fitted.factor, &FittedFactor::factor) !=
            correction.fitted.end()) {
            return tl::unexpected(item.problem("is the second of this factor"));
        }
        correction.fitted.push_back(fitted);
    }
    FABRICAST_ASSIGN(const JsonValue* const intervals, root.require("intervals"));
    FABRICAST_TRY(intervals->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : intervals->items()) {
        FABRICAST_ASSIGN(OwnInterval interval, readOwnInterval(item));
        correction.intervals.push_back(std::move(interval));
    }
    return {};
}

}  // namespace

Result<MachineCorrection> readMachineCorrection(const JsonValue& root) {
    constexpr int kNewest = 3;
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "correction", kNewest));
    const bool first = header.version == 1;
    const bool last = header.version == kNewest;
    const std::span<const std::string_view> keys(kCorrectionKeys);
    FABRICAST_TRY(first ? root.onlyKeys(kFirstCorrectionKeys)
                        : root.onlyKeys(last ? keys : keys.first(keys.size() - 1)));
    MachineCorrection correction;
    correction.title = header.title;
    FABRICAST_ASSIGN(correction.from, requireText(root, "from"));
    FABRICAST_ASSIGN(correction.gpu, requireText(root, "gpu"));
    FABRICAST_ASSIGN(correction.runs, readRunCount(root, "runs"));
    FABRICAST_TRY(first ? readFirstFactors(root, correction) : readFactors(root, correction));
    if (last) {
        FABRICAST_ASSIGN(correction.like, readLikeness(root));
    }
    FABRICAST_ASSIGN(const JsonValue* const error, root.require("median_error"));
    FABRICAST_TRY(error->onlyKeys(kErrorKeys));
    FABRICAST_ASSIGN(correction.errorBefore, requireWithin(*error, "before", {0.0, kMostError}));
    FABRICAST_ASSIGN(correction.errorAfter, requireWithin(*error, "after", {0.0, kMostError}));
    return correction;
}

namespace {

template <std::size_t N>
void addNamed(JsonText& json,
              std::string_view key,
              const std::array<std::string_view, N>& names,
              const std::array<double, N>& numbers) {
    json.beginObject(key);
    for (std::size_t i = 0; i < N; ++i) {
        json.add(names[i], fourDigits(numbers[i]));
    }
    json.end();
}

void addLikeness(JsonText& json, const OwnLikeness& like) {
    json.beginArray("like");
    for (const LikeRun& run : like.runs) {
        json.beginObject();
        json.add("run", run.id);
        json.add("settings", run.traits.settings);
        addNamed(json, "counts", kTraitCounts, run.traits.counts);
        addNamed(json, "shares", kTraitShares, run.traits.shares);
        json.add("weight", fourDigits(run.weight));
        json.end();
    }
    json.end();
}

}  // namespace

std::string machineCorrectionJson(const MachineCorrection& correction, const std::string& name) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.correction/3");
    json.add("name", name);
    json.add("title", correction.title);
    json.add("source", "fitted");
    json.add("from", correction.from);
    json.add("date", correction.date);
    json.add("gpu", correction.gpu);
    json.beginArray("factors");
    for (const FittedFactor& fitted : correction.fitted) {
        json.beginObject();
        json.add("factor", nameOf(fitted.factor));
        json.add("speed", fourDigits(fitted.speed));
        json.add("error", fourDigits(fitted.error));
        json.add("runs", fitted.runs);
        json.end();
    }
    json.end();
    json.add("runs", correction.runs);
    json.add("groups", correction.groups);
    json.beginObject("median_error");
    json.add("before", fourDigits(correction.errorBefore));
    json.add("after", fourDigits(correction.errorAfter));
    json.end();
    json.beginArray("intervals");
    for (const OwnInterval& interval : correction.intervals) {
        json.beginObject();
        json.add("class", interval.evidence);
        json.add("below", fourDigits(interval.below));
        json.add("above", fourDigits(interval.above));
        json.add("runs", interval.runs);
        json.end();
    }
    json.end();
    addLikeness(json, correction.like);
    json.end();
    return std::move(json).finish();
}

Result<MachineCorrection> ProfileStore::correction(std::string_view name,
                                                   std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Correction, name, where));
    return parsed(file, [&](const JsonValue& root) -> Result<MachineCorrection> {
        FABRICAST_ASSIGN(MachineCorrection correction, readMachineCorrection(root));
        FABRICAST_ASSIGN(const ProfileFile gpu,
                         find(ProfileKind::Gpu, correction.gpu, root.find("gpu")->where()));
        correction.gpu = gpu.name;
        return correction;
    });
}

/// The newest, as of measured collectives; without days that of the later folder, or name.
Result<OwnSpeed> ProfileStore::ownSpeedOf(std::string_view gpu) const {
    OwnSpeed own;
    std::size_t layer = 0;
    for (const ProfileFile& file : files(ProfileKind::Correction)) {
        FABRICAST_ASSIGN(const MachineCorrection correction, this->correction(file.name));
        const bool wins = own.name.empty() || std::tie(correction.date, file.layer, file.name) >
                                                  std::tie(own.date, layer, own.name);
        if (correction.gpu == gpu && wins) {
            own = {.name = file.name,
                   .date = correction.date,
                   .factors = correction.factors(),
                   .intervals = correction.intervals,
                   .like = correction.like};
            layer = file.layer;
        }
    }
    return own;
}

}  // namespace fabricast
