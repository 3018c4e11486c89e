#include "planner/launch/hugging_face.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/unfrozen_weights.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/liger_code.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/rank_groups.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 17> kToldToAxolotl = {"deepspeed.*",
                                                             "optimizer.kind",
                                                             "optimizer.library",
                                                             "optimizer.kernel",
                                                             "precision.compute",
                                                             "torch.reshard",
                                                             "torch.one_unit",
                                                             "torch.sync",
                                                             "torch.offload_stream",
                                                             "layout.offload",
                                                             "kernels.compile",
                                                             "kernels.attention",
                                                             "kernels.attention_code",
                                                             "kernels.quantization",
                                                             "engine",
                                                             "phases.evaluation_batch",
                                                             "recompute.kind"};

using Keys = std::vector<std::pair<std::string, std::string>>;

void addKey(Keys& keys, const char* key, std::int64_t value) {
    keys.emplace_back(key, std::to_string(value));
}
void addKey(Keys& keys, const char* key, bool value) {
    keys.emplace_back(key, value ? "true" : "false");
}
void addKey(Keys& keys, const char* key, std::string value) {
    keys.emplace_back(key, std::move(value));
}

std::string listOf(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const std::string& name : names) {
        text += (text == "[" ? "" : ", ") + name;
    }
    return text + "]";
}

void addAdapters(const LaunchFacts& facts, Keys& keys) {
    const Scenario& scenario = facts.scenario;
    const LoraSettings& lora = scenario.settings.lora;
    const bool four = lora.base == Dtype::Nf4;
    addKey(keys, "adapter", std::string(four ? "qlora" : "lora"));
    if (four) {
        addKey(keys, "load_in_4bit", true);
    } else if (lora.base == Dtype::Int8) {
        addKey(keys, "load_in_8bit", true);
    }
    addKey(keys, "lora_r", lora.rank);
    addKey(keys, "lora_alpha", loraAlpha(facts));
    addKey(keys, "lora_dropout", decimalText(lora.dropout));
    const PeftNames names = peftNamesOfEach(scenario.model, lora.targets);
    if (lora.targets == everyLinear()) {  // Axolotl finds them itself
        addKey(keys, "lora_target_linear", true);
    } else if (!names.modules.empty()) {
        addKey(keys, "lora_target_modules", listOf(names.modules));
    }
    if (!names.parameters.empty()) {
        addKey(keys, "lora_target_parameters", listOf(names.parameters));
    }
    if (const std::vector<std::string> saved = savedModuleNames(scenario.model, lora);
        !saved.empty()) {
        addKey(keys, "lora_modules_to_save", listOf(saved));
    }
    if (lora.dora) {
        addKey(keys, "peft_use_dora", true);
    }
    for (const char* const kernel : kLoraKernels) {  // which Axolotl turns on where none is named
        addKey(keys, kernel, false);
    }
    if (four && !lora.doubleQuantization) {
        addKey(keys, "bnb_config_kwargs", std::string("{bnb_4bit_use_double_quant: false}"));
    }
}

/// What is trained of a model that is frozen but for a part.
Result<void> addFrozen(const Scenario& scenario, Keys& keys) {
    const TrainedPart& part = scenario.settings.train;
    if (part.all()) {
        return {};
    }
    if (scenario.model.position != PositionKind::Rope) {
        return fail(Error::Code::Unsupported,
                    "settings.train",
                    "the names of the weights of " + scenario.model.name + " are not known",
                    "--train all");
    }
    std::vector<std::string> patterns = unfrozenPatterns(part, scenario.model.layers);
    std::ranges::transform(patterns, patterns.begin(), &quotedText);
    addKey(keys, "unfrozen_parameters", listOf(patterns));
    return {};
}

/// Weights that are not packed are loaded in the type of the training: there is no key for another.
Result<void> checkLoadedType(const Settings& settings) {
    const Dtype base = settings.lora.base;
    const Dtype compute = settings.precision.compute;
    const bool isHalf = compute == Dtype::Bf16 || compute == Dtype::Fp16;
    const Dtype loaded = isHalf ? compute : Dtype::Fp32;
    return settings.tuning != Tuning::Lora || isQuantized(base) || base == loaded
               ? Result<void>()
               : fail(Error::Code::Unsupported,
                      "settings.lora.base",
                      "Axolotl loads weights that are not packed in the type of the training, " +
                          std::string(nameOf(loaded)) + ", and not in " + std::string(nameOf(base)),
                      "--set settings.lora.base=" + std::string(nameOf(loaded)));
}

