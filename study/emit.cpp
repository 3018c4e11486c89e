#include "study/emit.h"

#include "planner/base/words.h"
#include "planner/launch/launch_targets.h"
#include "planner/load/load_question.h"
#include "planner/load/measured_notes.h"
#include "planner/report/memory_report.h"
#include "planner/report/subject_words.h"
#include "planner/stack/plain_layout.h"
#include "planner/stack/stack.h"
#include "planner/text/shell_text.h"
#include "study/asked_file.h"
#include "study/check_emitted.h"
#include "study/explain.h"
#include "study/launch_lint.h"
#include "study/named_config.h"
#include "study/nccl_tuner.h"
#include "study/saved_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

std::string forecastLine(const Explanation& forecast) {
    if (!forecast.memory && !forecast.step) {
        return "Forecast: none: " + forecast.whyNoVerdict;
    }
    const Bytes gib(std::int64_t{1} << 30);
    std::string line = "Forecast: memory not modelled (" + forecast.whyNoVerdict + ")";
    if (forecast.memory) {
        const MemoryBreakdown& memory = *forecast.memory;
        line = fmt::format("Forecast: {} ({:.1f} of {:.1f} GiB)",
                           verdictWord(memory.verdict),
                           memory.peak.value / gib,
                           memory.room() / gib);
    }
    if (forecast.step) {
        line += fmt::format(", {:.3f} s a step, {:.0f} tokens/s",
                            forecast.step->step.value.count(),
                            forecast.step->tokensPerSecond);
        const std::string measured = leanedOn(forecast.step->notes);
        line += measured.empty() ? "" : "; measured: " + measured;
    }
    return line;
}

/// As much of the forecast as is modelled: a layout that the framework has can be started anyway.
Result<Explanation> forecastOf(const Question& question,
                               const Workbench& bench,
                               const Watch& watch) {
    Result<Explanation> whole = explain(question, {.memory = true, .step = true}, bench, watch);
    if (whole || whole.error().code != Error::Code::Unsupported) {
        return whole;
    }
    Result<Explanation> memory = explain(question, {.memory = true}, bench, watch);
    if (memory || memory.error().code != Error::Code::Unsupported) {
        return memory;
    }
    Result<Explanation> step = explain(question, {.memory = false, .step = true}, bench, watch);
    if (step || step.error().code != Error::Code::Unsupported) {
        return step;
    }
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    Explanation none{.scenario = std::move(loaded.scenario)};
    none.whyNoVerdict = memory.error().why;
    return none;
}

/// How often the files save, as their first lines say it; nothing where they do not.
std::vector<std::string> savingLines(const std::optional<SavedStates>& saved) {
    if (!saved) {
        return {};
    }
    const std::string held =
        saved->heldSteps > 0 ? ", copies in memory every " + std::to_string(saved->heldSteps) : "";
    return {"Saves: every " + std::to_string(saved->steps) + " steps, " +
            (saved->inBackground ? "in the background" : "waiting for storage") + held};
}

/// What joins sites is set up around the files that are written: hierarchical collectives, or what
/// steps the outer optimizer.
Result<void> checkOneSite(const ClusterSpec& cluster) {
    if (cluster.sites.count == 1) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "cluster.sites",
                "launch files for several sites are not written",
                "the files of one site: without --sites, with its nodes");
}

/// The files train by next tokens: with a reference model, a run of other losses is asked for.
Result<void> checkNoReference(const Settings& settings) {
    if (settings.reference == Reference::None) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "settings.reference",
                "launch files of training with a reference model (DPO, GRPO) are not written",
                "Axolotl's `rl: dpo` or TRL's DPOTrainer, by hand; --set settings.reference=none "
                "writes the files of plain training");
}

/// Of the optimizer in the whole run, where it says its tokens.
Result<std::optional<std::int64_t>> stepsAsked(const Question& question,
                                               const Scenario& scenario,
                                               const Workbench& bench) {
    if (!says(question, "workload.tokens")) {
        return std::optional<std::int64_t>();
    }
    FABRICAST_ASSIGN(const BudgetFacts facts,
                     loadBudget(question.root, bench.profiles(), question.folders));
    if (!facts.length) {
        return std::optional<std::int64_t>();
    }
    constexpr double kMostSteps = 999'999'999.0;
    const double each = static_cast<double>(scenario.workload.globalBatch) *
                        static_cast<double>(scenario.workload.sequence);
    const auto tokens = static_cast<double>(facts.length->tokens(scenario.workload).count());
    return std::optional(
        static_cast<std::int64_t>(std::clamp(std::ceil(tokens / each), 1.0, kMostSteps)));
}

