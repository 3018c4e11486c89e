#include "planner/launch/import_launch.h"

#include "planner/launch/scenario_draft.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostLaunchBytes = std::size_t{1} << 20;

enum class Form { Toml, Yaml, Json, Shell, Scenario };

bool endsWithOneOf(std::string_view source, const std::array<std::string_view, 4>& endings) {
    return std::ranges::any_of(
        endings, [source](std::string_view ending) { return source.ends_with(ending); });
}

bool isDeepspeedText(std::string_view text) {
    const auto says = [text](std::string_view key) {
        return text.find("\"" + std::string(key) + "\"") != std::string_view::npos;
    };
    return says("zero_optimization") || says("train_micro_batch_size_per_gpu") ||
           says("train_batch_size");
}

Form formOf(std::string_view text, const std::string& source) {
    if (source.ends_with(".toml")) {
        return Form::Toml;
    }
    if (source.ends_with(".yaml") || source.ends_with(".yml")) {
        return Form::Yaml;
    }
    if (endsWithOneOf(source, {".sh", ".sbatch", ".slurm", ".bash"}) || text.starts_with("#!") ||
        text.starts_with("--")) {
        return Form::Shell;
    }
    const bool isScenario = text.find("fabricast.") != std::string_view::npos ||
                            text.find("\"model\"") != std::string_view::npos;
    return isDeepspeedText(text) && !isScenario ? Form::Json : Form::Scenario;
}

Result<LaunchKeys> keysOf(Form form, std::string_view text, const std::string& source) {
    if (text.size() > kMostLaunchBytes) {
        return fail(Error::Code::BadInput, source, "is longer than a launch file: 1 MiB");
    }
    switch (form) {
        case Form::Toml:
            return readTomlKeys(text, source);
        case Form::Yaml:
            return readYamlKeys(text, source);
        case Form::Json:
            return readJsonKeys(text, source);
        case Form::Shell:
        case Form::Scenario:
            break;
    }
    return readShellKeys(text, source);
}

/// How errors call a file that another one names.
std::string besideOf(const std::string& source, const std::string& name) {
    return name.starts_with("/") ? name : source.substr(0, source.find_last_of('/') + 1) + name;
}

/// Processes that the first file counts as data ranks, and the other one puts together.
Result<void> divideRanks(ScenarioDraft& draft, const JsonValue& first, const JsonValue& added) {
    const auto numberAt = [](const JsonValue& scenario, const char* key) {
        const JsonValue* const layout = scenario.find("layout");
        const JsonValue* const value = layout == nullptr ? nullptr : layout->find(key);
        return value == nullptr ? std::int64_t{0} : value->integer({}).value_or(0);
    };
    const std::int64_t ranks = numberAt(first, "dp");
    const std::int64_t together =
        std::max<std::int64_t>(1, numberAt(added, "tp")) *
        (numberAt(first, "cp") > 1 ? 1 : std::max<std::int64_t>(1, numberAt(added, "cp")));
    if (ranks == 0 || together == 1) {
        return {};
    }
    if (ranks % together != 0) {
        return fail(Error::Code::BadInput,
                    draft.keys().source(),
                    std::to_string(ranks) + " processes are not a multiple of the " +
                        std::to_string(together) + " that DeepSpeed's file puts together");
    }
    draft.set("layout.dp", ranks / together, "num_processes");
    return {};
}

/// What DeepSpeed's own file adds to one that names it.
Result<JsonValue> withDeepspeed(ImportedRun run, LaunchKeys& keys, const ImportContext& context) {
    if (run.alsoReads.empty()) {
        return std::move(run.scenario);
    }
    FABRICAST_ASSIGN(const std::string text, context.read(run.alsoReads));
    FABRICAST_ASSIGN(LaunchKeys others,
                     keysOf(Form::Json, text, besideOf(keys.source(), run.alsoReads)));
    FABRICAST_ASSIGN(const JsonValue added, importDeepspeed(others));
    ScenarioDraft draft(keys);
    draft.merge(run.scenario);
    draft.merge(added);
    FABRICAST_TRY(divideRanks(draft, run.scenario, added));
    for (const JsonValue* one :
         {std::as_const(run).scenario.find("imported"), added.find("imported")}) {
        for (const JsonValue& note : one->find("notes")->items()) {
            draft.note(note.text().value_or(""));
        }
    }
    return draft.finish(run.framework, {""});
}

Result<JsonValue> importYaml(LaunchKeys& keys, const ImportContext& context) {
    if (keys.has("compute_environment") || keys.has("distributed_type")) {
        FABRICAST_ASSIGN(ImportedRun run, importAccelerate(keys));
        return withDeepspeed(std::move(run), keys, context);
    }
    if (keys.has("base_model")) {
        FABRICAST_ASSIGN(ImportedRun run, importAxolotl(keys));
        return withDeepspeed(std::move(run), keys, context);
    }
    return fail(Error::Code::BadInput,
                keys.source(),
                "is no YAML of Accelerate (distributed_type) or Axolotl (base_model)");
}

Result<JsonValue> importNamed(const std::string& name,
                              LaunchKeys& keys,
                              const ImportContext& context) {
    FABRICAST_ASSIGN(const std::string text, context.read(name));
    const std::string source = besideOf(keys.source(), name);
    const Form form = formOf(text, source);
    if (form == Form::Shell) {
        return fail(Error::Code::BadInput, source, "is another script");
    }
    FABRICAST_ASSIGN(LaunchKeys named,
                     keysOf(form == Form::Scenario ? Form::Json : form, text, source));
    if (form == Form::Toml) {
        return importTitan(named, context);
    }
    return form == Form::Yaml ? importYaml(named, context) : importDeepspeed(named);
}

/// A script of arguments, or one that starts a file of another kind.
Result<JsonValue> importScript(LaunchKeys& keys, const ImportContext& context) {
    const std::string script = keys.text("script").value_or("");
    if (script == "torchtitan.train" && keys.has("--module")) {
        return importTitan(keys, context);
    }
    const bool megatron = keys.has("--tensor-model-parallel-size") || keys.has("--num-layers") ||
                          keys.has("--micro-batch-size");
    if (megatron) {
        return importMegatron(keys);
    }
    for (const char* const flag : {"--job.config_file",
                                   "--deepspeed",
                                   "--deepspeed_config",
                                   "torchrun --config_file",
                                   "torchrun --config-file"}) {
        if (const auto file = keys.text(flag)) {
            return importNamed(*file, keys, context);
        }
    }
    if (script.ends_with(".yaml") || script.ends_with(".yml")) {
        return importNamed(script, keys, context);
    }
    const LaunchKey* const at = keys.use("script");
    return fail(
        Error::Code::BadInput,
        at == nullptr ? keys.source() : keys.where(*at),
        "the framework of " + (script.empty() ? "these arguments" : script) + " is not known",
        "the file that it reads: deepspeed.json, accelerate.yaml, …");
}

}  // namespace

bool isLaunchFile(std::string_view text, const std::string& source) {
    return formOf(text, source) != Form::Scenario;
}

Result<JsonValue> importLaunch(std::string_view text,
                               const std::string& source,
                               const ImportContext& context) {
    const Form form = formOf(text, source);
    FABRICAST_ASSIGN(LaunchKeys keys, keysOf(form, text, source));
    if (form == Form::Toml) {
        return importTitan(keys, context);
    }
    if (form == Form::Json) {
        return importDeepspeed(keys);
    }
    return form == Form::Shell ? importScript(keys, context) : importYaml(keys, context);
}

}  // namespace fabricast