/// Without these keys a packed checkpoint stays packed, and its weights cannot be trained.
Result<void> addUnpacking(const LaunchFacts& facts, Keys& keys) {
    const std::string unpacks = unpackingOf(facts);
    const Settings& settings = facts.scenario.settings;
    const Dtype base = settings.lora.base;
    if (unpacks.empty()) {
        return {};
    }
    if (settings.tuning == Tuning::Lora && isQuantized(base)) {
        return fail(Error::Code::Unsupported,
                    "settings.lora.base",
                    facts.loadFrom + " is packed in " + facts.packed +
                        ", and Axolotl takes no load_in_4bit or load_in_8bit with " + unpacks,
                    "--load-from a copy in bf16, or --tuning lora");
    }
    addKey(keys, "model_quantization_config", unpacks);
    addKey(keys, "model_quantization_config_kwargs", std::string("{dequantize: true}"));
    return {};
}

/// What has keys of its own; a list is written once.
void addPlugins(const Scenario& scenario, Keys& keys) {
    std::string plugins;
    if (scenario.layout.ep > 1) {
        plugins = "axolotl.integrations.expert_parallel.ExpertParallelPlugin";
    }
    if (usesLiger(scenario.settings.kernels)) {
        plugins += plugins.empty() ? "" : ", ";
        plugins += "axolotl.integrations.liger.LigerPlugin";
    }
    if (!plugins.empty()) {
        addKey(keys, "plugins", "[" + plugins + "]");
    }
}

void addAxolotlMesh(const Scenario& scenario, Keys& keys) {
    const Layout& layout = scenario.layout;
    const std::int64_t group = shardSize(layout);
    if (layout.tp > 1) {
        addKey(keys, "tensor_parallel_size", layout.tp);
    }
    if (layout.cp > 1) {
        addKey(keys, "context_parallel_size", layout.cp);
        addKey(keys,
               "ring_attn_func",
               std::string(layout.cpKind == CpKind::Ring ? "batch_ring" : "varlen_llama3"));
    }
    if (layout.ep > 1) {
        addKey(keys, "expert_parallel_size", layout.ep);
    }
    if (layout.shard == Shard::Hsdp) {
        addKey(keys, "dp_shard_size", group / layout.cp);
        addKey(keys, "dp_replicate_size", layout.replicas() / group);
    }
}

std::string fsdpBlock(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    const std::string block = blockClassOf(scenario.model);
    // Weights of 4 bits that rank 0 alone reads never reach the others (0.19 refuses them, and
    // those that are unpacked), and torchao's 8-bit linears are refused with it.
    const bool quantized = (settings.tuning == Tuning::Lora && settings.lora.base == Dtype::Nf4) ||
                           settings.kernels.quantization != Quantization::None ||
                           !unpackingOf(facts).empty();
    std::string text = "fsdp_version: 2\nfsdp_config:\n";
    const bool isOne = settings.torch.oneUnit;
    text +=
        std::string("  auto_wrap_policy: ") + (isOne ? "NO_WRAP\n" : "TRANSFORMER_BASED_WRAP\n");
    text += block.empty() || isOne ? "" : "  transformer_layer_cls_to_wrap: " + block + "\n";
    text += "  state_dict_type: SHARDED_STATE_DICT\n";
    text += std::string("  reshard_after_forward: ") +
            (settings.torch.reshard == Reshard::Never ? "false\n" : "true\n");
    text += std::string("  offload_params: ") +
            (scenario.layout.offload == Offload::ParametersCpu ? "true\n" : "false\n");
    text += std::string("  cpu_ram_efficient_loading: ") + (quantized ? "false\n" : "true\n");
    return text;
}

/// A base of 4 bits comes whole to each GPU of FSDP2, whatever else was asked for.
void tellLoading(const Settings& settings, std::vector<std::string>& untold) {
    const bool isWhole = settings.engine == Engine::Fsdp2 && settings.tuning == Tuning::Lora &&
                         settings.lora.base == Dtype::Nf4;
    if (isWhole && settings.phases.loading == Loading::Gpu) {
        std::erase(untold, "settings.phases.loading=gpu");
    } else if (isWhole && settings.phases.loading == Loading::Meta) {
        untold.emplace_back("settings.phases.loading=meta");
    }
}

Result<std::string> fp8Recipe(Quantization quantization) {
    switch (quantization) {
        case Quantization::Fp8Tensorwise:
            return std::string("tensorwise");
        case Quantization::Fp8Rowwise:
            return std::string("rowwise");
        case Quantization::Fp8RowwiseGwHp:
            return std::string("rowwise_with_gw_hp");
        default:
            return fail(Error::Code::Unsupported,
                        "settings.kernels.quantization",
                        "Axolotl's config has no " + std::string(nameOf(quantization)),
                        "--precision fp8_tensorwise or fp8_rowwise");
    }
}

/// Those of the Trainer, and one that Axolotl makes.
Result<std::string> axolotlOptimizer(const OptimizerSettings& optimizer) {
    return optimizer.kind == OptimizerKind::Muon ? Result<std::string>(std::string("muon"))
                                                 : trainerOptimizer(optimizer);
}

