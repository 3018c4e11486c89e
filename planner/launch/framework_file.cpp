#include "planner/launch/nemo.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/torchtune.h"
#include "planner/launch/trl.h"

#include <string>
#include <utility>

namespace fabricast {
namespace {

/// YAML of TRL's arguments; which trainer reads it is not said in it.
OpenedFile trlFile(const LaunchKeys& keys) {
    LaunchKey trainer = *keys.find("model_name_or_path");
    LaunchKeys typed = trlFileArguments(keys);
    trainer.path = kTrlKey;
    trainer.values = {"sft"};
    typed.add(std::move(trainer));
    OpenedFile file{LaunchKind::Trainer, std::move(typed)};
    nameOther(file, {"--deepspeed", kConfigOfAccelerate});
    return file;
}

/// OmegaConf, which loads the files of torchtune and NeMo, takes no key twice.
Result<void> checkRepeated(const LaunchKeys& keys) {
    if (keys.repeated().empty()) {
        return {};
    }
    const RepeatedKey& one = keys.repeated().front();
    return keys.refuse(one.first,
                       "is said again in line " + std::to_string(one.holds) +
                           ": its framework's loader takes no key twice",
                       "say it once");
}

}  // namespace

void nameOther(OpenedFile& file, std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths) {
        const LaunchKey* const key = file.keys.find(path);
        const bool says = key != nullptr && key->values.size() == 1;
        if (says && key->values.front() != "null" && key->values.front() != "auto" &&
            !key->values.front().starts_with("$(")) {  // a dictionary of a program
            file.names = key->values.front();
            file.namedBy = path;
            return;
        }
    }
}

Result<OpenedFile> yamlFile(LaunchKeys keys) {
    if (keys.has("compute_environment") || keys.has("distributed_type")) {
        OpenedFile file{LaunchKind::Accelerate, std::move(keys)};
        nameOther(file, {"deepspeed_config.deepspeed_config_file"});
        return file;
    }
    if (keys.has("base_model")) {
        OpenedFile file{LaunchKind::Axolotl, std::move(keys)};
        nameOther(file, {"deepspeed"});
        return file;
    }
    if (keys.has("stage") && keys.has("finetuning_type")) {
        return keys.refuse(*keys.find("finetuning_type"),
                           "is of LLaMA-Factory, whose files are not read",
                           "its arguments in a script, with DeepSpeed's or Accelerate's file");
    }
    if (keys.has("model_name_or_path")) {
        return trlFile(keys);
    }
    if (isTuneYaml(keys)) {
        FABRICAST_TRY(checkRepeated(keys));
        return OpenedFile{LaunchKind::Tune, std::move(keys)};
    }
    if (isNemoYaml(keys)) {
        FABRICAST_TRY(checkRepeated(keys));
        FABRICAST_ASSIGN(LaunchKeys arguments, argumentsOfNemoYaml(keys));
        return OpenedFile{LaunchKind::Megatron, std::move(arguments), MegatronWords::Nemo};
    }
    if (keys.has("apiVersion") && keys.has("kind")) {
        return fail(Error::Code::BadInput,
                    keys.source(),
                    "is a job of Kubernetes, which is not read",
                    "the files that its command starts, as run.sh");
    }
    return fail(Error::Code::BadInput,
                keys.source(),
                "is no YAML of Accelerate (distributed_type), Axolotl (base_model), TRL "
                "(model_name_or_path), torchtune (model and checkpointer with _component_) or NeMo "
                "(model with tensor_model_parallel_size, and "
                "trainer)");
}

OpenedFile scriptFile(LaunchKeys keys) {
    OpenedFile file{LaunchKind::Script, std::move(keys)};
    if (file.keys.has("starts")) {
        nameOther(file, {"starts"});
        return file;
    }
    nameOther(file, {"script"});
    const std::string script = std::exchange(file.names, "");
    if (file.keys.has(kTuneKey)) {
        nameOther(file, {"--config"});
        return file;
    }
    const bool byTrl = file.keys.has(kTrlKey);
    if (byTrl || script == "sft.py" || script.ends_with("/sft.py")) {
        nameOther(file, {kConfigOfTrl});
        if (!file.names.empty()) {
            return file;
        }
    }
    if (script == "torchtitan.train" && file.keys.has("--module")) {
        file.kind = LaunchKind::Titan;
        return file;
    }
    const bool isAxolotl = script.ends_with(".yaml") || script.ends_with(".yml");
    if (isAxolotl) {  // whoever starts it has a file of its own, and --micro-batch-size
        nameOther(file, {"script"});
        return file;
    }
    if (file.keys.has("--tensor-model-parallel-size") || file.keys.has("--num-layers") ||
        file.keys.has("--micro-batch-size")) {
        file.kind = LaunchKind::Megatron;
        return file;
    }
    nameOther(file,
              {"--job.config_file",
               "--job.config-file",
               "--deepspeed",
               "--deepspeed_config",
               kConfigOfAccelerate,
               "torchrun --config-file"});
    const bool isTrainer =
        byTrl || file.keys.has("--per_device_train_batch_size") || file.keys.has("--output_dir");
    if (file.names.empty() && script.ends_with(".py") && !isTrainer) {
        nameOther(file, {"script"});
    }
    file.kind = isTrainer ? LaunchKind::Trainer : LaunchKind::Script;
    return file;
}

}  // namespace fabricast
