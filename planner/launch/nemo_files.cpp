#include "planner/launch/bridge_keys.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/megatron_arguments.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

/// Keys of a model that NeMo's strategy has, and hands to it.
constexpr std::array<std::string_view, 14> kOfStrategy = {"tensor_model_parallel_size",
                                                          "pipeline_model_parallel_size",
                                                          "virtual_pipeline_model_parallel_size",
                                                          "microbatch_group_size_per_vp_stage",
                                                          "num_layers_in_first_pipeline_stage",
                                                          "num_layers_in_last_pipeline_stage",
                                                          "account_for_embedding_in_pipeline_split",
                                                          "account_for_loss_in_pipeline_split",
                                                          "pipeline_model_parallel_layout",
                                                          "context_parallel_size",
                                                          "sequence_parallel",
                                                          "expert_model_parallel_size",
                                                          "expert_tensor_parallel_size",
                                                          "use_te_rng_tracker"};

/// Where a key of Bridge stands in NeMo: the class that takes it.
std::string_view classOf(const BridgeKey& key) {
    if (key.section == "model") {
        const bool isStrategys = std::ranges::find(kOfStrategy, key.key) != kOfStrategy.end();
        return key.key == "tp_comm_overlap" ? "MegatronCommOverlapCallback"
               : isStrategys                ? "MegatronStrategy"
                                            : "GPTConfig";
    }
    constexpr std::array kClasses = {
        std::pair<std::string_view, std::string_view>("train", "MockDataModule"),
        std::pair<std::string_view, std::string_view>("optimizer", "OptimizerConfig"),
        std::pair<std::string_view, std::string_view>("ddp", "DistributedDataParallelConfig"),
        std::pair<std::string_view, std::string_view>("mixed_precision", "MegatronMixedPrecision"),
        std::pair<std::string_view, std::string_view>("dist", "MegatronStrategy"),
        std::pair<std::string_view, std::string_view>("peft", "LoRA")};
    const auto* const found = std::ranges::find(
        kClasses, key.section, &std::pair<std::string_view, std::string_view>::first);
    return found == kClasses.end() ? "" : found->second;
}

using NemoKeys = std::vector<BridgeKey>;  ///< their sections are classes

/// "bf16-mixed" of bf16=True, as Lightning has it.
void addPrecisionWord(const PrecisionSettings& precision, NemoKeys& keys) {
    const char* const word = precision.compute == Dtype::Bf16   ? "\"bf16-mixed\""
                             : precision.compute == Dtype::Fp16 ? "\"16-mixed\""
                                                                : "\"32\"";
    keys.push_back({"MegatronMixedPrecision", "precision", word});
    if (precision.compute == Dtype::Bf16 || precision.compute == Dtype::Fp16) {
        keys.push_back(
            {"OptimizerConfig", precision.compute == Dtype::Bf16 ? "bf16" : "fp16", "True"});
    }
}

NemoKeys nemoKeysOf(const LaunchFacts& facts, const std::vector<BridgeKey>& plan) {
    NemoKeys keys;
    addPrecisionWord(facts.scenario.settings.precision, keys);
    for (const BridgeKey& one : plan) {
        const std::string_view type = classOf(one);
        const bool isWord = one.key == "bf16" || one.key == "fp16" || one.key == "fp32";
        if (!type.empty() && !(one.section == "mixed_precision" && isWord)) {
            keys.push_back({std::string(type), one.key, one.value});
        }
        if (one.section == "ddp" && one.key == "num_distributed_optimizer_instances") {
            keys.push_back({"MegatronStrategy", one.key, one.value});
        }
    }
    keys.push_back({"OptimizerConfig", "lr", "LEARNING_RATE"});
    keys.push_back(
        {"MockDataModule", "seq_length", std::to_string(facts.scenario.workload.sequence)});
    if (facts.saved) {
        keys.push_back({"MegatronStrategy", "save_ckpt_format", "\"torch_dist\""});
        keys.push_back(
            {"MegatronStrategy", "ckpt_async_save", facts.saved->inBackground ? "True" : "False"});
        keys.push_back(
            {"ModelCheckpoint", "every_n_train_steps", std::to_string(facts.saved->steps)});
        keys.push_back({"ModelCheckpoint", "save_top_k", "-1"});
    }
    return keys;
}

/// "Class(\n key=value,\n … )", where the arguments that are calls themselves come last.
std::string callOf(std::string_view type,
                   const NemoKeys& keys,
                   const std::string& before,
                   const std::string& more = "",
                   const std::string& module = "") {
    std::string text = module + std::string(type) + "(\n";
    for (const BridgeKey& one : keys) {
        if (one.section == type) {
            text += before + "    " + one.key + "=" + one.value + ",\n";
        }
    }
    return text + more + before + ")";
}

bool has(const NemoKeys& keys, std::string_view type) {
    return std::ranges::find(keys, type, &BridgeKey::section) != keys.end();
}