Result<Keys> axolotlKeys(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const Settings& settings = scenario.settings;
    Keys keys;
    addKey(keys, "base_model", quotedText(facts.loadFrom));
    addKey(keys, "sequence_len", scenario.workload.sequence);
    addKey(keys, "micro_batch_size", scenario.layout.microBatch);
    addKey(keys, "gradient_accumulation_steps", accumulationOf(scenario));
    FABRICAST_ASSIGN(std::string optimizer, axolotlOptimizer(settings.optimizer));
    addKey(keys, "optimizer", std::move(optimizer));
    addPlugins(scenario, keys);
    addAxolotlMesh(scenario, keys);
    if (settings.tuning == Tuning::Lora) {
        addAdapters(facts, keys);
    }
    FABRICAST_TRY(addFrozen(scenario, keys));
    FABRICAST_TRY(checkLoadedType(settings));
    FABRICAST_TRY(addUnpacking(facts, keys));
    addKey(keys, "bf16", settings.precision.compute == Dtype::Bf16);
    if (settings.precision.compute == Dtype::Fp16) {
        addKey(keys, "fp16", true);
    }
    if (settings.precision.compute == Dtype::Fp32 && settings.precision.tf32 &&
        takesTf32(scenario.cluster.node.gpu)) {
        addKey(keys, "tf32", true);
    }
    if (settings.kernels.quantization != Quantization::None) {
        FABRICAST_ASSIGN(std::string recipe, fp8Recipe(settings.kernels.quantization));
        addKey(keys, "fp8", true);
        addKey(keys, "fp8_config", "{recipe: " + recipe + "}");
    }
    addLigerKeys(scenario, [&keys](const std::string& key) { addKey(keys, key.c_str(), true); });
    addKey(keys, "attn_implementation", attentionName(scenario));
    addKey(keys, "gradient_checkpointing", settings.recompute.kind == Checkpointing::Full);
    if (scenario.layout.offload == Offload::Activations) {
        addKey(keys,
               "activation_offloading",
               std::string(settings.torch.offloadStream ? "true" : "legacy"));
    }
    if (settings.kernels.compile) {
        addKey(keys, "torch_compile", true);
    }
    const bool zero = isZero(scenario.layout.shard);
    if (settings.torch.sync == GradientSync::EachMicroBatch && !zero) {
        addKey(keys,
               "accelerator_config",
               std::string("{gradient_accumulation_kwargs: {sync_each_batch: true}}"));
    }
    if (zero) {
        addKey(keys, "deepspeed", std::string("deepspeed.json"));
    }
    return keys;
}

}  // namespace

Result<LaunchFiles> axolotlFiles(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    if (facts.loadFrom.empty()) {
        return fail(Error::Code::BadInput,
                    "--load-from",
                    "which weights to start from is not known for " + scenario.model.name,
                    "--load-from meta-llama/Llama-3.1-8B, or a folder");
    }
    FABRICAST_TRY(checkAttention(scenario));
    LaunchFiles files;
    FABRICAST_ASSIGN(files.untold, untoldByTransformers(scenario, kToldToAxolotl));
    tellLoading(scenario.settings, files.untold);
    FABRICAST_ASSIGN(const Keys keys, axolotlKeys(facts));
    std::string text = commentOf(facts.about);
    for (const auto& [key, value] : keys) {
        text += key;
        text += ": ";
        text += value;
        text += '\n';
    }
    if (scenario.layout.shard == Shard::Fsdp || scenario.layout.shard == Shard::Hsdp) {
        text += fsdpBlock(facts);
    }
    if (facts.saved) {
        text += "save_strategy: steps\nsave_steps: " + std::to_string(facts.saved->steps) + "\n";
    }
    // A ring passes round whole sequences: samples that end within one would attend to each other.
    const bool isRing = scenario.layout.cp > 1 && scenario.layout.cpKind == CpKind::Ring;
    const bool isPacked = !isRing && separatesSamples(attentionName(scenario));
    text +=
        "\n# Yours to set: what to learn from, and how fast. The forecast counts full sequences.\n";
    text +=
        isPacked ? "sample_packing: true\n" : "sample_packing: false\npad_to_sequence_len: true\n";
    const std::int64_t evaluated = scenario.settings.phases.evaluationBatch;
    text += "datasets: [{path: tatsu-lab/alpaca, type: alpaca}]\noutput_dir: ./out\n";
    text += evaluated > 0 ? "val_set_size: 0.05\nevals_per_epoch: 1\neval_batch_size: " +
                                std::to_string(evaluated) + "\n"
                          : "val_set_size: 0\n";
    text += facts.steps ? "max_steps: " + std::to_string(*facts.steps) + "\n" : "num_epochs: 1\n";
    text += "learning_rate: 2e-5\nlr_scheduler: cosine\n";
    files.files.push_back({"axolotl.yaml", std::move(text)});
    if (isZero(scenario.layout.shard)) {
        FABRICAST_ASSIGN(std::string zero, deepspeedJson(facts, OptimizerOwner::Script));
        files.files.push_back({"deepspeed.json", std::move(zero)});
    }
    files.command = {"axolotl"};
    return files;
}

}  // namespace fabricast
