#include "planner/launch/axolotl_arguments.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>

namespace fabricast {
namespace {

bool isSharded(const LintFile& file) {
    return file.has("fsdp") || file.keys().has("fsdp_config");
}

bool isSecondFsdp(const LintFile& file) {
    return isSharded(file) && file.whole("fsdp_version", 1) == 2;
}

bool isEightBit(const LintFile& file) {
    const std::string optimizer = file.text("optimizer");
    return optimizer == "adamw_8bit" || optimizer == "adamw_bnb_8bit" ||
           optimizer == "paged_adamw_8bit";
}

LintHits wholeBase(const LintView& view) {
    const LintFile& file = view.file;
    if (file.text("adapter") != "qlora" || file.isOn("load_in_4bit")) {
        return {};
    }
    return {
        {file.at("adapter"), "adapter is qlora, and load_in_4bit is not on", "load_in_4bit: true"}};
}

LintHits frozenBase(const LintView& view) {
    const LintFile& file = view.file;
    const char* const bits = file.isOn("load_in_4bit") ? "load_in_4bit" : "load_in_8bit";
    if (!file.isOn(bits) || !file.text("adapter").empty()) {
        return {};
    }
    return {{file.at(bits),
             std::string(bits) + " is on, and there is no adapter",
             std::string("adapter: ") + (file.isOn("load_in_4bit") ? "qlora" : "lora") +
                 ", or leave it out to train all weights"}};
}

LintHits bnbUnderFsdp2(const LintView& view) {
    const std::string optimizer = view.file.text("optimizer");
    const bool refused = optimizer == "adamw_8bit" || optimizer == "adamw_bnb_8bit";
    if (!isSecondFsdp(view.file) || !refused) {
        return {};
    }
    return {{view.file.at("optimizer"),
             "optimizer " + optimizer + " under FSDP2",
             "optimizer: adamw_torch_8bit"}};
}

LintHits quantizedOnRankZero(const LintView& view) {
    const char* const path = "fsdp_config.cpu_ram_efficient_loading";
    if (!isSecondFsdp(view.file) || !view.file.isOn("load_in_4bit") || !view.file.isOn(path)) {
        return {};
    }
    return {{view.file.at(path),
             "cpu_ram_efficient_loading with load_in_4bit under FSDP2",
             "cpu_ram_efficient_loading: false"}};
}

LintHits packedRing(const LintView& view) {
    const LintFile& file = view.file;
    if (file.whole("context_parallel_size", 1) <= 1) {
        return {};
    }
    LintHits hits;
    if (file.isOn("sample_packing") && file.whole("micro_batch_size", 1) > 1) {
        hits.push_back({file.at("micro_batch_size"),
                        "micro_batch_size " + file.text("micro_batch_size") +
                            " with sample_packing and context_parallel_size",
                        "micro_batch_size: 1"});
    }
    const std::string attention = file.text("attn_implementation");
    const bool isFlash =
        attention == "flash_attention_2" || attention == "flash" || file.isOn("flash_attention");
    if (!isFlash) {
        hits.push_back(
            {file.at(attention.empty() ? "context_parallel_size" : "attn_implementation"),
             (attention.empty() ? "the default" : attention) +
                 " attention with context_parallel_size",
             "attn_implementation: flash_attention_2"});
    }
    return hits;
}

/// Axolotl's own choice follows from packing: axolotl/utils/schemas/validation.py.
LintHits ringForOthers(const LintView& view) {
    const LintFile& file = view.file;
    const std::string ring = file.text("ring_attn_func");
    const bool isSplit = file.whole("context_parallel_size", 1) > 1;
    const bool isPacked = file.isOn("sample_packing");
    return isSplit && ring == "batch_ring" && isPacked
               ? LintHits{{file.at("ring_attn_func"),
                           "ring_attn_func batch_ring with sample_packing",
                           "ring_attn_func: varlen_llama3"}}
               : LintHits{};
}

LintHits ringWithoutPacks(const LintView& view) {
    const LintFile& file = view.file;
    const bool isSplit = file.whole("context_parallel_size", 1) > 1;
    return isSplit && file.text("ring_attn_func") == "varlen_llama3" && !file.isOn("sample_packing")
               ? LintHits{{file.at("ring_attn_func"),
                           "ring_attn_func varlen_llama3 without sample_packing",
                           "ring_attn_func: batch_ring"}}
               : LintHits{};
}

LintHits shardsOfNothing(const LintView& view) {
    const LintFile& file = view.file;
    return file.whole("dp_shard_size", 1) > 1 && !isSharded(file)
               ? LintHits{{file.at("dp_shard_size"),
                           "dp_shard_size " + file.text("dp_shard_size") + " without fsdp_config",
                           "fsdp_version: 2, fsdp_config: {reshard_after_forward: true}"}}
               : LintHits{};
}

LintHits muonElsewhere(const LintView& view) {
    const LintFile& file = view.file;
    const bool firstFsdp = isSharded(file) && !isSecondFsdp(file);
    if (file.text("optimizer") != "muon" || (!firstFsdp && file.text("deepspeed").empty())) {
        return {};
    }
    return {{file.at("optimizer"),
             firstFsdp ? "optimizer muon under FSDP1" : "optimizer muon under DeepSpeed",
             "fsdp_version: 2"}};
}

LintHits refusedPair(const LintView& view) {
    const LintFile& file = view.file;
    return !file.text("deepspeed").empty() && file.has("fsdp")
               ? LintHits{{file.at("deepspeed"),
                           "deepspeed and fsdp are both in the file",
                           "one of the two"}}
               : LintHits{};
}

LintHits silentPair(const LintView& view) {
    const LintFile& file = view.file;
    return !file.text("deepspeed").empty() && !file.has("fsdp") && file.keys().has("fsdp_config")
               ? LintHits{{file.at("deepspeed"),
                           "deepspeed and fsdp_config are both in the file",
                           "one of the two"}}
               : LintHits{};
}

LintHits splitEightBits(const LintView& view) {
    const LintFile& file = view.file;
    if (file.whole("tensor_parallel_size", 1) <= 1 || !isEightBit(file)) {
        return {};
    }
    return {{file.at("optimizer"),
             "optimizer " + file.text("optimizer") + " with tensor_parallel_size",
             "optimizer: adamw_torch_fused"}};
}

/// The plugin of integrations/liger: one loss takes the place of the other.
LintHits twoLosses(const LintView& view) {
    const LintFile& file = view.file;
    return file.isOn("liger_cross_entropy") && file.isOn("liger_fused_linear_cross_entropy")
               ? LintHits{{file.at("liger_cross_entropy"),
                           "liger_cross_entropy beside liger_fused_linear_cross_entropy",
                           "liger_fused_linear_cross_entropy: true alone"}}
               : LintHits{};
}

LintHits oldFsdp(const LintView& view) {
    const LintFile& file = view.file;
    if (!isSharded(file) || isSecondFsdp(file)) {
        return {};
    }
    const LaunchKey* const version = file.at("fsdp_version");
    return {{version != nullptr ? version : file.at("fsdp"),
             version != nullptr ? "fsdp_version is 1" : "fsdp_version is not said, which means 1",
             "fsdp_version: 2; `fabricast emit FILE --stack axolotl` writes it"}};
}

LintHits wholeGradients(const LintView& view) {
    const LintFile& file = view.file;
    const bool isFull = file.text("adapter").empty();
    if (!isSharded(file) || !isFull || file.whole("gradient_accumulation_steps", 1) < 2) {
        return {};
    }
    return {{file.at("gradient_accumulation_steps"),
             "gradients of " + file.text("gradient_accumulation_steps") +
                 " micro-batches are summed before they are sharded",
             "gradient_accumulation_steps: 1, with a larger micro_batch_size where there is room"}};
}

LintHits offloadsWhatIsKept(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const key = file.at("activation_offloading");
    if (key == nullptr || file.isOff("activation_offloading") ||
        file.isOn("gradient_checkpointing")) {
        return {};
    }
    return {{key,
             "activation_offloading without gradient_checkpointing",
             "gradient_checkpointing: true"}};
}

LintHits unpinnedOnTheGpu(const LintView& view) {
    const char* const path = "fsdp_config.cpu_offload_pin_memory";
    if (!view.file.isOff(path) || view.file.isOn("fsdp_config.offload_params")) {
        return {};
    }
    return {{view.file.at(path),
             "cpu_offload_pin_memory is off, and nothing is offloaded",
             "offload_params: true, or leave it out"}};
}

LintHits twoBatches(const LintView& view) {
    const LintFile& file = view.file;
    return file.has("batch_size") && file.has("gradient_accumulation_steps")
               ? LintHits{{file.at("batch_size"),
                           "batch_size and gradient_accumulation_steps are both there",
                           "one of the two"}}
               : LintHits{};
}

LintHits twoHalves(const LintView& view) {
    return view.file.isOn("fp16") && view.file.isOn("bf16")
               ? LintHits{{view.file.at("fp16"), "fp16 and bf16 are both on", "leave fp16 out"}}
               : LintHits{};
}

LintHits mixedSamples(const LintView& view) {
    const LintFile& file = view.file;
    const std::string attention = file.text("attn_implementation");
    const bool isOld = std::ranges::any_of(
        std::array{"flash_attention", "flex_attention", "xformers_attention", "sdp_attention"},
        [&file](const char* key) { return file.isOn(key); });
    if (!file.isOn("sample_packing") || isOld || separatesSamples(attention)) {
        return {};
    }
    return {{file.at("sample_packing"),
             attention.empty() ? "sample_packing, and attn_implementation is not said"
                               : "sample_packing with " + attention + " attention",
             "attn_implementation: flash_attention_2"}};
}

LintHits eightBitsForFour(const LintView& view) {
    const LintFile& file = view.file;
    return file.text("adapter") == "qlora" && file.isOn("load_in_8bit")
               ? LintHits{{file.at("load_in_8bit"),
                           "adapter is qlora, and load_in_8bit is on",
                           "load_in_8bit: false, load_in_4bit: true"}}
               : LintHits{};
}

LintHits idlePlugin(const LintView& view) {
    const LintFile& file = view.file;
    return file.whole("expert_parallel_size", 1) > 1 && !file.has("plugins")
               ? LintHits{{file.at("expert_parallel_size"),
                           "expert_parallel_size without its plugin",
                           "plugins: [axolotl.integrations.expert_parallel.ExpertParallelPlugin]"}}
               : LintHits{};
}

/// Whether Python would take what the key says for true.
bool isTruthy(const LintFile& file, const std::string& key) {
    const LaunchKey* const found = file.at(key);
    const bool isZero = found != nullptr && numberOf(*found).value_or(1.0) == 0.0;
    return found != nullptr && !file.text(key).empty() && !file.isOff(key) && !isZero;
}

/// Of schemas/validation.py, in Axolotl 0.19.
LintHits twoSchedules(const LintView& view) {
    constexpr std::array<std::pair<const char*, const char*>, 3> kPairs = {
        {{"warmup_steps", "warmup_ratio"},
         {"saves_per_epoch", "save_steps"},
         {"evals_per_epoch", "eval_steps"}}};
    LintHits hits;
    for (const auto& [one, other] : kPairs) {
        if (isTruthy(view.file, one) && isTruthy(view.file, other)) {
            hits.push_back({view.file.at(other),
                            std::string(one) + " and " + other + " are both there",
                            std::string("leave ") + other + " out"});
        }
    }
    return hits;
}

LintHits nothingToEvaluate(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const size = file.at("val_set_size");
    const bool isNothing = size != nullptr && numberOf(*size).value_or(1.0) == 0.0;
    const std::string strategy = file.text("eval_strategy");
    const char* const asks = isTruthy(file, "eval_steps") ? "eval_steps" : "eval_strategy";
    if (!isNothing || !isTruthy(file, asks) || strategy == "no" ||
        file.keys().has("test_datasets")) {
        return {};
    }
    return {{file.at(asks),
             std::string(asks) + " with val_set_size 0, and no test_datasets",
             std::string("leave ") + asks + " out, or val_set_size: 0.05"}};
}

/// check_dataset_or_pretraining_dataset of schemas/validation.py.
LintHits nothingToLearn(const LintView& view) {
    const LaunchKeys& keys = view.file.keys();
    const auto says = [&](const char* name) {
        const LaunchKey* const key = keys.find(name);
        return key == nullptr ? keys.has(name)
                              : key->values.size() != 1 || !view.file.text(name).empty();
    };
    return says("datasets") || says("pretraining_dataset")
               ? LintHits{}
               : LintHits{{nullptr,
                           "neither datasets nor pretraining_dataset is there",
                           "datasets: [{path: tatsu-lab/alpaca, type: alpaca}], or your own"}};
}

/// load_model (axolotl/loaders/model.py) then writes the length into the model's config.
LintHits beyondPositions(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t length = file.whole("sequence_len", 0);
    const std::int64_t positions = view.facts.positions.value_or(0);
    const bool scales = file.has("rope_scaling") || file.keys().has("rope_scaling") ||
                        file.keys().has("overrides_of_model_config") ||
                        file.keys().has("overrides_of_model_kwargs");
    return positions > 0 && length > positions && !scales
               ? LintHits{{file.at("sequence_len"),
                           "sequence_len " + std::to_string(length) +
                               ", and the model has positions for " + std::to_string(positions),
                           "sequence_len: " + std::to_string(positions) +
                               ", or overrides_of_model_config with rope_scaling"}}
               : LintHits{};
}

LintHits packedPreferences(const LintView& view) {
    const LintFile& file = view.file;
    return isTruthy(file, "sample_packing") && isTruthy(file, "rl")
               ? LintHits{{file.at("sample_packing"),
                           "sample_packing with rl " + file.text("rl"),
                           "sample_packing: false"}}
               : LintHits{};
}

LintHits kernelsOfEightBits(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    for (const char* const kernel : kLoraKernels) {
        if (isTruthy(file, kernel) && file.text("adapter") == "lora" &&
            isTruthy(file, "load_in_8bit")) {
            hits.push_back({file.at(kernel),
                            std::string(kernel) + " with an adapter on a base of 8 bits",
                            std::string(kernel) + ": false"});
        }
    }
    return hits;
}

/// check_fsdp_offload_w_8bit_optimizer of schemas/validation.py.
LintHits offloadedEightBits(const LintView& view) {
    const LintFile& file = view.file;
    const std::string optimizer = file.text("optimizer");
    const bool isOffloaded = file.isOn("fsdp_config.offload_params");
    return isSharded(file) && !isSecondFsdp(file) && isOffloaded &&
                   optimizer.find("8bit") != std::string::npos
               ? LintHits{{file.at("optimizer"),
                           "optimizer " + optimizer + " with offload_params under FSDP1",
                           "optimizer: adamw_torch_fused, or offload_params: false"}}
               : LintHits{};
}

/// LEGACY_ATTN_FLAG_TO_IMPL of schemas/enums.py.
LintHits twoAttentions(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    for (const char* const old : {"xformers_attention",
                                  "sage_attention",
                                  "flex_attention",
                                  "flash_attention",
                                  "sdp_attention",
                                  "eager_attention"}) {
        if (isTruthy(file, old) && isTruthy(file, "attn_implementation")) {
            hits.push_back({file.at(old),
                            std::string(old) + " beside attn_implementation " +
                                file.text("attn_implementation"),
                            "attn_implementation alone"});
        }
    }
    return hits;
}

constexpr std::array kAxolotlRules = {
    LintRule{"AX01",
             LintSeverity::Error,
             "QLoRA over a whole base",
             "Axolotl ends at the start.",
             &wholeBase},
    LintRule{"AX02",
             LintSeverity::Error,
             "quantized weights without an adapter",
             "Axolotl ends at the start: nothing can be trained.",
             &frozenBase},
    LintRule{"AX03",
             LintSeverity::Error,
             "bitsandbytes' Adam under FSDP2",
             "Axolotl ends at the start.",
             &bnbUnderFsdp2},
    LintRule{"AX04",
             LintSeverity::Error,
             "quantization on rank 0 under FSDP2",
             "The scatter of the weights would never end: Axolotl refuses it.",
             &quantizedOnRankZero},
    LintRule{"AX05",
             LintSeverity::Error,
             "ring attention that its kernel does not have",
             "Axolotl ends at the start.",
             &packedRing},
    LintRule{"AX19",
             LintSeverity::Error,
             "shards without FSDP",
             "Axolotl ends at the start: only FSDP shards over data ranks.",
             &shardsOfNothing},
    LintRule{"AX20",
             LintSeverity::Warning,
             "a ring that does not part packed samples",
             "Samples of a pack attend to each other: the ring takes no positions.",
             &ringForOthers},
    LintRule{"AX21",
             LintSeverity::Error,
             "a ring of packed samples without packing",
             "It is given no lengths, and ends in the first step.",
             &ringWithoutPacks},
    LintRule{"AX06",
             LintSeverity::Error,
             "Muon without FSDP2",
             "Axolotl ends at the start.",
             &muonElsewhere},
    LintRule{"AX07",
             LintSeverity::Error,
             "fsdp and deepspeed in one file",
             "Axolotl ends at the start.",
             &refusedPair},
    LintRule{"AX18",
             LintSeverity::Warning,
             "fsdp_config and deepspeed in one file",
             "Axolotl takes it, and starts with one of the two.",
             &silentPair},
    LintRule{"AX08",
             LintSeverity::Warning,
             "an 8-bit optimizer over tensor ranks",
             "It is meant to be refused and is not: its states do not match the shards.",
             &splitEightBits},
    LintRule{"AX09",
             LintSeverity::Warning,
             "FSDP1",
             "Axolotl calls it deprecated; FSDP2 shards each parameter and holds less memory.",
             &oldFsdp},
    LintRule{"AX10",
             LintSeverity::Warning,
             "whole gradients between micro-batches",
             "Each rank keeps the gradients of the whole model until the last micro-batch.",
             &wholeGradients},
    LintRule{"AX11",
             LintSeverity::Error,
             "offloaded activations that are not checkpointed",
             "Axolotl ends at the start.",
             &offloadsWhatIsKept},
    LintRule{"AX12",
             LintSeverity::Error,
             "pinning without offload",
             "Axolotl ends at the start.",
             &unpinnedOnTheGpu},
    LintRule{
        "AX13", LintSeverity::Error, "two batch sizes", "Axolotl ends at the start.", &twoBatches},
    LintRule{"AX14",
             LintSeverity::Warning,
             "fp16 and bf16 are both on",
             "Axolotl takes it, and one of the two is not what trains.",
             &twoHalves},
    LintRule{"AX15",
             LintSeverity::Warning,
             "packed samples that see each other",
             "Each sample attends to those packed before it: the model learns from text that is "
             "not its own.",
             &mixedSamples},
    LintRule{"AX16",
             LintSeverity::Error,
             "QLoRA in 8 bits",
             "Axolotl ends at the start.",
             &eightBitsForFour},
    LintRule{"AX17",
             LintSeverity::Warning,
             "expert parallelism without its plugin",
             "The key is dropped: every rank holds all experts.",
             &idlePlugin},
    LintRule{"AX22",
             LintSeverity::Error,
             "two that say how often",
             "Axolotl ends at the start.",
             &twoSchedules},
    LintRule{"AX23",
             LintSeverity::Error,
             "an evaluation of no samples",
             "Axolotl ends at the start.",
             &nothingToEvaluate},
    LintRule{"AX24",
             LintSeverity::Error,
             "packing of preferences",
             "Axolotl ends at the start.",
             &packedPreferences},
    LintRule{"AX25",
             LintSeverity::Error,
             "kernels of adapters on 8 bits",
             "Axolotl ends at the start.",
             &kernelsOfEightBits},
    LintRule{"AX26",
             LintSeverity::Error,
             "an optimizer of 8 bits whose weights are offloaded by FSDP1",
             "Axolotl refuses it.",
             &offloadedEightBits},
    LintRule{"AX27",
             LintSeverity::Error,
             "a run without data",
             "Axolotl ends at the start.",
             &nothingToLearn,
             true},
    LintRule{"AX28",
             LintSeverity::Warning,
             "sequences longer than the model's positions",
             "Axolotl takes it, and says so in its log: positions that the model has not seen are "
             "learned from nothing.",
             &beyondPositions},
    LintRule{"AX30",
             LintSeverity::Error,
             "two losses of Liger at once",
             "Its plugin ends the start: it cannot have both.",
             &twoLosses},
    LintRule{"AX29",
             LintSeverity::Error,
             "attention that is said in two ways",
             "Axolotl ends at the start.",
             &twoAttentions}};

}  // namespace

std::span<const LintRule> axolotlRules() {
    return kAxolotlRules;
}

}  // namespace fabricast
