#include "planner/launch/torchtune.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// The recipe that reads the config, where a script says which: "lora_finetune_distributed".
std::string tunedBy(const LintView& view) {
    for (const LintFile& one : view.files) {
        if (std::string recipe = one.text(kTuneKey); !recipe.empty()) {
            return recipe;
        }
    }
    return "";
}

LintHits offloadedWithoutCheckpoints(const LintView& view) {
    const char* const path = "enable_activation_offloading";
    const bool isAlone = view.file.isOn(path) && !view.file.isOn("enable_activation_checkpointing");
    return isAlone ? LintHits{{view.file.at(path),
                               "enable_activation_offloading without checkpointing",
                               "enable_activation_checkpointing: True"}}
                   : LintHits{};
}

LintHits accumulatedInBackward(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.isOn("optimizer_in_bwd")) {
        return {};
    }
    if (file.whole("gradient_accumulation_steps", 1) > 1) {
        return {{file.at("gradient_accumulation_steps"),
                 "optimizer_in_bwd with gradient_accumulation_steps " +
                     file.text("gradient_accumulation_steps"),
                 "gradient_accumulation_steps: 1"}};
    }
    return file.text("clip_grad_norm").empty() ? LintHits{}
                                               : LintHits{{file.at("clip_grad_norm"),
                                                           "optimizer_in_bwd with clip_grad_norm",
                                                           "clip_grad_norm: null"}};
}

LintHits packedWithoutEnd(const LintView& view) {
    const LintFile& file = view.file;
    const bool isOpen = file.isOn("dataset.packed") && file.text("tokenizer.max_seq_len").empty();
    return isOpen ? LintHits{{file.at("dataset.packed"),
                              "dataset.packed, and tokenizer.max_seq_len does not say how long",
                              "tokenizer: {max_seq_len: 4096}"}}
                  : LintHits{};
}

/// Keys that recipes of several devices read; the others do not look for them.
LintHits ofSeveralDevices(const LintView& view) {
    constexpr std::array<std::string_view, 4> kOfSeveral = {"fsdp_cpu_offload",
                                                            "fsdp_reshard_after_forward",
                                                            "custom_sharded_layers",
                                                            "tensor_parallel_dim"};
    const std::string recipe = tunedBy(view);
    LintHits hits;
    for (const std::string_view path : kOfSeveral) {
        if (recipe.ends_with("_single_device") && view.file.has(path)) {
            hits.push_back({view.file.at(path),
                            std::string(path) + " in " + recipe,
                            "leave it out, or tune run a recipe that is distributed"});
        }
    }
    return hits;
}

LintHits undistributed(const LintView& view) {
    const std::string recipe = tunedBy(view);
    const bool isStarted = std::ranges::any_of(view.file.keys().all(), [](const LaunchKey& key) {
        return key.path.starts_with("torchrun --");
    });
    return recipe.ends_with("_distributed") && !isStarted
               ? LintHits{{view.file.at(kTuneKey),
                           recipe + " without a launcher",
                           "tune run --nproc_per_node 8 " + recipe}}
               : LintHits{};
}

LintHits unreadByAdapters(const LintView& view) {
    const char* const path = "optimizer_in_bwd";
    return tunedBy(view).starts_with("lora_") && view.file.isOn(path)
               ? LintHits{{view.file.at(path),
                           "optimizer_in_bwd in " + tunedBy(view),
                           "leave it out: recipes of adapters do not read it"}}
               : LintHits{};
}

LintHits fusedTensorRanks(const LintView& view) {
    const LintFile& file = view.file;
    return file.whole("tensor_parallel_dim", 1) > 1 && file.isOn("optimizer.fused")
               ? LintHits{{file.at("optimizer.fused"),
                           "a fused optimizer with tensor_parallel_dim " +
                               file.text("tensor_parallel_dim"),
                           "optimizer: {fused: False}"}}
               : LintHits{};
}

LintHits chunkedInVain(const LintView& view) {
    const LintFile& file = view.file;
    const bool isChunked = file.text("loss._component_").ends_with("CEWithChunkedOutputLoss");
    return isChunked && !file.isOn("compile")
               ? LintHits{{file.at(file.has("compile") ? "compile" : "loss"),
                           "chunks of the loss, and compile is off",
                           "compile: True"}}
               : LintHits{};
}

/// TuneRecipeArgumentParser.parse_known_args (torchtune/config/_parse.py) raises a ValueError.
LintHits dashedKeys(const LintView& view) {
    LintHits hits;
    if (!view.file.has(kTuneKey)) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        if (key.path.starts_with("--") && key.path != "--config") {
            hits.push_back(
                {&key,
                 key.path + " is no argument of a recipe",
                 key.path.substr(2) + "=" + (key.values.empty() ? "VALUE" : key.values.front())});
        }
    }
    return hits;
}

/// training.get_dtype (torchtune/training/precision.py), and every recipe that has an optimizer.
LintHits refusedPrecision(const LintView& view) {
    constexpr std::array<std::string_view, 3> kTaken = {"bf16", "fp32", "fp64"};
    const LintFile& file = view.file;
    const std::string dtype = file.text("dtype");
    const bool isOpen =
        dtype.empty() || dtype.starts_with('$') || !file.has("optimizer._component_");
    return isOpen || std::ranges::find(kTaken, dtype) != kTaken.end()
               ? LintHits{}
               : LintHits{{file.at("dtype"), "dtype is " + dtype, "dtype: bf16"}};
}

constexpr std::array kTuneStartRules = {
    LintRule{"TN09",
             LintSeverity::Error,
             "a key of the config behind dashes",
             "torchtune ends at the start: a recipe takes --config, and keys as name=value.",
             &dashedKeys}};

constexpr std::array kTuneRules = {
    LintRule{"TN01",
             LintSeverity::Error,
             "offload of activations without checkpointing",
             "torchtune ends at the start.",
             &offloadedWithoutCheckpoints},
    LintRule{
        "TN02",
        LintSeverity::Error,
        "an optimizer in backward that has to wait",
        "torchtune ends at the start: its step is taken before gradients are summed or clipped.",
        &accumulatedInBackward},
    LintRule{"TN03",
             LintSeverity::Error,
             "packed samples of no length",
             "torchtune ends where it makes the dataset.",
             &packedWithoutEnd},
    LintRule{"TN04",
             LintSeverity::Warning,
             "what a recipe of one device does not read",
             "It is ignored: nothing is sharded or offloaded.",
             &ofSeveralDevices},
    LintRule{"TN05",
             LintSeverity::Warning,
             "what a recipe of adapters does not read",
             "It is ignored: the optimizer steps behind the backward pass.",
             &unreadByAdapters},
    LintRule{"TN06",
             LintSeverity::Error,
             "a fused optimizer of tensor-parallel weights",
             "torchtune ends at the start.",
             &fusedTensorRanks},
    LintRule{
        "TN07",
        LintSeverity::Note,
        "chunks of a loss that is not compiled",
        "Each chunk's logits are kept in fp32 until backward: most of the memory is not saved.",
        &chunkedInVain},
    LintRule{"TN08",
             LintSeverity::Error,
             "a distributed recipe that starts as one process",
             "torchtune ends at the start: tune run takes torchrun's arguments before the recipe.",
             &undistributed},
    LintRule{"TN10",
             LintSeverity::Error,
             "a precision that no recipe trains in",
             "torchtune ends at the start: there is no scaling of gradients.",
             &refusedPrecision}};

}  // namespace

std::span<const LintRule> tuneStartRules() {
    return kTuneStartRules;
}

std::span<const LintRule> tuneRules() {
    return kTuneRules;
}

}  // namespace fabricast
