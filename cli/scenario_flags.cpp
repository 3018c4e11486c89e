#include "cli/scenario_flags.h"

#include "cli/shell_word.h"
#include "planner/io/json_builder.h"
#include "planner/io/layout_json.h"
#include "planner/io/text_file.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// A flag, the member that holds what was typed, and the key of the scenario it says.
struct Flag {
    const char* names;
    std::string_view typed;
    std::optional<std::string> ScenarioFlags::*value;
    std::string_view path;
    const char* what;
    const char* description;
    const char* group = "The scenario";
};

constexpr const char* kBudget = "The budget";

constexpr std::array kFlags = {
    Flag{"-m,--model",
         "-m",
         &ScenarioFlags::model,
         "model",
         "MODEL",
         "a built-in name, a config.json, or its folder"},
    Flag{"-c,--cluster",
         "-c",
         &ScenarioFlags::cluster,
         "cluster.name",
         "NAME",
         "a cluster or node: dgx-h100"},
    Flag{"-n,--nodes", "-n", &ScenarioFlags::nodes, "cluster.nodes", "N", "how many nodes"},
    Flag{"--gpus",
         "--gpus",
         &ScenarioFlags::gpus,
         "cluster.gpus",
         "N",
         "how many GPUs in all, instead of -n"},
    Flag{"--gpu",
         "--gpu",
         &ScenarioFlags::gpu,
         "cluster.gpu",
         "NAME",
         "build nodes of this GPU, instead of -c"},
    Flag{"--gpus-per-node",
         "--gpus-per-node",
         &ScenarioFlags::gpusPerNode,
         "cluster.gpus_per_node",
         "N",
         "with --gpu"},
    Flag{"--stack",
         "--stack",
         &ScenarioFlags::stack,
         "stack",
         "NAME",
         "the training software: megatron, torchtitan, fsdp2, deepspeed, …"},
    Flag{"--layout",
         "--layout",
         &ScenarioFlags::layout,
         "layout",
         "KEYS",
         "tp=8,pp=4,dp=16,shard=zero1,micro_batch=1,recompute=full,…"},
    Flag{"--seq",
         "--seq",
         &ScenarioFlags::sequence,
         "workload.sequence",
         "N",
         "tokens of a sequence"},
    Flag{"--global-batch",
         "--global-batch",
         &ScenarioFlags::globalBatch,
         "workload.global_batch",
         "N",
         "samples of a step, or \"4M tokens\""},
    Flag{"--precision",
         "--precision",
         &ScenarioFlags::precision,
         "workload.precision",
         "NAME",
         "bf16, fp16, fp32, pure_bf16, fp8_blockwise, mxfp8, …"},
    Flag{"--optimizer",
         "--optimizer",
         &ScenarioFlags::optimizer,
         "workload.optimizer",
         "NAME",
         "adamw, adamw_8bit, adafactor, lion, sgd, muon, …"},
    Flag{"--tokens",
         "--tokens",
         &ScenarioFlags::tokens,
         "workload.tokens",
         "N",
         "tokens of the whole run: 15T",
         kBudget},
    Flag{"--price",
         "--price",
         &ScenarioFlags::price,
         "price.profile",
         "WHAT",
         "what GPUs cost: market-2026-05, aws, my_quote.json, '$2.10/h'",
         kBudget},
    Flag{"--price-kind",
         "--price-kind",
         &ScenarioFlags::priceKind,
         "price.kind",
         "KIND",
         "on_demand, reserved, spot, or owned",
         kBudget},
    Flag{"--site",
         "--site",
         &ScenarioFlags::site,
         "operation.site",
         "NAME|FILE",
         "failures, storage and power: typical, meta-rsc-1",
         kBudget},
    Flag{"--mtbf",
         "--mtbf",
         &ScenarioFlags::mtbf,
         "operation.mtbf",
         "TIME",
         "of one GPU between failures: 50000h, or none",
         kBudget},
    Flag{"--checkpoint",
         "--checkpoint",
         &ScenarioFlags::checkpoint,
         "operation.checkpoint",
         "HOW",
         "async, sync, or two_level (in memory, then storage)",
         kBudget},
    Flag{"--checkpoint-interval",
         "--checkpoint-interval",
         &ScenarioFlags::checkpointInterval,
         "operation.checkpoint_interval",
         "TIME",
         "instead of the best: 20min",
         kBudget}};

/// A part of a scenario that may be said as one word, and the key which that word is.
struct ShortForm {
    std::string_view part;
    std::string_view key;
};
constexpr std::array kShortForms = {ShortForm{"cluster", "cluster.name"},
                                    ShortForm{"price", "price.profile"}};

/// A short form of a part becomes the object that flags can add keys to.
Result<JsonValue> withObjects(JsonValue root) {
    for (const auto& [part, key] : kShortForms) {
        const JsonValue* value = root.find(part);
        if (value == nullptr || !value->is(JsonValue::Kind::String)) {
            continue;
        }
        const JsonValue name = *value;
        const JsonBuilder build(name.where());
        FABRICAST_ASSIGN(root, build.with(std::move(root), part, build.object()));
        FABRICAST_ASSIGN(root, build.with(std::move(root), key, name));
    }
    if (const JsonValue* layout = root.find("layout");
        layout != nullptr && layout->is(JsonValue::Kind::String)) {
        FABRICAST_ASSIGN(const JsonValue keys,
                         layoutObject(layout->text().value_or(""), layout->where()));
        const JsonBuilder build(layout->where());
        FABRICAST_ASSIGN(root, build.with(std::move(root), "layout", keys));
    }
    return root;
}

