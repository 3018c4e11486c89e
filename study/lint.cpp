#include "study/lint.h"

#include "planner/launch/hugging_face.h"
#include "planner/launch/torchtune.h"
#include "planner/lint/lint.h"
#include "planner/load/asked_question.h"
#include "planner/load/find_named.h"
#include "planner/load/input_text.h"
#include "planner/report/subject_words.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/kernel_names.h"
#include "planner/text/json_builder.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "study/explain.h"
#include "study/launch_lint.h"
#include "study/named_config.h"
#include "study/oom.h"
#include "study/start_errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr OwnRule kNotThere = {"FL01",
                               LintSeverity::Error,
                               "a named file that cannot be read",
                               "The run ends where it looks for it."};

constexpr OwnRule kNotHere = {"FL05",
                              LintSeverity::Warning,
                              "a named file that this machine does not have",
                              "What it says is not looked at: the machine of the run may have it."};

constexpr OwnRule kNotRecognised = {"FL04",
                                    LintSeverity::Warning,
                                    "a named file that is not recognised",
                                    "What it says is not looked at."};

constexpr OwnRule kRefused = {"FL03",
                              LintSeverity::Warning,
                              "a file that is read, and not forecast",
                              "What it needs and how long it takes is not looked at."};

constexpr OwnRule kRefusedThere = {"FL06",
                                   LintSeverity::Error,
                                   "a file that its framework refuses",
                                   "The run ends at its start, or in its first step."};

constexpr OwnRule kNotRead = {"FL07",
                              LintSeverity::Note,
                              "a program that is not read",
                              "Only its arguments are looked at: what else it loads, casts or "
                              "freezes is not counted."};

constexpr OwnRule kNotLookedAt = {"FL02",
                                  LintSeverity::Warning,
                                  "a file that is not looked at",
                                  "What it starts is not known here, so nothing was looked for."};

/// A rule looks at the batch of DeepSpeed: the rest is forecast all the same.
Question withoutBatchRanks(Question question) {
    question.root = JsonBuilder::without(std::move(question.root), "imported.batch_ranks");
    return question;
}

LintFacts factsOfNode(const NodeSpec& node) {
    LintFacts facts{.gpusPerNode = node.gpus, .isBlackwell = node.gpu.family == "Blackwell"};
    if (const std::optional<int> capability = computeCapability(node.gpu)) {
        facts.capability = *capability;
    }
    return facts;
}

bool saysRanks(const Question& question) {
    return says(question, "cluster.nodes") || says(question, "cluster.gpus");
}

void takeModel(const ModelSpec& model, LintFacts& facts) {
    facts.layerClass = blockClassOf(model);
    facts.model = saidSizes(model, 1, 1);
    facts.positions = model.maxPositions;
}

/// What a model's own config says beside its shape. Those that rotate positions have no dropout
/// unless they say so: it is zero in transformers' classes of them.
void takeConfig(const Question& question,
                const ModelSpec& model,
                const Workbench& bench,
                LintFacts& facts) {
    const NamedConfig named = namedConfig(question, bench);
    if (!named.config || model.position != PositionKind::Rope) {
        return;
    }
    facts.rotaryBase = named.number("rope_theta");
    facts.dropout = named.number("attention_dropout").value_or(0.0);
}

/// Of a run that is refused: its cluster and its model, as far as they are named. No rule that
/// needs no forecast is to miss them.
LintFacts factsOfNamed(const Question& question, const Workbench& bench) {
    const Result<ScenarioRequest> request = readScenario(question.root);
    if (!request) {
        return {};
    }
    LintFacts facts;
    if (says(question, "cluster")) {
        const auto found = findCluster(request->cluster, bench.profiles(), question.folders);
        facts = found ? factsOfNode(found->cluster.node) : facts;
        facts.gpus =
            found && saysRanks(question) ? std::optional(found->cluster.gpus()) : facts.gpus;
    }
    if (const auto model = modelOf(*request, bench.profiles(), question.folders)) {
        takeModel(*model, facts);
        takeConfig(question, *model, bench, facts);
    }
    return facts;
}