/// The files with what the question's own file says in its own words, whose first lines say what
/// of it they leave behind; so do the keys that they do not say.
Result<void> keepOwnWords(Emitted& emitted,
                          const LaunchTarget& target,
                          LaunchFacts& facts,
                          const std::vector<OwnLines>& own,
                          const AskedFile& asked,
                          const Question& question) {
    LaunchFiles& launch = emitted.launch;
    launch.files = withOwnLines(std::move(launch.files), own);
    std::vector<std::string> left = leftBehind(asked, launch.files);
    std::erase_if(left, [&own](const std::string& name) {
        return std::ranges::any_of(own, [&name](const OwnLines& one) {
            const KeyLines& key = one.key;
            return name == (key.section.empty() ? key.key : key.section + "." + key.key);
        });
    });
    if (asked.hasOtherKeys) {
        left.emplace_back(
            "data, learning rate, steps and whatever else NeMo's or Bridge's keys say");
    }
    const std::string names = joined(left, ", ");
    if (names.empty()) {
        return {};
    }
    facts.about.push_back("Not carried over from " + question.file + ": " + names);
    FABRICAST_ASSIGN(LaunchFiles said, launchFiles(target, facts));
    launch.files = withOwnLines(std::move(said.files), own);
    launch.untold.push_back("what was not carried over from " + question.file + ": " + names);
    return {};
}

/// What the files start otherwise than the plan, as they are read back: their framework cannot be
/// told it, and they say so.
Result<void> sayDifferences(Emitted& emitted,
                            const LaunchTarget& target,
                            LaunchFacts facts,
                            const std::vector<OwnLines>& own,
                            const Question& question,
                            const Workbench& bench) {
    const std::vector<std::string> differs = checkEmitted(emitted, question, bench).differs;
    if (differs.empty()) {
        return {};
    }
    for (const std::string& one : differs) {
        facts.about.push_back("Other than the plan: " + one);
    }
    FABRICAST_ASSIGN(LaunchFiles said, launchFiles(target, facts));
    emitted.launch.files = withOwnLines(std::move(said.files), own);
    emitted.launch.untold.insert(emitted.launch.untold.end(), differs.begin(), differs.end());
    return {};
}

/// More GPUs are in no host: a rack of NVL72 is one of 18.
constexpr std::int64_t kMostOfAHost = 16;

/// Whether any file has the weights that are asked for; nothing asked is nothing lost.
bool namesWeights(const LaunchFiles& launch, const std::string& weights) {
    return weights.empty() || std::ranges::any_of(launch.files, [&weights](const LaunchFile& file) {
               const std::size_t comments = file.text.rfind("#   fabricast emit ");
               const std::size_t begin =
                   comments == std::string::npos ? 0 : file.text.find('\n', comments);
               return file.text.find(weights, std::min(begin, file.text.size())) !=
                      std::string::npos;
           });
}

std::string typedFlags(const EmitAsk& ask) {
    std::string text = ask.target.empty() ? "" : " --target " + ask.target;
    text += ask.version.empty() ? "" : " --framework-version " + ask.version;
    text += ask.loadFrom.empty() ? "" : " --load-from " + shellWord(ask.loadFrom);
    text += ask.ncclTuner ? " --nccl-tuner" : "";
    text += ask.launcher == Launcher::Slurm        ? " --launcher slurm"
            : ask.launcher == Launcher::Kubernetes ? " --launcher kubernetes"
                                                   : "";
    return text;
}

}  // namespace

Result<Question> withStackOf(const std::string& target, Question question) {
    const auto known = launchTargets();
    const auto found = std::ranges::find(known, target, &LaunchTarget::name);
    if (found == known.end() || question.root.find("stack") != nullptr) {
        return question;
    }
    const std::array edits{Edit{"stack", std::string(found->stack), "--target"}};
    return with(std::move(question), edits);
}

