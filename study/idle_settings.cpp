#include "study/idle_settings.h"

#include "planner/base/parallel_map.h"
#include "planner/estimate/estimate_step.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "planner/report/answer_json.h"
#include "planner/request/settings_json.h"
#include "planner/text/json_builder.h"
#include "planner/text/json_text.h"
#include "study/said_value.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Every number of the step, and of each call; why there are none.
std::string timeNumbers(const Scenario& scenario, const TimingProfiles& timing) {
    const Result<StepEstimate> step = estimateStep(scenario, timing);
    if (!step) {
        return step.error().why;
    }
    JsonText json;
    writeTime(json, *step, nullptr);
    writeComm(json, scenario.cluster, *step);
    return std::move(json).finish();
}

/// Every number of the memory of each stage; why there are none.
std::string memoryNumbers(const Scenario& scenario, const Watch& watch) {
    const Result<MemoryBreakdown> memory = memoryOfAllStages(scenario, watch);
    if (!memory) {
        return memory.error().why;
    }
    JsonText json;
    writeMemory(json, *memory);
    return std::move(json).finish();
}

/// What is forecast as the question says, each once for all its settings, and only where it is
/// asked for.
class Forecast {
public:
    Forecast(const Scenario& scenario, const TimingProfiles& timing, const Watch& watch)
        : scenario_(scenario), timing_(timing), watch_(watch) {}

    [[nodiscard]] const Scenario& scenario() const { return scenario_; }

    /// Whether a scenario with other settings is forecast alike.
    bool isThatOf(const Scenario& other) {
        std::call_once(timed_, [this] { time_ = timeNumbers(scenario_, timing_); });
        if (timeNumbers(other, timing_) != time_) {
            return false;
        }
        std::call_once(sized_, [this] { memory_ = memoryNumbers(scenario_, watch_); });
        return memoryNumbers(other, watch_) == memory_;
    }

private:
    const Scenario& scenario_;
    const TimingProfiles& timing_;
    const Watch& watch_;
    std::once_flag timed_;
    std::once_flag sized_;
    std::string time_;
    std::string memory_;
};

/// What is stated of one setting.
struct StatedSetting {
    std::string key;
    std::string value;
    std::string where{};  ///< the key of a framework's file that it follows from; empty: typed, or
                          ///< a scenario's own
};

/// A setting that a framework's file comes to has the place of the key that says so; what no key
/// of it says, the framework does by itself.
std::string placeInFile(const Question& question, const SettingHelp& help) {
    const JsonValue* const said = valueAt(question.root, help.path);
    const std::string where = said != nullptr && said->line() > 0 ? said->where() : std::string();
    // An answer read again has places of its own lines, not of the file that it was made of.
    const JsonValue* const from = valueAt(question.root, "imported.from");
    const bool isOfAnswer = where.starts_with(question.file + ":") && from != nullptr &&
                            !from->text().value_or("").ends_with(question.file);
    return isOfAnswer ? std::string() : where;
}

/// How many values a document has from one place.
std::size_t valuesFrom(const JsonValue& value, const std::string& where) {
    if (!value.is(JsonValue::Kind::Object)) {
        return value.where() == where ? 1 : 0;
    }
    std::size_t count = 0;
    for (const JsonValue& member : value.members()) {
        count += member.name() == "imported" ? 0 : valuesFrom(member, where);
    }
    return count;
}

/// A key of a file from which several things follow has an effect where one of them has.
void leaveWholeKeys(const Question& question, std::vector<StatedSetting>& idle) {
    const std::vector<StatedSetting> all = idle;
    std::erase_if(idle, [&](const StatedSetting& one) {
        const auto same = std::ranges::count(all, one.where, &StatedSetting::where);
        return !one.where.empty() &&
               valuesFrom(question.root, one.where) > static_cast<std::size_t>(same);
    });
}

std::vector<StatedSetting> statedSettings(const Question& question) {
    const bool isImported = question.root.find("imported") != nullptr;
    std::vector<StatedSetting> stated;
    for (const SettingHelp& help : describeSettings()) {
        const auto value = saidValue(question, help.path);
        const bool isTyped =
            std::ranges::find(question.edits, help.path, &Edit::path) != question.edits.end();
        const bool isOfFile = isImported && !isTyped;
        const std::string where = isOfFile ? placeInFile(question, help) : "";
        if (value && (!isOfFile || !where.empty())) {
            stated.push_back({.key = help.path, .value = *value, .where = where});
        }
    }
    return stated;
}

Result<LoadedScenario> loadedWith(const Question& question,
                                  const std::string& key,
                                  const std::string& value,
                                  const Workbench& bench) {
    const Edit edit{key, value, "--set"};
    FABRICAST_ASSIGN(const Question changed, with(question, {&edit, 1}));
    return loadScenario(changed.root, bench.profiles(), changed.folders);
}