LintFacts factsOf(const Question& question, const Explanation& forecast, const Workbench& bench) {
    const Scenario& scenario = forecast.scenario;
    LintFacts facts = factsOfNode(scenario.cluster.node);
    if (saysRanks(question)) {
        facts.gpus = scenario.cluster.gpus();
        facts.dataRanks = scenario.layout.dp;
    }
    takeModel(scenario.model, facts);
    takeConfig(question, scenario.model, bench, facts);
    const JsonValue* const model = question.root.find("model");
    const bool isNamed = model != nullptr && model->is(JsonValue::Kind::String);
    if (isNamed && scenario.model.position == PositionKind::Rope &&
        scenario.model.attention.kind == AttentionKind::Grouped) {
        constexpr double kAll = 100.0;
        facts.rotatedPercent = std::llround(kAll * rotatedShare(scenario.model));
    }
    if (forecast.step && forecast.step->parts.total() > 0.0) {
        const TimeByPart& parts = forecast.step->parts;
        facts.shardShare = parts.of(TimePart::Shard) / parts.total();
    }
    return facts;
}

/// Whether weights are sharded by FSDP1, which is forecast as FSDP2.
bool isFirstFsdp(const LintFile& file) {
    const bool isAxolotls = file.kind() == LaunchKind::Axolotl &&
                            (file.has("fsdp") || file.keys().has("fsdp_config")) &&
                            file.whole("fsdp_version", 1) != 2;
    const bool isAccelerates = file.kind() == LaunchKind::Accelerate &&
                               file.text("distributed_type") == "FSDP" &&
                               file.whole("fsdp_config.fsdp_version", 1) != 2;
    return isAxolotls || isAccelerates ||
           (file.kind() == LaunchKind::Trainer && file.has("--fsdp"));
}

/// "tensor_parallel_size: 1, 2 or 4" of the hint "tp=1, 2 or 4", where the file has a key for it at
/// the place of the error.
std::string hintInKeys(const Error& error, std::span<const LintFile> files) {
    const std::size_t equals = error.hint.find('=');
    // Of the key that is wrong, and a number: words of a scenario are no other file's.
    const bool isKey = equals != std::string::npos && equals + 1 < error.hint.size() &&
                       std::isdigit(static_cast<unsigned char>(error.hint[equals + 1])) != 0 &&
                       error.why.starts_with("layout." + error.hint.substr(0, equals) + ":");
    for (const LintFile& file : files) {
        const LaunchKeys& keys = file.keys();
        const auto at = std::ranges::find_if(keys.all(), [&](const LaunchKey& key) {
            return keys.where(key) == error.where && key.values.size() == 1;
        });
        if (!isKey || at == keys.all().end()) {
            continue;
        }
        const std::string source = at->file.empty() ? keys.source() : at->file;
        const std::string name = at->path.substr(at->path.rfind('.') + 1);
        const std::string values = error.hint.substr(equals + 1);
        return source.ends_with(".toml")    ? name + " = " + values
               : source.ends_with(".json")  ? "\"" + name + "\": " + values
               : at->path.starts_with("--") ? at->path + " " + values
               : source.ends_with(".py")    ? error.hint
                                            : name + ": " + values;
    }
    return error.hint;
}

/// What the import does not read, or what the framework refuses of a file that is read, at its
/// line. What a question lacks beside the file is only said.
void addRefusal(const Error& error,
                bool isRead,
                std::span<const LintFile> files,
                LintReport& report) {
    const bool isOfFile = std::ranges::any_of(report.reads, [&error](const std::string& file) {
        return error.where == file || error.where.starts_with(file + ":");
    });
    const bool isSaid = std::ranges::any_of(report.findings, [&error](const LintFinding& one) {
        return (one.where == error.where || one.what == error.why) &&
               (one.severity == LintSeverity::Error || one.code == kNotLookedAt.code);
    });
    if (!isOfFile || isSaid) {
        return;
    }
    const bool isOther = std::ranges::any_of(files, &isFirstFsdp);
    const bool isSaidThere =  // and does not follow from what nobody said
        std::ranges::find(report.reads, error.where) == report.reads.end();
    if (isRead && !isOther && isSaidThere && error.code == Error::Code::BadInput) {
        report.findings.push_back(
            findingOf(kRefusedThere, error.where, error.why, hintInKeys(error, files)));
    } else {
        report.findings.push_back(findingOf(
            kRefused,
            error.where,
            "not forecast" + std::string(isOther ? " (FSDP1 as FSDP2)" : "") + ": " + error.why,
            error.hint));
    }
}

