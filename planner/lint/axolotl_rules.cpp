#include "planner/launch/hugging_face_arguments.h"
#include "planner/lint/framework_files.h"

#include <algorithm>

namespace fabricast {
namespace {

/// The plugin of integrations/liger: one loss takes the place of the other.
LintHits twoLosses(const LintView& view) {
    const LintFile& file = view.file;
    return file.isOn("liger_cross_entropy") && file.isOn("liger_fused_linear_cross_entropy")
               ? LintHits{{file.at("liger_cross_entropy"),
                           "liger_cross_entropy beside liger_fused_linear_cross_entropy",
                           "liger_fused_linear_cross_entropy: true alone"}}
               : LintHits{};
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

LintHits idlePlugin(const LintView& view) {
    const LintFile& file = view.file;
    return file.whole("expert_parallel_size", 1) > 1 && !file.has("plugins")
               ? LintHits{{file.at("expert_parallel_size"),
                           "expert_parallel_size without its plugin",
                           "plugins: [axolotl.integrations.expert_parallel.ExpertParallelPlugin]"}}
               : LintHits{};
}

/// Of schemas/validation.py, in Axolotl 0.19.
LintHits twoSchedules(const LintView& view) {
    constexpr std::array<std::pair<const char*, const char*>, 3> kPairs = {
        {{"warmup_steps", "warmup_ratio"},
         {"saves_per_epoch", "save_steps"},
         {"evals_per_epoch", "eval_steps"}}};
    LintHits hits;
    for (const auto& [one, other] : kPairs) {
        if (axolotlTakesAsTrue(view.file, one) && axolotlTakesAsTrue(view.file, other)) {
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
    const char* const asks =
        axolotlTakesAsTrue(file, "eval_steps") ? "eval_steps" : "eval_strategy";
    if (!isNothing || !axolotlTakesAsTrue(file, asks) || strategy == "no" ||
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
    return axolotlTakesAsTrue(file, "sample_packing") && axolotlTakesAsTrue(file, "rl")
               ? LintHits{{file.at("sample_packing"),
                           "sample_packing with rl " + file.text("rl"),
                           "sample_packing: false"}}
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
        if (axolotlTakesAsTrue(file, old) && axolotlTakesAsTrue(file, "attn_implementation")) {
            hits.push_back({file.at(old),
                            std::string(old) + " beside attn_implementation " +
                                file.text("attn_implementation"),
                            "attn_implementation alone"});
        }
    }
    return hits;
}

constexpr std::array kAxolotlRules = {
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
    LintRule{"AX29",
             LintSeverity::Error,
             "attention that is said in two ways",
             "Axolotl ends at the start.",
             &twoAttentions},
    LintRule{"AX30",
             LintSeverity::Error,
             "two losses of Liger at once",
             "Its plugin ends the start: it cannot have both.",
             &twoLosses}};

}  // namespace

std::span<const LintRule> axolotlRules() {
    return kAxolotlRules;
}

}  // namespace fabricast