Result<Emitted> emit(const Question& question,
                     const EmitAsk& ask,
                     const Workbench& bench,
                     const Watch& watch) {
    FABRICAST_ASSIGN(Explanation forecast, forecastOf(question, bench, watch));
    const Scenario& scenario = forecast.scenario;
    FABRICAST_TRY(checkOneSite(scenario.cluster));
    FABRICAST_TRY(checkNoReference(scenario.settings));
    FABRICAST_ASSIGN(const LaunchTarget* target, findLaunchTarget(scenario.stack, ask.target));
    const std::string version = ask.version.empty() ? usualRelease(*target, scenario) : ask.version;
    FABRICAST_ASSIGN(const std::optional<std::int64_t> steps,
                     stepsAsked(question, scenario, bench));
    FABRICAST_ASSIGN(std::optional<SavedStates> saved,
                     savedStates(question, forecast, savingOf(*target, scenario.layout), bench));
    FABRICAST_ASSIGN(
        std::string tuner,
        ask.ncclTuner ? ncclTunerTable(scenario, bench) : Result<std::string>(std::string()));
    if (saved && steps) {  // it saves once, at the least
        saved->steps = std::min(saved->steps, *steps);
        saved->heldSteps = std::min(saved->heldSteps, *steps);
    }
    const AskedFile asked = askedFile(question);
    const NamedConfig known = namedConfig(question, bench);
    const bool isKnown = ask.loadFrom.empty() || ask.loadFrom == known.weights;
    Scenario written = scenario;
    written.layout = plainLayout(scenario);
    LaunchFacts facts{.scenario = written,
                      .version = version,
                      .loadFrom = isKnown ? known.weights : ask.loadFrom,
                      .about = {subjectText(scenario),
                                forecastLine(forecast),
                                "Made for " + std::string(target->name) + " " + version + " by " +
                                    ask.madeBy + ":",
                                "  fabricast emit " + typed(question) + typedFlags(ask)},
                      .launcher = ask.launcher,
                      .saved = saved,
                      .loads = !ask.loadFrom.empty(),
                      .packed = isKnown ? known.text({"quantization_config", "quant_method"}) : "",
                      .tunerTable = std::move(tuner),
                      .steps = steps,
                      .rotaryBase = isKnown ? known.number("rope_theta") : std::nullopt,
                      .loraAlpha = asked.loraAlpha};
    for (std::string& line : savingLines(saved)) {
        facts.about.insert(facts.about.begin() + 2, std::move(line));
    }
    FABRICAST_ASSIGN(LaunchFiles files, launchFiles(*target, facts));
    if (std::string respelled = respelledLayout(scenario); !respelled.empty()) {
        files.untold.push_back(std::move(respelled));
    }
    if (scenario.cluster.node.gpus > kMostOfAHost) {
        files.untold.push_back(
            "the hosts of a rack: " + std::to_string(scenario.cluster.node.gpus) +
            " GPUs of a node here are those of several, each of which starts its "
            "own: their nodes and ranks are yours to set");
    }
    if (facts.loadFrom.starts_with("./") || facts.loadFrom.starts_with("../")) {
        files.untold.push_back("where " + facts.loadFrom +
                               " is: a path in the files starts at their own folder");
    }
    if (const bool isNamed = namesWeights(files, ask.loadFrom); !isNamed) {
        files.untold.push_back("the weights of " + ask.loadFrom + ": " + std::string(target->name) +
                               " loads a checkpoint of its own format, which is yours to convert");
    }
    Emitted emitted{.forecast = std::move(forecast),
                    .target = std::string(target->name),
                    .version = version,
                    .launch = std::move(files),
                    .saved = saved};
    const std::vector<OwnLines> own = ownLines(emitted, asked, question, bench);
    FABRICAST_TRY(keepOwnWords(emitted, *target, facts, own, asked, question));
    FABRICAST_TRY(sayDifferences(emitted, *target, facts, own, question, bench));
    FABRICAST_TRY(checkStarts(emitted));
    return emitted;
}

}  // namespace fabricast