std::string head(const LaunchFacts& facts, bool adapts, const std::string& activation) {
    return std::string(
               "import os\n\nimport torch\n"
               "from megatron.core.distributed import DistributedDataParallelConfig\n") +
           activation +
           std::string(
               "from megatron.core.optimizer import OptimizerConfig\n"
               "from megatron.core.transformer.enums import AttnBackend\n"
               "from nemo import lightning as nl\n"
               "from nemo.collections import llm\n"
               "from nemo.collections.llm.gpt.model.base import local_layer_spec\n") +
           (adapts ? "from nemo.collections.llm.peft import LoRA\n" : "") +
           "from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import "
           "MegatronCommOverlapCallback\n\n"
           "# Yours to set: for how long and how fast, and below the data, which is made up here. "
           "Take the\n# base of the rotary positions and the epsilon of the norms from the model's "
           "config.json: they\n# change no shape.\n"
           "STEPS = int(os.environ.get(\"STEPS\", " +
           std::to_string(stepsOf(facts)) +
           "))\n"
           "LEARNING_RATE = float(os.environ.get(\"LR\", 3e-4))\n\n\n";
}

std::string trainerText(const LaunchFacts& facts, const NemoKeys& keys) {
    const ClusterSpec& cluster = facts.scenario.cluster;
    const std::string in(8, ' ');
    const std::string ddp =
        in + "    ddp=" + callOf("DistributedDataParallelConfig", keys, in + "    ") + ",\n";
    const std::string overlaps =
        has(keys, "MegatronCommOverlapCallback")
            ? in + "callbacks=[" + callOf("MegatronCommOverlapCallback", keys, in) + "],\n"
            : "";
    return "    trainer = nl.Trainer(\n" + in + "accelerator=\"gpu\",\n" + in +
           "devices=" + std::to_string(cluster.node.gpus) + ",\n" + in +
           "num_nodes=" + std::to_string(cluster.nodes) + ",\n" + in + "max_steps=STEPS,\n" + in +
           "limit_val_batches=0,\n" + in + "log_every_n_steps=1,\n" + in +
           "use_distributed_sampler=False,\n" + in +
           "strategy=" + callOf("MegatronStrategy", keys, in, ddp, "nl.") + ",\n" + in +
           "plugins=" + callOf("MegatronMixedPrecision", keys, in, "", "nl.") + ",\n" + overlaps +
           "    )\n";
}

std::string programText(const LaunchFacts& facts, const NemoKeys& keys) {
    const bool adapts = has(keys, "LoRA");
    const std::string in(4, ' ');
    std::string text =
        commentOf(facts.about) + head(facts, adapts, activationImport(keys)) + "def main():\n";
    text += in + "model = llm.GPTModel(" + callOf("GPTConfig", keys, in, "", "llm.") + ")\n";
    text += in +
            "optim = nl.MegatronOptimizerModule(config=" + callOf("OptimizerConfig", keys, in) +
            ")\n";
    text += in + "data = " + callOf("MockDataModule", keys, in, "", "llm.") + "\n";
    text += trainerText(facts, keys);
    text += facts.saved ? in + "log = nl.NeMoLogger(log_dir=\"logs\", ckpt=" +
                              callOf("ModelCheckpoint", keys, in, "", "nl.") + ")\n"
                        : in + "log = nl.NeMoLogger(log_dir=\"logs\")\n";
    if (adapts) {
        text += in + "adapters = " + callOf("LoRA", keys, in) + "\n" + in +
                "resume = nl.AutoResume(restore_config=nl.RestoreConfig("
                "path=os.environ[\"PRETRAINED\"]))\n" +
                in +
                "llm.finetune(model, data, trainer, log=log, resume=resume, optim=optim, "
                "peft=adapters)\n";
    } else {
        text += in +
                "resume = nl.AutoResume(resume_if_exists=True, "
                "resume_ignore_no_checkpoint=True)\n" +
                in + "llm.pretrain(model, data, trainer, log=log, resume=resume, optim=optim)\n";
    }
    return text + "\n\nif __name__ == \"__main__\":\n    main()\n";
}

}  // namespace

Result<LaunchFiles> nemoFiles(const LaunchFacts& facts) {
    FABRICAST_ASSIGN(std::vector<BridgeKey> plan, keysOfPlan(facts, "NeMo"));
    FABRICAST_ASSIGN(const std::vector<BridgeKey> adapters, adapterKeys(facts.scenario.settings));
    plan.insert(plan.end(), adapters.begin(), adapters.end());
    LaunchFiles files;
    FABRICAST_ASSIGN(files.untold, untoldToMegatron(facts.scenario, {"kernels.fp8_attention"}));
    const Layout& layout = facts.scenario.layout;
    if (layout.tp > 1 || layout.cp > 1) {
        files.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
    if (!adapters.empty()) {
        files.environment.emplace_back(
            "PRETRAINED=\"${PRETRAINED:?a checkpoint of the base model}\"");
    }
    files.files.push_back({"train.py", programText(facts, nemoKeysOf(facts, plan))});
    files.command = {"train.py"};
    return files;
}

}  // namespace fabricast
