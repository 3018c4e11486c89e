#include "planner/launch/bridge_files.h"

#include "planner/launch/bridge_keys.h"
#include "planner/launch/megatron_arguments.h"

#include <utility>

namespace fabricast {
namespace {

std::string_view torchType(Dtype dtype) {
    return dtype == Dtype::Bf16   ? "torch.bfloat16"
           : dtype == Dtype::Fp16 ? "torch.float16"
                                  : "torch.float32";
}

/// Bridge pads no vocabulary that the model names itself.
std::int64_t paddedVocabulary(const Scenario& scenario) {
    const std::int64_t multiple = scenario.settings.megatron.vocabPadding * scenario.layout.tp;
    return (scenario.model.vocab + multiple - 1) / multiple * multiple;
}

/// What Megatron-LM works out from several arguments, and Bridge takes as keys.
void addDerived(const Scenario& scenario, std::vector<BridgeKey>& keys) {
    const PrecisionSettings& precision = scenario.settings.precision;
    const std::string compute(torchType(precision.compute));
    keys.push_back({"model", "vocab_size", std::to_string(paddedVocabulary(scenario))});
    if (scenario.layout.vpp > 1) {
        keys.push_back(
            {"model", "virtual_pipeline_model_parallel_size", std::to_string(scenario.layout.vpp)});
    }
    if (precision.compute == Dtype::Fp32) {
        keys.push_back({"mixed_precision", "fp32", "True"});
    }
    keys.push_back({"mixed_precision", "params_dtype", compute});
    keys.push_back({"mixed_precision", "pipeline_dtype", compute});
    const bool wide = precision.gradients == Dtype::Fp32;
    keys.push_back({"mixed_precision", "grad_reduce_in_fp32", wide ? "True" : "False"});
}

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
            // Its end of a document comes on top.
            {"tokenizer", "vocab_size", std::to_string(scenario.model.vocab - 1)},
            {"logger", "log_interval", "1"},
            {"logger", "log_throughput", "True"}};
}

std::string bridgeImports() {
    return "import os\n\n"
           "import torch\n"
           "from megatron.bridge.models.gpt_provider import GPTModelProvider, local_layer_spec\n"
           "from megatron.bridge.training.config import (\n"
           "    CheckpointConfig, ConfigContainer, DistributedDataParallelConfig, "
           "DistributedInitConfig, GPTDatasetConfig,\n"
           "    LoggerConfig, OptimizerConfig, RNGConfig, SchedulerConfig, TokenizerConfig, "
           "TrainingConfig,\n"
           ")\n"
           "from megatron.bridge.training.gpt_step import forward_step\n"
           "from megatron.bridge.training.mixed_precision import MixedPrecisionConfig\n"
           "from megatron.bridge.training.pretrain import pretrain\n"
           "from megatron.core.transformer.enums import AttnBackend\n\n"
           "# Yours to set: for how long and how fast; below the data (without a blend it is "
           "mock data), the\n"
           "# tokenizer and where checkpoints are. Take the base of the rotary positions and the "
           "epsilon of the\n"
           "# norms from the model's config.json: they change no shape.\n"
           "STEPS = int(os.environ.get(\"STEPS\", 100))\n"
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

Result<MegatronArguments> coreArguments(const LaunchFacts& facts) {
    LaunchFacts core = facts;
    core.version = kCoreOfBridge;
    Result<MegatronArguments> arguments = megatronArguments(core);
    if (!arguments && arguments.error().where == "--framework-version") {
        return fail(Error::Code::Unsupported,
                    "--target",
                    "Megatron Bridge " + facts.version + " stands on Megatron-Core " +
                        std::string(kCoreOfBridge) + ": " + arguments.error().why,
                    "--target megatron");
    }
    return arguments;
}

}  // namespace

Result<LaunchFiles> bridgeFiles(const LaunchFacts& facts) {
    FABRICAST_ASSIGN(const MegatronArguments arguments, coreArguments(facts));
    FABRICAST_ASSIGN(std::vector<BridgeKey> keys, bridgeKeys(arguments));
    for (BridgeKey& one : megatronDefaults(arguments)) {
        keys.push_back(std::move(one));
    }
    addDerived(facts.scenario, keys);
    for (BridgeKey& one : yoursToSet(facts.scenario)) {
        keys.push_back(std::move(one));
    }
    if (!facts.saved) {
        keys.push_back({"checkpoint", "save", "None"});
        keys.push_back({"checkpoint", "load", "None"});
    }
    const Layout& layout = facts.scenario.layout;
    LaunchFiles files;
    FABRICAST_ASSIGN(files.untold, untoldToMegatron(facts.scenario));
    if (facts.scenario.model.position != PositionKind::Rope &&
        facts.scenario.model.maxPositions > facts.scenario.workload.sequence) {
        files.untold.push_back("positions behind the sequence's " +
                               std::to_string(facts.scenario.workload.sequence));
    }
    if (layout.tp > 1 || layout.cp > 1) {
        files.environment.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
    }
    files.files.push_back({"train.py",
                           commentOf(facts.about) + bridgeImports() + containerText(keys) +
                               "if __name__ == \"__main__\":\n"
                               "    pretrain(config(), forward_step)\n"});
    files.command = {"train.py"};
    return files;
}

}  // namespace fabricast
