#include "cli/command.h"
#include "cli/faster_change.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "cli/state_terms.h"
#include "planner/budget/cost_of.h"
#include "planner/budget/gpu_hour.h"
#include "planner/io/explain_json.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_scenario.h"
#include "planner/load/load_timing.h"
#include "planner/memory/estimate_memory.h"
#include "planner/report/comm_report.h"
#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/sensitivity_report.h"
#include "planner/report/time_report.h"
#include "planner/stack/stack.h"
#include "planner/whatif/sensitivity.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

enum class Section { Memory, Time, Comm, Cost, All };
using Said = std::optional<Section>;
constexpr std::array kSections = {Choice<Said>{"memory", Section::Memory},
                                  Choice<Said>{"time", Section::Time},
                                  Choice<Said>{"comm", Section::Comm},
                                  Choice<Said>{"cost", Section::Cost},
                                  Choice<Said>{"all", Section::All}};

struct ExplainFlags {
    ScenarioFlags scenario;
    Said section;
    std::vector<std::string> why;
    bool sensitivity = false;

    /// As said; else what the formulas are about.
    [[nodiscard]] Section shown() const {
        const auto allAre = [this](bool (*isOne)(std::string_view)) {
            return !why.empty() && std::ranges::all_of(why, isOne);
        };
        const Section asked = allAre(&isCostKey)   ? Section::Cost
                              : allAre(&isStepKey) ? Section::Time
                                                   : Section::Memory;
        return section.value_or(asked);
    }
    [[nodiscard]] bool shows(Section one) const {
        const bool onlySensitivity = sensitivity && !section;
        return !onlySensitivity && (shown() == one || shown() == Section::All);
    }
    [[nodiscard]] bool needsMemory() const {
        return shows(Section::Memory) || !std::ranges::all_of(why, &isStepKey);
    }
    [[nodiscard]] bool needsStep() const {
        return sensitivity || shows(Section::Time) || shows(Section::Comm) || needsCost() ||
               std::ranges::any_of(why, &isStepKey);
    }
    [[nodiscard]] bool needsCost() const {
        return shows(Section::Cost) || std::ranges::any_of(why, &isCostKey);
    }

private:
    /// What follows from the step's time, not from its memory.
    static bool isStepKey(std::string_view key) { return isTimeKey(key) || isCostKey(key); }
};

Result<MemoryBreakdown> memoryOf(const Scenario& scenario) {
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const auto allowed = [stack](const Scenario& changed) {
        return stack->check(changed).has_value();
    };
    return estimateMemory(scenario, allowed);
}

/// The step, and what would make it shorter where its parts are shown.
Result<void> addStep(const ScenarioSource& source, bool sensitivity, Explanation& answer) {
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(source.profiles));
    FABRICAST_ASSIGN(answer.step, estimateStep(answer.scenario, timing));
    if (answer.showsTime) {
        answer.faster = fasterChange(source, timing, answer.scenario, *answer.step);
    }
    if (sensitivity) {
        FABRICAST_ASSIGN(answer.sensitivity, sensitivityOf({answer.scenario, timing}));
    }
    return {};
}

Result<void> addCost(const ScenarioSource& source, Explanation& answer) {
    FABRICAST_ASSIGN(const BudgetFacts facts,
                     loadBudget(source.root, source.profiles, source.folders));
    const Scenario& scenario = answer.scenario;
    answer.cost = costOf(scenario, costedStep(scenario, *answer.step), facts);
    answer.basis = costBasis(scenario.cluster.node.gpu.name, scenario.layout.world(), facts);
    return {};
}