/// Whether a name says where a file is on whatever machine runs it: from the root, by an address,
/// or by what only the shell knows there.
bool isOfAnotherMachine(const std::string& name) {
    constexpr std::string_view kTitans = "run_train.sh";  // beside its package, where it is cloned
    return name.substr(name.rfind('/') + 1) == kTitans || name.starts_with("/") ||
           name.find("://") != std::string::npos || name.find_first_of("$*?`") != std::string::npos;
}

/// A file that is named and cannot be read, at the key that names it. One that is there says why.
LintFinding unreadFinding(const LintFile& file, const std::string& folder) {
    const OpenedFile& opened = file.opened();
    const LaunchKey* const key = file.at(opened.namedBy);
    const std::string where = key == nullptr ? file.keys().source() : file.keys().where(*key);
    const std::string what = opened.namedBy + ": " + opened.notOpened;
    std::error_code trouble;
    const std::string path = pathFrom(folder, nameSeenFrom(folder, opened.names, nullptr));
    if (std::filesystem::exists(path, trouble)) {
        return findingOf(kNotRecognised,
                         where,
                         what,
                         "a file that " +
                             std::string(file.has(kTuneKey) ? "torchtune" : "its framework") +
                             " reads: it is there, and is not looked at");
    }
    return isOfAnotherMachine(opened.names)
               ? findingOf(kNotHere, where, what, "lint beside a copy of it: name one that is here")
               : findingOf(kNotThere,
                           where,
                           what,
                           "name one that is there; it was looked for beside " +
                               file.keys().source() + " and in the folders above");
}

/// What torchtune brings is there wherever it is installed: the import says how to copy it.
void addUnread(std::span<const LintFile> files,
               const std::string& folder,
               std::vector<LintFinding>& all) {
    for (const LintFile& one : files) {
        const std::string& program = one.opened().unreadProgram;
        if (!program.empty()) {
            all.push_back(findingOf(kNotRead,
                                    one.keys().where(*one.at("script")),
                                    program + " was not read: what it does with the model is not "
                                              "known",
                                    "lint where it is beside the script, or in a folder above"));
        }
        const std::string& why = one.opened().notOpened;
        const bool isFound = std::ranges::any_of(all, [&why](const LintFinding& found) {
            return found.severity == LintSeverity::Error && why.starts_with(found.where + ":");
        });
        if (!why.empty() && !isFound && !namesTunesOwnConfig(one.keys())) {
            all.push_back(unreadFinding(one, folder));
        }
    }
}

/// Arguments of a program that is of no framework, and that names none of their files. A script may
/// start another one that has them.
void addStranger(std::span<const LintFile> files, LintReport& report) {
    const LintFile& file = files.back();
    const bool isRefused = file.has(kTuneKey);  // by name
    if (file.kind() != LaunchKind::Script || !file.opened().names.empty() || isRefused) {
        return;
    }
    const LaunchKey* const script = file.at("script");
    const std::string name = script == nullptr ? "its program" : file.text("script");
    report.isNotLookedAt = true;
    report.findings.push_back(
        findingOf(kNotLookedAt,
                  script == nullptr ? file.keys().source() : file.keys().where(*script),
                  "not looked at: the framework of " + name + " is not known",
                  "the file that it reads: fabricast lint deepspeed.json"));
}

std::vector<OpenedFile> openedOf(std::span<const LintFile> files) {
    std::vector<OpenedFile> opened;
    for (const LintFile& file : files) {
        opened.push_back(file.opened());
    }
    return opened;
}

