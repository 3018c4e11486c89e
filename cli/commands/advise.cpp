#include "planner/advise/advise.h"

#include "cli/advice_families.h"
#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "cli/typed_layout.h"
#include "planner/base/parallel_map.h"
#include "planner/io/advice_json.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_timing.h"
#include "planner/report/advice_report.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostUsd = 1'000'000'000'000;

struct AdviseFlags {
    ScenarioFlags scenario;
    std::int64_t maxUsd = 0;  ///< 0: not said
};

Result<Advice> advised(const AdviseFlags& flags, const GlobalOptions& options) {
    const ScenarioFlags& said = flags.scenario;
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(said, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file = said.file ? options.at(*said.file) : "";
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(LoadedAdvice loaded, loadAdvice(root, profiles, folders));
    AdviceTask task{.base = std::move(loaded.base), .families = std::move(loaded.families)};
    FABRICAST_ASSIGN(task.budget, loadBudget(root, profiles, folders));
    if (flags.maxUsd > 0) {
        if (!task.budget.tokens) {
            return fail(Error::Code::BadInput,
                        "--max-usd",
                        "is of the whole run, and nobody has said how many tokens that has",
                        "--tokens 1T");
        }
        task.most = Usd(static_cast<double>(flags.maxUsd));
    }
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(profiles));
    const std::size_t threads =
        options.threads > 0 ? static_cast<std::size_t>(options.threads) : threadsOfMachine();
    FABRICAST_ASSIGN(Advice advice, adviseOn(task, timing, threads));
    advice.notes = std::move(loaded.assumed);
    return advice;
}

/// Everything about the layout that is advised; where there is none, those that come nearest.
std::string nextCommand(const AdviseFlags& flags,
                        const GlobalOptions& options,
                        const Advice& advice) {
    ScenarioFlags said = flags.scenario;
    const AdviceStep* step = advice.recommended ? &advice.steps[*advice.recommended] : nullptr;
    std::string set;
    if (step != nullptr) {
        said.stack = step->plan->scenario.stack;
        said.layout = typedLayout(step->plan->scenario);
        set = step->set.empty() ? "" : " --set " + step->set;
    }
    std::string typed = said.typed() + set;
    for (const std::string& one : options.sets) {
        typed += " --set " + shellWord(one);
    }
    if (step == nullptr) {
        return "\nnext: fabricast plan" + typed + " --objective memory\n";
    }
    return "\nnext: fabricast explain" + typed + " --section all\n";
}

Result<Answer> runAdvise(const AdviseFlags& flags, const GlobalOptions& options) {
    if (options.format == Format::Csv) {
        return fail(Error::Code::BadInput,
                    "--format",
                    "advice is no one table",
                    "--format text, md or json; fabricast plan --format csv");
    }
    FABRICAST_ASSIGN(const Advice advice, advised(flags, options));
    Answer answer{.code = advice.recommended ? ExitCode::Ok : ExitCode::DoesNotFit};
    if (options.format == Format::Json) {
        answer.text = adviceJson(advice, FABRICAST_VERSION);
    } else if (options.format == Format::Markdown) {
        answer.text = adviceMarkdown(advice);
    } else {
        answer.text =
            adviceText(advice) + (options.quiet ? "" : nextCommand(flags, options, advice));
    }
    return answer;
}

}  // namespace

Command adviseCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand("advise", "Which way to train, step by step, and why");
    const auto flags = std::make_shared<AdviseFlags>();
    app->footer(
        "examples:\n"
        "  fabricast advise -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64\n"
        "  fabricast advise run.json --tokens 1T --max-usd 200000\n"
        "Exits with 1 when nothing fits (--no-fail: with 0).");
    addScenarioFlags(*app, flags->scenario, {"--stack", "--layout"});
    addWhole(*app, "--max-usd", flags->maxUsd, {1, kMostUsd})
        ->description("what the run of --tokens may cost, in dollars")
        ->option_text("N")
        ->group("The budget");
    return {app, [flags, &options] { return runAdvise(*flags, options); }};
}

}  // namespace fabricast