Result<Explanation> explained(const ExplainFlags& asked, const GlobalOptions& options) {
    const ScenarioFlags& flags = asked.scenario;
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(flags, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file = flags.file ? options.at(*flags.file) : "";
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(LoadedScenario loaded, loadScenario(root, profiles, folders));
    Explanation answer{.scenario = std::move(loaded.scenario),
                       .showsTime = asked.shows(Section::Time),
                       .showsComm = asked.shows(Section::Comm),
                       .showsCost = asked.shows(Section::Cost)};
    if (asked.needsMemory()) {
        Result<MemoryBreakdown> memory = memoryOf(answer.scenario);
        if (!memory) {
            return tl::unexpected(located(std::move(memory).error(), root));
        }
        answer.memory = *std::move(memory);
    }
    if (asked.needsStep()) {
        Result<void> step = addStep({root, profiles, folders}, asked.sensitivity, answer);
        if (!step) {
            return tl::unexpected(located(std::move(step).error(), root));
        }
    }
    if (asked.needsCost()) {
        FABRICAST_TRY(addCost({root, profiles, folders}, answer));
    }
    std::vector<std::string>& notes = answer.memory ? answer.memory->notes : answer.step->notes;
    notes.insert(notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    return answer;
}

std::string typedAgain(const ExplainFlags& flags, const GlobalOptions& options) {
    std::string typed = "fabricast explain" + flags.scenario.typed();
    for (const std::string& set : options.sets) {
        typed += " --set " + shellWord(set);
    }
    return typed;
}

/// What to ask next: the faster change, or the formula of what takes most memory.
std::string nextCommand(const Explanation& answer,
                        const ExplainFlags& flags,
                        const GlobalOptions& options) {
    const std::string typed = typedAgain(flags, options);
    if (answer.faster) {
        return "\nfaster: " + fasterText(*answer.step, *answer.faster) + "\nnext: " + typed +
               " --set " + answer.faster->set + " --section time\n";
    }
    if (flags.shown() == Section::Cost) {
        return "\nnext: " + typed +
               (answer.basis.tokens ? " --why cost.goodput\n" : " --section cost --tokens 1T\n");
    }
    const std::string largest = answer.memory ? largestTerm(*answer.memory) : "time.step";
    return largest.empty() ? "" : "\nnext: " + typed + " --why " + largest + "\n";
}

std::string joined(const std::vector<std::string>& sections) {
    std::string text;
    for (const std::string& section : sections) {
        text += (text.empty() ? "" : "\n") + section;
    }
    return text;
}

/// The sections as text, one under the other.
std::string textOf(const Explanation& answer,
                   const ExplainFlags& flags,
                   const GlobalOptions& options) {
    std::vector<std::string> sections;
    const auto subject = [&sections] { return sections.empty() ? Subject::Said : Subject::Left; };
    if (answer.memory) {
        const std::string formulas =
            options.verbose ? "\n" + memoryFormulas(*answer.memory) : std::string();
        sections.push_back(memoryText(answer.scenario, *answer.memory) + formulas);
    }
    if (answer.step && answer.showsTime) {
        sections.push_back(timeText(answer.scenario, *answer.step, subject()));
    }
    if (answer.step && answer.showsComm) {
        sections.push_back(commText(answer.scenario, *answer.step, options.verbose, subject()));
    }
    if (answer.cost && answer.showsCost) {
        sections.push_back(costText(answer.scenario, *answer.cost, answer.basis, subject()));
    }
    if (answer.sensitivity) {
        sections.push_back(sensitivityText(*answer.sensitivity));
    }
    return joined(sections) + (options.quiet ? "" : nextCommand(answer, flags, options));
}

std::string markdownOf(const Explanation& answer) {
    std::vector<std::string> sections;
    if (answer.memory) {
        sections.push_back(memoryMarkdown(answer.scenario, *answer.memory));
    }
    if (answer.step && answer.showsTime) {
        sections.push_back(timeMarkdown(answer.scenario, *answer.step));
    }
    if (answer.step && answer.showsComm) {
        sections.push_back(commMarkdown(answer.scenario, *answer.step));
    }
    if (answer.cost && answer.showsCost) {
        sections.push_back(costMarkdown(answer.scenario, *answer.cost, answer.basis));
    }
    if (answer.sensitivity) {
        sections.push_back(sensitivityMarkdown(*answer.sensitivity));
    }
    return joined(sections);
}

Result<std::string> csvOf(const Explanation& answer, const ExplainFlags& flags) {
    if (answer.sensitivity && !flags.section) {
        return sensitivityCsv(*answer.sensitivity);
    }
    switch (flags.shown()) {
        case Section::Memory:
            return memoryCsv(*answer.memory);
        case Section::Time:
            return timeCsv(*answer.step);
        case Section::Comm:
            return commCsv(answer.scenario, *answer.step);
        case Section::Cost:
            return costCsv(*answer.cost);
        case Section::All:
            break;
    }
    return fail(Error::Code::BadInput,
                "--section",
                "csv holds one table",
                "--section memory, time, comm or cost; or --format json for all");
}

Result<std::string> rendered(const Explanation& answer,
                             const ExplainFlags& flags,
                             const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return explainJson(answer, FABRICAST_VERSION);
        case Format::Csv:
            return csvOf(answer, flags);
        case Format::Markdown:
            return markdownOf(answer);
        case Format::Text:
            break;
    }
    return textOf(answer, flags, options);
}

Result<std::string> formulaOf(const Explanation& answer, const std::string& key) {
    if (isCostKey(key)) {
        return costWhy(answer.scenario, answer.step->step, *answer.cost, answer.basis, key);
    }
    return isTimeKey(key) ? timeWhy(answer.scenario, *answer.step, key)
                          : memoryWhy(*answer.memory, key);
}

/// The formulas that --why asks for.
Result<std::string> formulasOf(Explanation& answer, const std::vector<std::string>& keys) {
    if (answer.memory && !keys.empty()) {
        addStateTerms(answer.scenario, *answer.memory);
    }
    std::string formulas;
    for (const std::string& key : keys) {
        FABRICAST_ASSIGN(const std::string formula, formulaOf(answer, key));
        formulas += formula;
    }
    return formulas;
}

Result<Answer> runExplain(const ExplainFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(Explanation answer, explained(flags, options));
    FABRICAST_ASSIGN(std::string formulas, formulasOf(answer, flags.why));
    if (options.quiet && options.format != Format::Json) {
        (answer.memory ? answer.memory->notes : answer.step->notes).clear();
    }
    const bool tooBig = answer.memory && answer.memory->verdict == Verdict::DoesNotFit;
    const ExitCode code = tooBig ? ExitCode::DoesNotFit : ExitCode::Ok;
    if (!formulas.empty() && options.format == Format::Text) {
        return Answer{.text = std::move(formulas), .code = code};
    }
    FABRICAST_ASSIGN(std::string text, rendered(answer, flags, options));
    return Answer{.text = std::move(text), .code = code};
}

}  // namespace

Command explainCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app =
        program.add_subcommand("explain", "What a layout needs in memory, time and money, and why");
    const auto flags = std::make_shared<ExplainFlags>();
    app->footer(
        "examples:\n"
        "  fabricast explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192\n"
        "  fabricast explain run.json -n 4 --layout tp=8 --why activations\n"
        "  fabricast explain run.json --section time\n"
        "  fabricast explain run.json --section comm --format csv\n"
        "  fabricast explain run.json --section cost --tokens 15T --price market-2026-05\n"
        "Exits with 1 when memory is asked for and it does not fit (--no-fail: with 0).");
    addScenarioFlags(*app, flags->scenario);
    addChoice<Said>(*app, "--section", flags->section, kSections)
        ->description("what to explain: memory (if not said), time, comm, cost, all")
        ->option_text("NAME");
    app->add_flag("--sensitivity", flags->sensitivity, "what would make the step shorter");
    app->add_option("--why", flags->why, "the formula behind a number: activations, time.gemm, …")
        ->option_text("KEY")
        ->allow_extra_args(false);
    return {app, [flags, &options] { return runExplain(*flags, options); }};
}

}  // namespace fabricast