void leaveOut(const LintAsk& ask, std::vector<LintFinding>& findings) {
    std::erase_if(findings, [&ask](const LintFinding& one) {
        return one.severity > ask.least ||
               std::ranges::find(ask.ignored, one.code) != ask.ignored.end();
    });
    std::ranges::stable_sort(findings, {}, &LintFinding::severity);
}

}  // namespace

Result<Explanation> forecastToLint(const Question& question,
                                   const Workbench& bench,
                                   const Watch& watch,
                                   bool faster) {
    Result<Explanation> whole =
        explain(question, {.memory = true, .step = true, .faster = faster}, bench, watch);
    return whole || whole.error().code != Error::Code::Unsupported
               ? whole
               : explain(question, {.memory = true}, bench, watch);
}

Result<LintReport> lint(const std::string& file,
                        const std::string& directory,
                        const Result<Question>& question,
                        const LintAsk& ask,
                        const Workbench& bench,
                        const Watch& watch) {
    FABRICAST_TRY(watch.check());
    const std::string path = pathFrom(directory, file);
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    const std::string source = sourceName(path);
    const GivenFiles given = question ? question->given : GivenFiles();
    if (!isLaunchFile(text, source, given.from)) {
        const bool isOfMemory = isMemoryMessage(text, source);
        return fail(Error::Code::BadInput,
                    source,
                    "is no launch file of a framework",
                    isOfMemory ? "fabricast import " + shellWord(source)
                               : "fabricast check, for a scenario");
    }
    const std::string folder = std::filesystem::path(path).parent_path().string();
    FABRICAST_ASSIGN(const std::vector<LintFile> files,
                     lintedFiles(text, source, {.file = folder, .typed = directory}, given));
    FABRICAST_TRY(watch.check());  // reading long files takes a second
    LintReport report{.file = file, .reads = {}, .findings = {}};
    for (const LintFile& one : files) {
        report.reads.push_back(one.keys().source());
        if (const std::optional<Error>& refused = one.opened().refusedProgram) {
            report.reads.push_back(refused->where.substr(0, refused->where.find(':')));
        }
    }
    const Result<Explanation> forecast =
        question ? forecastToLint(withoutBatchRanks(*question), bench, watch, true)
                 : tl::unexpected(question.error());
    if (!forecast && forecast.error().code == Error::Code::Stopped) {
        return tl::unexpected(forecast.error());
    }
    report.findings = lint(files,
                           forecast    ? factsOf(*question, *forecast, bench)
                           : question  ? factsOfNamed(*question, bench)
                           : ask.typed ? factsOfNamed(*ask.typed, bench)
                                       : LintFacts{});
    addUnread(files, folder, report.findings);
    addStranger(files, report);
    if (forecast) {
        report.subject = subjectText(forecast->scenario);
        report.verdict = forecast->verdict;
        std::ranges::move(forecastFindings(*question, *forecast, openedOf(files), bench, watch),
                          std::back_inserter(report.findings));
    } else {
        report.notForecast = forecast.error().text();
        addRefusal(forecast.error(), question.has_value(), files, report);
    }
    leaveOut(ask, report.findings);
    return report;
}

LintReport notLookedAt(const std::string& file, const std::string& why) {
    return {.file = file,
            .reads = {file},
            .findings = {findingOf(kNotLookedAt,
                                   file,
                                   "not looked at: " + why,
                                   "fabricast lint FILE, for launch files alone")},
            .notForecast = "it is no launch file",
            .isNotLookedAt = true};
}

std::vector<ListedRule> lintRules() {
    std::vector<ListedRule> rules;
    for (const LintRule& one : allLintRules()) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    for (const OwnRule& one : forecastRules()) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    for (const OwnRule& one :
         {kNotThere, kNotHere, kNotLookedAt, kRefused, kRefusedThere, kNotRecognised, kNotRead}) {
        rules.push_back(
            {std::string(one.code), one.severity, std::string(one.title), std::string(one.why)});
    }
    std::ranges::sort(rules, {}, &ListedRule::code);
    return rules;
}

}  // namespace fabricast
