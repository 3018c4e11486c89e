#include "planner/launch/launch_files.h"
#include "study/flag_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

struct TuneWord {
    std::string_view path;
    std::string_view value;
    std::string_view key;
    std::string_view said;
};
/// Keys of torchtune 0.6.1's recipes, and what they say of a change.
constexpr std::array kTuneWords = {
    TuneWord{"layout.recompute", "full", "enable_activation_checkpointing", "True"},
    TuneWord{"layout.recompute", "none", "enable_activation_checkpointing", "False"},
    TuneWord{"layout.offload", "activations", "enable_activation_offloading", "True"},
    TuneWord{"layout.offload", "parameters_cpu", "fsdp_cpu_offload", "True"},
    TuneWord{"settings.kernels.compile", "true", "compile", "True"},
    TuneWord{"settings.torch.reshard", "always", "fsdp_reshard_after_forward", "True"},
    TuneWord{"settings.torch.reshard", "never", "fsdp_reshard_after_forward", "False"},
    TuneWord{"settings.lora.base", "nf4", "model.quantize_base", "True"},
    TuneWord{"workload.optimizer",
             "paged_adamw_8bit",
             "optimizer._component_",
             "bitsandbytes.optim.PagedAdamW8bit"}};

/// Of no config, but of whoever starts it.
constexpr const char* kAllocatorVariable = "PYTORCH_CUDA_ALLOC_CONF";

using TuneSaid = std::pair<std::string, std::string>;

/// bitsandbytes has no sharded tensors, for which torchao's are.
std::string eightBits(const Scenario& then) {
    return then.stack == "fsdp2" ? "torchao.optim.AdamW8bit" : "bitsandbytes.optim.AdamW8bit";
}

/// The keys of one edit; none where no recipe has them.
std::vector<TuneSaid> tuneKeysOf(const Edit& edit, const Scenario& then) {
    if (edit.path == "layout.micro_batch") {
        return {{"batch_size", edit.value},
                {"gradient_accumulation_steps", std::to_string(accumulationOf(then))}};
    }
    if (edit.path == "settings.allocator" && edit.value == "expandable_segments") {
        return {{kAllocatorVariable, "expandable_segments:True"}};
    }
    if (edit.path == "workload.optimizer" && edit.value == "adamw_8bit") {
        return {{"optimizer._component_", eightBits(then)}};
    }
    const auto* const found = std::ranges::find_if(kTuneWords, [&edit](const TuneWord& one) {
        return one.path == edit.path && one.value == edit.value;
    });
    return found == kTuneWords.end()
               ? std::vector<TuneSaid>()
               : std::vector<TuneSaid>{{std::string(found->key), std::string(found->said)}};
}

/// Whether a key stands behind the recipe, and not in its config.
bool isTypedOver(const OpenedFile& config, const std::string& key) {
    const LaunchKey* const said = config.keys.find(key);
    return said != nullptr && !said->file.empty();
}

/// "compile: True", "model: {quantize_base: True}", and "compile=True" where it is typed.
std::string saidAs(const OpenedFile& config, const TuneSaid& word) {
    const auto& [key, value] = word;
    if (key == kAllocatorVariable) {
        return "export " + key + "=" + value;
    }
    if (isTypedOver(config, key)) {
        return key + "=" + value;
    }
    const std::size_t dot = key.find('.');
    return dot == std::string::npos
               ? key + ": " + value
               : key.substr(0, dot) + ": {" + key.substr(dot + 1) + ": " + value + "}";
}

}  // namespace

std::string tuneWords(const OpenedFile& config, std::span<const Edit> edits, const Scenario& then) {
    std::string text;
    if (then.layout.offload == Offload::Activations &&
        then.settings.recompute.kind == Checkpointing::None) {
        return "";  // torchtune ends at the start: it offloads what checkpoints keep
    }
    for (const Edit& edit : edits) {
        if (edit.path == "workload.global_batch") {
            continue;  // held at what it is
        }
        const std::vector<TuneSaid> words = tuneKeysOf(edit, then);
        if (words.empty()) {
            return "";
        }
        for (const TuneSaid& word : words) {
            text += (text.empty() ? "" : ", ") + saidAs(config, word);
        }
        // Other optimizers than PyTorch's own have no such argument.
        if (edit.path == "workload.optimizer" && config.keys.has("optimizer.fused")) {
            text += " without optimizer.fused";
        }
    }
    return text;
}

}  // namespace fabricast
