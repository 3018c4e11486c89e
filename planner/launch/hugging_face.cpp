#include "planner/launch/hugging_face.h"

#include "planner/launch/liger_kernels.h"
#include "planner/launch/untold_settings.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

constexpr std::array kBlockClasses = {std::pair{"bloom"sv, "BloomBlock"sv},
                                      std::pair{"deepseek_v2"sv, "DeepseekV2DecoderLayer"sv},
                                      std::pair{"deepseek_v3"sv, "DeepseekV3DecoderLayer"sv},
                                      std::pair{"ernie4_5"sv, "Ernie4_5DecoderLayer"sv},
                                      std::pair{"falcon"sv, "FalconDecoderLayer"sv},
                                      std::pair{"gemma"sv, "GemmaDecoderLayer"sv},
                                      std::pair{"gemma2"sv, "Gemma2DecoderLayer"sv},
                                      std::pair{"gemma3_text"sv, "Gemma3DecoderLayer"sv},
                                      std::pair{"glm4"sv, "Glm4DecoderLayer"sv},
                                      std::pair{"glm4_moe"sv, "Glm4MoeDecoderLayer"sv},
                                      std::pair{"granite"sv, "GraniteDecoderLayer"sv},
                                      std::pair{"granitemoe"sv, "GraniteMoeDecoderLayer"sv},
                                      std::pair{"gpt2"sv, "GPT2Block"sv},
                                      std::pair{"gpt_neox"sv, "GPTNeoXLayer"sv},
                                      std::pair{"gpt_oss"sv, "GptOssDecoderLayer"sv},
                                      std::pair{"llama"sv, "LlamaDecoderLayer"sv},
                                      std::pair{"minimax_m2"sv, "MiniMaxM2DecoderLayer"sv},
                                      std::pair{"mistral"sv, "MistralDecoderLayer"sv},
                                      std::pair{"mixtral"sv, "MixtralDecoderLayer"sv},
                                      std::pair{"mpt"sv, "MptBlock"sv},
                                      std::pair{"olmo2"sv, "Olmo2DecoderLayer"sv},
                                      std::pair{"olmo3"sv, "Olmo3DecoderLayer"sv},
                                      std::pair{"olmoe"sv, "OlmoeDecoderLayer"sv},
                                      std::pair{"opt"sv, "OPTDecoderLayer"sv},
                                      std::pair{"phi"sv, "PhiDecoderLayer"sv},
                                      std::pair{"phi3"sv, "Phi3DecoderLayer"sv},
                                      std::pair{"qwen2"sv, "Qwen2DecoderLayer"sv},
                                      std::pair{"qwen2_5_vl_text"sv, "Qwen2_5_VLDecoderLayer"sv},
                                      std::pair{"qwen2_moe"sv, "Qwen2MoeDecoderLayer"sv},
                                      std::pair{"qwen3"sv, "Qwen3DecoderLayer"sv},
                                      std::pair{"qwen3_moe"sv, "Qwen3MoeDecoderLayer"sv}};

}  // namespace

std::string blockClassOf(const ModelSpec& model) {
    const auto* const found = std::ranges::find(
        kBlockClasses, model.family, &std::pair<std::string_view, std::string_view>::first);
    return found == kBlockClasses.end() ? "" : std::string(found->second);
}

bool isBlockClass(std::string_view name) {
    return std::ranges::find(
               kBlockClasses, name, &std::pair<std::string_view, std::string_view>::second) !=
           kBlockClasses.end();
}

Result<std::string> trainerOptimizer(const OptimizerSettings& optimizer) {
    const bool torchao = optimizer.library == LowBitLibrary::TorchAo;
    switch (optimizer.kind) {
        case OptimizerKind::AdamW:
            return optimizer.kernel == OptimizerKernel::Fused ||
                           optimizer.kernel == OptimizerKernel::DeepSpeed
                       ? "adamw_torch_fused"
                       : "adamw_torch";
        case OptimizerKind::AdamW8bit:
            return torchao ? "adamw_torch_8bit" : "adamw_bnb_8bit";
        case OptimizerKind::AdamW4bit:
            return "adamw_torch_4bit";
        case OptimizerKind::PagedAdamW8bit:
            return "paged_adamw_8bit";
        case OptimizerKind::Adafactor:
            return "adafactor";
        case OptimizerKind::Lion:
            return "lion_32bit";
        case OptimizerKind::Lion8bit:
            return "lion_8bit";
        case OptimizerKind::Sgd:
            return "sgd";
        case OptimizerKind::Muon:  // is not among transformers' OptimizerNames up to 5.24
        case OptimizerKind::AdamWFp8:
        case OptimizerKind::SgdMomentum:
            break;
    }
    return fail(Error::Code::Unsupported,
                "settings.optimizer.kind",
                "transformers' Trainer has no name for " + std::string(nameOf(optimizer.kind)),
                "--optimizer adamw");
}