/// Of what the stack has no option for: it was left as it is, not as it was stated.
bool isPutBack(const StatedSetting& stated, const Settings& settings) {
    const Edit edit{stated.key, stated.value, "--set"};
    Question nothing;
    nothing.root = JsonBuilder(stated.key).object();
    const Result<Question> alone = with(std::move(nothing), {&edit, 1});
    const JsonValue* const group = alone ? alone->root.find("settings") : nullptr;
    const Result<Settings> asStated = group == nullptr ? settings : applySettings(*group, settings);
    return asStated && *asStated != settings;
}

/// Of a switch that the stack leaves as it was stated, because it has none.
bool lacksSwitch(const Question& question, const StatedSetting& stated, const Workbench& bench) {
    const bool isOn = stated.value == "true";
    if (question.isAnswer || !stated.where.empty() || (!isOn && stated.value != "false")) {
        return false;
    }
    const auto other = loadedWith(question, stated.key, isOn ? "false" : "true", bench);
    return !other && other.error().code == Error::Code::Unsupported &&
           other.error().where.find(stated.key) != std::string::npos;
}

Result<bool> isIdle(const StatedSetting& stated,
                    const Question& question,
                    Forecast& forecast,
                    const Workbench& bench,
                    const Watch& watch) {
    const Result<LoadedScenario> without = loadedWith(question, stated.key, "null", bench);
    FABRICAST_TRY(watch.check());
    if (!without) {
        return false;
    }
    const Settings& settings = forecast.scenario().settings;
    if (without->scenario.settings == settings) {
        return isPutBack(stated, settings) || lacksSwitch(question, stated, bench);
    }
    const bool same = forecast.isThatOf(without->scenario);
    FABRICAST_TRY(watch.check());
    return same;
}

/// Those of `stated` that are idle in this question too.
Result<std::vector<StatedSetting>> idleOf(const std::vector<StatedSetting>& stated,
                                          const Question& question,
                                          const Workbench& bench,
                                          const Watch& watch) {
    const Result<LoadedScenario> loaded =
        loadScenario(question.root, bench.profiles(), question.folders);
    if (!loaded) {
        return std::vector<StatedSetting>();
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    Forecast forecast(loaded->scenario, *timing, watch);
    const auto found = parallelMap(
        std::span<const StatedSetting>(stated),
        [&](const StatedSetting& one) { return isIdle(one, question, forecast, bench, watch); },
        {.threads = bench.threads()});
    std::vector<StatedSetting> idle;
    for (std::size_t i = 0; i < stated.size(); ++i) {
        FABRICAST_ASSIGN(const bool isOne, (*found)[i]);
        if (isOne) {
            idle.push_back(stated[i]);
        }
    }
    return idle;
}

}  // namespace

Result<std::string> idleSettings(std::span<const Question> questions,
                                 const Workbench& bench,
                                 const Watch& watch) {
    std::vector<StatedSetting> idle =
        questions.empty() ? std::vector<StatedSetting>() : statedSettings(questions.front());
    for (const Question& question : questions) {
        if (!idle.empty()) {
            FABRICAST_ASSIGN(idle, idleOf(idle, question, bench, watch));
        }
    }
    if (!idle.empty()) {
        leaveWholeKeys(questions.front(), idle);
    }
    std::string names;
    for (const StatedSetting& one : idle) {
        names += (names.empty() ? "" : ", ") + one.key + "=" + one.value +
                 (one.where.empty() ? "" : " (" + one.where + ")");
    }
    return names;
}

Result<std::vector<std::string>> idlePricesNote(const Question& question, const Workbench& bench) {
    FABRICAST_ASSIGN(const BudgetFacts budget,
                     loadBudget(question.root, bench.profiles(), question.folders));
    std::string names;
    for (const char* const path : {"price.years", "price.utilisation"}) {
        const JsonValue* const said = valueAt(question.root, path);
        if (said != nullptr && budget.kind != PriceKind::Owned) {
            names += (names.empty() ? "" : ", ") + std::string(path) + "=" + said->shown();
        }
    }
    return names.empty()
               ? std::vector<std::string>()
               : std::vector<std::string>{idleNote(names) + " (--price-kind owned uses it)"};
}

std::string idleNote(const std::string& names) {
    return "no effect here: " + names;
}

Result<std::vector<std::string>> idleSettingsNote(std::span<const Question> questions,
                                                  const Workbench& bench,
                                                  const Watch& watch) {
    FABRICAST_ASSIGN(const std::string names, idleSettings(questions, bench, watch));
    return names.empty() ? std::vector<std::string>() : std::vector<std::string>{idleNote(names)};
}

}  // namespace fabricast
