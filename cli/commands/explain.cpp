#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "cli/state_terms.h"
#include "planner/io/memory_json.h"
#include "planner/io/profile_store.h"
#include "planner/load/load_scenario.h"
#include "planner/memory/estimate_memory.h"
#include "planner/report/memory_report.h"
#include "planner/stack/stack.h"

#include <array>
#include <filesystem>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

enum class Section { Memory };
constexpr std::array kSections = {Choice<Section>{"memory", Section::Memory}};

struct ExplainFlags {
    ScenarioFlags scenario;
    Section section = Section::Memory;
    std::vector<std::string> why;
};

struct Explained {
    Scenario scenario;
    MemoryBreakdown memory;
};

Result<Explained> explained(const ScenarioFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(flags, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file = flags.file ? options.at(*flags.file) : "";
    FABRICAST_ASSIGN(
        LoadedScenario loaded,
        loadScenario(
            root, profiles, {.file = file.parent_path().string(), .typed = options.directory}));
    FABRICAST_ASSIGN(const Stack* stack, findStack(loaded.scenario.stack));
    const auto allowed = [stack](const Scenario& changed) {
        return stack->check(changed).has_value();
    };
    Result<MemoryBreakdown> memory = estimateMemory(loaded.scenario, allowed);
    if (!memory) {
        return tl::unexpected(located(std::move(memory).error(), root));
    }
    memory->notes.insert(memory->notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    return Explained{std::move(loaded.scenario), *std::move(memory)};
}

/// Asks for the formula of what takes most.
std::string nextCommand(const ExplainFlags& flags,
                        const GlobalOptions& options,
                        const MemoryBreakdown& memory) {
    const std::string largest = largestTerm(memory);
    if (largest.empty()) {
        return "";
    }
    std::string typed = flags.scenario.typed();
    for (const std::string& set : options.sets) {
        typed += " --set " + shellWord(set);
    }
    return "\nnext: fabricast explain" + typed + " --why " + largest + "\n";
}

std::string rendered(const Explained& answer,
                     const ExplainFlags& flags,
                     const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return memoryJson(answer.scenario, answer.memory, FABRICAST_VERSION);
        case Format::Csv:
            return memoryCsv(answer.memory);
        case Format::Markdown:
            return memoryMarkdown(answer.scenario, answer.memory);
        case Format::Text:
            break;
    }
    const std::string formulas =
        options.verbose ? "\n" + memoryFormulas(answer.memory) : std::string();
    const std::string next = options.quiet ? "" : nextCommand(flags, options, answer.memory);
    return memoryText(answer.scenario, answer.memory) + formulas + next;
}

Result<Answer> runExplain(const ExplainFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(Explained answer, explained(flags.scenario, options));
    if (!flags.why.empty()) {
        addStateTerms(answer.scenario, answer.memory);
    }
    if (options.quiet && options.format != Format::Json) {
        answer.memory.notes.clear();
    }
    const ExitCode code =
        answer.memory.verdict == Verdict::DoesNotFit ? ExitCode::DoesNotFit : ExitCode::Ok;
    std::string formulas;
    for (const std::string& key : flags.why) {
        FABRICAST_ASSIGN(const std::string formula, memoryWhy(answer.memory, key));
        formulas += formula;
    }
    const bool formulasOnly = !formulas.empty() && options.format == Format::Text;
    return Answer{.text = formulasOnly ? std::move(formulas) : rendered(answer, flags, options),
                  .code = code};
}

}  // namespace

Command explainCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand("explain", "What a layout needs in memory, and why");
    const auto flags = std::make_shared<ExplainFlags>();
    app->footer(
        "examples:\n"
        "  fabricast explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192\n"
        "  fabricast explain run.json -n 4 --layout tp=8 --why activations\n"
        "Exits with 1 when it does not fit (--no-fail: with 0).");
    addScenarioFlags(*app, flags->scenario);
    addChoice<Section>(*app, "--section", flags->section, kSections)
        ->description("what to explain: memory")
        ->option_text("NAME");
    app->add_option("--why", flags->why, "the formula behind a number: activations, optimizer, …")
        ->option_text("KEY")
        ->allow_extra_args(false);
    return {app, [flags, &options] { return runExplain(*flags, options); }};
}

}  // namespace fabricast