std::vector<std::string> adapterArguments(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const LoraSettings& lora = scenario.settings.lora;
    if (scenario.settings.tuning != Tuning::Lora) {
        return {};
    }
    std::vector<std::string> words = {"--use_peft",
                                      "--lora_r",
                                      std::to_string(lora.rank),
                                      "--lora_alpha",
                                      std::to_string(loraAlpha(facts)),
                                      "--lora_dropout",
                                      decimalText(lora.dropout)};
    const PeftNames names = peftNames(scenario.model, lora.targets);
    if (!names.modules.empty()) {
        words.emplace_back("--lora_target_modules");
    }
    words.insert(words.end(), names.modules.begin(), names.modules.end());
    if (!names.parameters.empty()) {
        words.emplace_back("--lora_target_parameters");
        words.insert(words.end(), names.parameters.begin(), names.parameters.end());
    }
    if (!lora.modulesToSave.empty()) {
        const std::vector<std::string> saved = savedModuleNames(scenario.model, lora);
        words.emplace_back("--lora_modules_to_save");
        words.insert(words.end(), saved.begin(), saved.end());
    }
    if (lora.dora) {
        words.emplace_back("--use_dora");
    }
    if (isQuantized(lora.base)) {
        words.emplace_back(lora.base == Dtype::Nf4 ? "--load_in_4bit" : "--load_in_8bit");
    }
    // Of a quantised base what keeps its bits, and what it is multiplied in: fp32 where not said.
    const Dtype loaded = isQuantized(lora.base) ? scenario.settings.precision.compute : lora.base;
    words.emplace_back("--dtype");
    words.emplace_back(loaded == Dtype::Fp32   ? "float32"
                       : loaded == Dtype::Fp16 ? "float16"
                                               : "bfloat16");
    if (lora.doubleQuantization) {
        words.emplace_back("--use_bnb_nested_quant");
    }
    return words;
}

void addSampleArguments(const Scenario& scenario, LaunchFiles& files) {
    files.command.emplace_back("--max_length");
    files.command.push_back(std::to_string(scenario.workload.sequence));
    files.untold.emplace_back(
        "the length of a sample: train.py takes --max_length, as TRL's SFTConfig does");
    if (scenario.settings.recompute.kind == Checkpointing::Full) {
        files.command.emplace_back("--gradient_checkpointing");
        files.command.emplace_back("true");
        files.untold.emplace_back(
            "recomputation: train.py takes --gradient_checkpointing, as TrainingArguments does, "
            "and calls model.gradient_checkpointing_enable()");
    }
}

namespace {

/// What trains over a quantised base SFTTrainer casts to bf16, but for DoRA's magnitudes.
void tellCast(const Settings& settings, std::vector<std::string>& untold) {
    const LoraSettings& lora = settings.lora;
    if (!isQuantized(lora.base) || lora.dora || settings.precision.compute != Dtype::Bf16) {
        return;
    }
    std::erase(untold, "settings.lora.dtype=bf16");
    if (lora.dtype == Dtype::Fp32) {
        untold.emplace_back(
            "settings.lora.dtype=fp32: TRL's SFTTrainer casts adapters over a "
            "quantised base to bf16");
    }
}

}  // namespace

void addAdapterArguments(const LaunchFacts& facts, LaunchFiles& files) {
    const std::vector<std::string> words = adapterArguments(facts);
    if (words.empty()) {
        return;
    }
    files.command.insert(files.command.end(), words.begin(), words.end());
    files.untold.emplace_back(
        "adapters: train.py takes the arguments of TRL's ModelConfig, as TRL's own sft.py does");
    tellCast(facts.scenario.settings, files.untold);
}

Result<std::vector<std::string>> untoldByTransformers(const Scenario& scenario,
                                                      std::span<const std::string_view> told) {
    constexpr std::array<std::string_view, 8> kOfAdapters = {"tuning",
                                                             "lora.rank",
                                                             "lora.dropout",
                                                             "lora.targets",
                                                             "lora.dora",
                                                             "lora.base",
                                                             "lora.double_quantization",
                                                             "lora.modules_to_save"};
    std::vector<std::string_view> all(told.begin(), told.end());
    all.insert(all.end(), kOfAdapters.begin(), kOfAdapters.end());
    FABRICAST_ASSIGN(std::vector<std::string> untold, untoldSettings(scenario, all));
    eraseLigerSettings(untold);
    const bool tellsOffload = std::ranges::find(told, "layout.offload") != told.end();
    if (scenario.layout.offload == Offload::Activations && !tellsOffload) {
        untold.emplace_back(
            "layout.offload=activations: the training loop enters "
            "torch.autograd.graph.save_on_cpu(pin_memory=True) around the forward");
    }
    return untold;
}

void addSavingArguments(const LaunchFacts& facts, LaunchFiles& files) {
    if (!facts.saved) {
        return;
    }
    for (const std::string& word : {std::string("--save_strategy"),
                                    std::string("steps"),
                                    std::string("--save_steps"),
                                    std::to_string(facts.saved->steps)}) {
        files.command.push_back(word);
    }
    files.untold.emplace_back(
        "checkpoints: train.py takes --save_strategy and --save_steps, as TrainingArguments does");
}

std::string unpackingOf(const LaunchFacts& facts) {
    return facts.packed == "mxfp4" ? "Mxfp4Config"
           : facts.packed == "fp8" ? "FineGrainedFP8Config"
                                   : "";
}

std::string attentionName(const Scenario& scenario) {
    return std::string(attentionName(scenario.settings.kernels, scenario.model));
}

Result<void> checkAttention(const Scenario& scenario) {
    const std::string name = attentionName(scenario);
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    if (name != "flash_attention_3" || gpu.family == "Hopper") {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "settings.kernels.attention_code",
                name + " runs on Hopper alone, and " + gpu.name + " is of " + gpu.family,
                "--set settings.kernels.attention_code=flash2");
}

}  // namespace fabricast