/// The answer of `explain` holds its question; that of `plan` only a part of it.
Result<JsonValue> questionOf(JsonValue root) {
    const JsonValue* schema = root.find("schema");
    if (schema == nullptr) {
        return root;
    }
    if (schema->text() == "fabricast.explain/1") {
        FABRICAST_ASSIGN(const JsonValue* question, root.require("scenario"));
        JsonValue asked = *question;
        return asked;
    }
    if (schema->text() == "fabricast.plan/1") {
        return tl::unexpected(
            schema->problem("is the answer of a search, which does not hold all that was asked",
                            "fabricast explain --layout … -f json, for one of its plans"));
    }
    return root;
}

Result<JsonValue> startingPoint(const ScenarioFlags& flags, const GlobalOptions& options) {
    if (!flags.file) {
        return JsonBuilder("the command line").object();
    }
    const std::string path = options.at(*flags.file);
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    FABRICAST_ASSIGN(JsonValue root, parseJson(text, sourceName(path)));
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(root, questionOf(std::move(root)));
    return withObjects(std::move(root));
}

/// Every key that --layout says; the others stay as the file has them.
Result<JsonValue> withLayout(JsonValue root, const std::string& text) {
    const JsonBuilder build("--layout");
    FABRICAST_ASSIGN(const JsonValue keys, layoutObject(text, "--layout"));
    for (const JsonValue& key : keys.members()) {
        FABRICAST_ASSIGN(root, build.with(std::move(root), "layout." + key.name(), key));
    }
    return root;
}

Result<JsonValue> withFlag(JsonValue root, const Flag& flag, const std::string& text) {
    const JsonBuilder build{std::string(flag.typed)};
    if (flag.value == &ScenarioFlags::layout) {
        return withLayout(std::move(root), text);
    }
    if (flag.value == &ScenarioFlags::model) {
        return build.with(std::move(root), flag.path, build.string(text));
    }
    FABRICAST_ASSIGN(JsonValue value, parseJsonArgument(text, std::string(flag.typed)));
    return build.with(std::move(root), flag.path, std::move(value));
}

/// A flag whose value was forgotten takes the next flag for it.
Result<void> checkValues(const ScenarioFlags& flags) {
    for (const Flag& flag : kFlags) {
        const std::string text = (flags.*flag.value).value_or("");
        if (text.starts_with("--")) {
            return fail(Error::Code::BadInput,
                        std::string(flag.typed),
                        "needs a value; \"" + text + "\" is the next flag",
                        std::string(flag.typed) + " " + flag.what);
        }
    }
    return {};
}

}  // namespace

std::string ScenarioFlags::typed() const {
    std::string text = file ? " " + shellWord(*file) : "";
    for (const Flag& flag : kFlags) {
        const std::optional<std::string>& value = this->*flag.value;
        text += value ? " " + std::string(flag.typed) + " " + shellWord(*value) : "";
    }
    return text;
}

void addScenarioFlags(CLI::App& command,
                      ScenarioFlags& flags,
                      const std::vector<std::string_view>& without) {
    const auto isTaken = [&without](std::string_view name) {
        return std::find(without.begin(), without.end(), name) != without.end();
    };
    if (!isTaken("scenario")) {
        command.add_option("scenario", flags.file, "a scenario file, or - for standard input")
            ->option_text("[FILE]");
    }
    for (const Flag& flag : kFlags) {
        if (isTaken(flag.typed)) {
            continue;
        }
        command.add_option(flag.names, flags.*flag.value, flag.description)
            ->option_text(flag.what)
            ->group(flag.group);
    }
}

Result<JsonValue> withAssignment(JsonValue root,
                                 const std::string& flag,
                                 const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        return fail(Error::Code::BadInput,
                    flag,
                    "\"" + assignment + "\" is not PATH=VALUE",
                    flag + " workload.sequence=8192");
    }
    const std::string path = assignment.substr(0, equals);
    const std::string source = flag + " " + path;
    FABRICAST_ASSIGN(JsonValue value, parseJsonArgument(assignment.substr(equals + 1), source));
    return JsonBuilder(source).with(std::move(root), path, std::move(value));
}

Result<JsonValue> scenarioOf(const ScenarioFlags& flags, const GlobalOptions& options) {
    FABRICAST_TRY(checkValues(flags));
    FABRICAST_ASSIGN(JsonValue root, startingPoint(flags, options));
    if (flags.cluster || flags.gpu) {
        // Another cluster has nothing of the one in the file.
        const JsonBuilder build("-c");
        FABRICAST_ASSIGN(root, build.with(std::move(root), "cluster", build.object()));
    }
    for (const Flag& flag : kFlags) {
        if (const std::optional<std::string>& text = flags.*flag.value) {
            FABRICAST_ASSIGN(root, withFlag(std::move(root), flag, *text));
        }
    }
    for (const std::string& assignment : options.sets) {
        FABRICAST_ASSIGN(root, withAssignment(std::move(root), "--set", assignment));
    }
    return root;
}

}  // namespace fabricast
