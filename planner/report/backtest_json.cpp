#include "planner/report/backtest_report.h"
#include "planner/report/begin_answer.h"
#include "planner/result/answer_names.h"
#include "planner/result/memory_names.h"
#include "planner/text/json_text.h"

#include <string>
#include <utility>

namespace fabricast {

namespace {

void addMaybe(JsonText& json, std::string_view key, const std::optional<double>& value) {
    if (value) {
        json.add(key, *value);
    } else {
        json.addNull(key);
    }
}

void addText(JsonText& json, std::string_view key, const std::string& text) {
    if (text.empty()) {
        json.addNull(key);
    } else {
        json.add(key, text);
    }
}

void addRow(JsonText& json, const BacktestRow& row) {
    json.beginObject();
    json.add("id", row.id);
    json.add("status", row.predictedStep ? "ok" : "refused");
    addText(json, "why", row.why);
    json.add("counted", row.counted);
    addMaybe(json, "measured_step_s", row.measuredStep);
    addMaybe(json, "predicted_step_s", row.predictedStep);
    addMaybe(json, "lo", row.lo);
    addMaybe(json, "hi", row.hi);
    addText(json, "evidence", row.evidence);
    addMaybe(json, "error", row.stepError());
    addMaybe(json, "constant_rate_step_s", row.constantRateStep);
    addMaybe(json, "measured_mem_gib", row.measuredGib);
    addMaybe(json, "predicted_mem_gib", row.predictedGib);
    json.add("memory_kind", nameOf(row.memoryReading));
    addText(json, "verdict", row.verdict ? std::string(nameOf(*row.verdict)) : "");
    addText(json, "memory_why", row.memoryWhy);
    json.end();
}

void addSpread(JsonText& json, std::string_view key, const ErrorSpread& spread) {
    json.beginObject(key);
    json.add("n", spread.n);
    const std::pair<std::string_view, double> numbers[] = {{"bias", spread.bias},
                                                           {"median", spread.median},
                                                           {"mean", spread.mean},
                                                           {"p90", spread.p90},
                                                           {"max", spread.max}};
    for (const auto& [name, number] : numbers) {
        addMaybe(json, name, spread.n > 0 ? std::optional<double>(number) : std::nullopt);
    }
    json.end();
}

void addReasons(JsonText& json,
                std::string_view key,
                const std::map<std::string, std::size_t>& reasons) {
    json.beginArray(key);
    for (const auto& [why, count] : reasons) {
        json.beginObject();
        json.add("why", why);
        json.add("n", count);
        json.end();
    }
    json.end();
}

void addCoverage(JsonText& json, std::string_view key, const Coverage& coverage) {
    json.beginObject(key);
    json.add("n", coverage.n);
    const bool any = coverage.n > 0;
    addMaybe(json, "share", any ? std::optional<double>(coverage.share()) : std::nullopt);
    addMaybe(json, "half_width", any ? std::optional<double>(coverage.halfWidth) : std::nullopt);
    json.end();
}

void addSweeps(JsonText& json, const SweepScore& sweeps) {
    json.beginObject("sweeps");
    json.add("n", sweeps.sweeps);
    const std::pair<std::string_view, double> numbers[] = {{"rank_correlation", sweeps.rank},
                                                           {"regret", sweeps.regret},
                                                           {"worst_regret", sweeps.worst}};
    for (const auto& [name, number] : numbers) {
        addMaybe(json, name, sweeps.sweeps > 0 ? std::optional<double>(number) : std::nullopt);
    }
    json.end();
}

void addPairs(JsonText& json, const PairScore& pairs) {
    const std::pair<std::string_view, const PairKind*> kinds[] = {
        {"pairs_same_split", &pairs.sameSplit}, {"pairs_other_split", &pairs.otherSplit}};
    for (const auto& [name, kind] : kinds) {
        json.beginObject(name);
        json.add("n", kind->pairs);
        json.add("sources", kind->sources);
        json.add("right", kind->right);
        addMaybe(json, "error", kind->pairs > 0 ? std::optional(kind->error) : std::nullopt);
        json.add("clear", kind->clear);
        json.add("clear_right", kind->clearRight);
        json.end();
    }
}

/// Readings that are not of tensors alone, or of unknown kind.
void addOtherMemory(JsonText& json, const BacktestGroup& group) {
    for (const MemoryReading reading :
         {MemoryReading::Reserved, MemoryReading::Device, MemoryReading::Unsaid}) {
        addSpread(json,
                  "memory_" + std::string(nameOf(reading)),
                  group.memory[static_cast<std::size_t>(reading)]);
    }
}

void addRunVerdicts(JsonText& json, const BacktestGroup& group) {
    json.beginObject("verdicts");
    for (std::size_t i = 0; i < kVerdicts; ++i) {
        json.add(nameOf(static_cast<Verdict>(i)), group.verdicts[i]);
    }
    json.end();
}

void addGroup(JsonText& json, const BacktestGroup& group) {
    json.add("name", group.name);
    json.add("n", group.rows);
    json.add("forecast", group.forecast);
    json.add("refused", group.rows - group.forecast);
    addReasons(json, "refusals", group.refused);
    addSpread(json, "step", group.step);
    addSpread(json, "constant_rate", group.constantRate);
    addSpread(json, "memory", group.memory.front());
    addOtherMemory(json, group);
    addReasons(json, "memory_refusals", group.memoryRefused);
    addRunVerdicts(json, group);
    addCoverage(json, "coverage", group.coverage);
    addCoverage(json, "coverage_out_of_source", group.loose);
    addSweeps(json, group.sweeps);
    addPairs(json, group.pairs);
}

}  // namespace

std::string backtestJson(const Backtest& backtest, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.backtest/1", version);
    json.add("file", backtest.file);
    json.add("engine", backtest.engine);
    json.add("group_by", nameOf(backtest.groupBy));
    json.add("notes", backtest.notes);
    json.add("doubts", backtest.doubts);
    json.beginObject("summary");
    json.beginObject("all");
    addGroup(json, backtest.all);
    json.end();
    json.beginArray("groups");
    for (const BacktestGroup& group : backtest.groups) {
        json.beginObject();
        addGroup(json, group);
        json.end();
    }
    json.end();
    json.end();
    if (!backtest.fits.empty()) {
        addMachineFits(json, backtest.fits);
    }
    json.beginArray("rows");
    for (const BacktestRow& row : backtest.rows) {
        addRow(json, row);
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
