#include "planner/launch/bridge_keys.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/megatron_arguments.h"

#include <utility>

namespace fabricast {
namespace {

/// What no plan says: data, learning rate and the number of steps.
std::vector<BridgeKey> yoursToSet(const Scenario& scenario) {
    return {{"train", "train_iters", "STEPS"},
            {"train", "eval_iters", "0"},
            {"optimizer", "lr", "LEARNING_RATE"},
            {"scheduler", "lr_decay_iters", "STEPS"},
            {"scheduler", "lr_decay_style", "\"cosine\""},
            {"dataset", "sequence_length", std::to_string(scenario.workload.sequence)},
            {"dataset", "random_seed", "1234"},
            {"dataset", "reset_position_ids", "False"},
            {"dataset", "reset_attention_mask", "False"},
            {"dataset", "eod_mask_loss", "False"},
            {"dataset", "dataloader_type", "\"single\""},
            {"tokenizer", "tokenizer_type", "\"NullTokenizer\""},
            // Bridge takes its end of a document off again, and Megatron-LM does not.
            {"tokenizer", "vocab_size", std::to_string(scenario.model.vocab)},
            {"logger", "log_interval", "1"},
            {"logger", "log_throughput", "True"}};
}

std::string bridgeImports(const LaunchFacts& facts, bool adapts, const std::string& activation) {
    return "import os\n\n"
           "import torch\n"
           "from megatron.bridge.models.gpt_provider import GPTModelProvider, local_layer_spec\n" +
           std::string(adapts ? "from megatron.bridge.peft.lora import LoRA\n" : "") +
           "from megatron.bridge.training.config import (\n"
           "    CheckpointConfig, ConfigContainer, DistributedDataParallelConfig, "
           "DistributedInitConfig, GPTDatasetConfig,\n"
           "    LoggerConfig, OptimizerConfig, RNGConfig, SchedulerConfig, TokenizerConfig, "
           "TrainingConfig,\n"
           ")\n" +
           std::string(adapts ? "from megatron.bridge.training.finetune import finetune\n" : "") +
           "from megatron.bridge.training.gpt_step import forward_step\n"
           "from megatron.bridge.training.mixed_precision import MixedPrecisionConfig\n" +
           (adapts ? "" : "from megatron.bridge.training.pretrain import pretrain\n") + activation +
           "from megatron.core.transformer.enums import AttnBackend\n\n"
           "# Yours to set: for how long and how fast; below the data (without a blend it is "
           "mock data), the\n"
           "# tokenizer and where checkpoints are. Take the base of the rotary positions and the "
           "epsilon of the\n"
           "# norms from the model's config.json: they change no shape.\n"
           "STEPS = int(os.environ.get(\"STEPS\", " +
           std::to_string(stepsOf(facts)) +
           "))\n"
           "LEARNING_RATE = float(os.environ.get(\"LR\", 3e-4))\n\n\n";
}

std::string containerText(const std::vector<BridgeKey>& keys) {
    std::string text = "def config():\n    return ConfigContainer(\n";
    for (const auto& [section, type] : kBridgeSections) {
        std::string fields;
        for (const BridgeKey& one : keys) {
            if (one.section == section) {
                fields += "            " + one.key + "=" + one.value + ",\n";
            }
        }
        if (!fields.empty()) {
            text += "        " + std::string(section) + "=" + std::string(type) + "(\n" + fields +
                    "        ),\n";
        }
    }
    return text + "    )\n\n\n";
}

}  // namespace

Result<LaunchFiles> bridgeFiles(const LaunchFacts& facts) {
    FABRICAST_ASSIGN(std::vector<BridgeKey> keys, keysOfPlan(facts, "Megatron Bridge"));
    FABRICAST_ASSIGN(const std::vector<BridgeKey> adapters, adapterKeys(facts.scenario.settings));
    const bool adapts = !adapters.empty();
    keys.insert(keys.end(), adapters.begin(), adapters.end());
    for (BridgeKey& one : yoursToSet(facts.scenario)) {
        keys.push_back(std::move(one));
    }
    if (adapts) {
        keys.push_back({"checkpoint", "pretrained_checkpoint", "os.environ[\"PRETRAINED\"]"});
    }
    if (!facts.saved) {
        keys.push_back({"checkpoint", "save", "None"});
        keys.push_back({"checkpoint", "load", "None"});
    }
    const Layout& layout = facts.scenario.layout;
    LaunchFiles files;
    FABRICAST_ASSIGN(
        files.untold,
        untoldToMegatron(facts.scenario, {"kernels.fused_ops", "kernels.fp8_attention"}));
    if (adapts) {
        files.environment.emplace_back(
            "PRETRAINED=\"${PRETRAINED:?a checkpoint of the base model}\"");
    }
    if (facts.scenario.model.position != PositionKind::Rope &&
        facts.scenario.model.maxPositions > facts.scenario.workload.sequence) {
        files.untold.push_back("positions behind the sequence's " +
                               std::to_string(facts.scenario.workload.sequence));
    }
    if (layout.tp > 1 || layout.cp > 1) {
        files.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
    files.files.push_back({"train.py",
                           commentOf(facts.about) +
                               bridgeImports(facts, adapts, activationImport(keys)) +
                               containerText(keys) + "if __name__ == \"__main__\":\n    " +
                               (adapts ? "finetune" : "pretrain") + "(config(), forward_step)\n"});
    files.command = {"train.py"};
    return files;
}

}  // namespace fabricast
