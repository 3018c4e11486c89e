#include "planner/launch/hugging_face_arguments.h"
#include "planner/lint/framework_files.h"

namespace fabricast {
namespace {

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
    if (!axolotlUsesFsdp2(view.file) || !refused) {
        return {};
    }
    return {{view.file.at("optimizer"),
             "optimizer " + optimizer + " under FSDP2",
             "optimizer: adamw_torch_8bit"}};
}

LintHits quantizedOnRankZero(const LintView& view) {
    const char* const path = "fsdp_config.cpu_ram_efficient_loading";
    if (!axolotlUsesFsdp2(view.file) || !view.file.isOn("load_in_4bit") || !view.file.isOn(path)) {
        return {};
    }
    return {{view.file.at(path),
             "cpu_ram_efficient_loading with load_in_4bit under FSDP2",
             "cpu_ram_efficient_loading: false"}};
}

LintHits wholeOnEachGpu(const LintView& view) {
    const char* const path = "fsdp_config.cpu_ram_efficient_loading";
    if (!axolotlUsesFsdp2(view.file) || !view.file.isOn("load_in_4bit") || view.file.isOn(path)) {
        return {};
    }
    return {{view.file.at("load_in_4bit"),
             "load_in_4bit under FSDP2: each GPU has to hold the whole base once",
             "load_in_4bit: false, adapter: lora"}};
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

LintHits eightBitsForFour(const LintView& view) {
    const LintFile& file = view.file;
    return file.text("adapter") == "qlora" && file.isOn("load_in_8bit")
               ? LintHits{{file.at("load_in_8bit"),
                           "adapter is qlora, and load_in_8bit is on",
                           "load_in_8bit: false, load_in_4bit: true"}}
               : LintHits{};
}

LintHits kernelsOfEightBits(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    for (const char* const kernel : kLoraKernels) {
        if (axolotlTakesAsTrue(file, kernel) && file.text("adapter") == "lora" &&
            axolotlTakesAsTrue(file, "load_in_8bit")) {
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
    return axolotlShards(file) && !axolotlUsesFsdp2(file) && isOffloaded &&
                   optimizer.find("8bit") != std::string::npos
               ? LintHits{{file.at("optimizer"),
                           "optimizer " + optimizer + " with offload_params under FSDP1",
                           "optimizer: adamw_torch_fused, or offload_params: false"}}
               : LintHits{};
}

constexpr std::array kAxolotlAdapterRules = {
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
    LintRule{"AX31",
             LintSeverity::Note,
             "a base of 4 bits that is whole on each GPU before it is cut",
             "Where it is larger than a GPU, loading ends out of memory: with a cluster that is "
             "forecast.",
             &wholeOnEachGpu},
    LintRule{"AX08",
             LintSeverity::Warning,
             "an 8-bit optimizer over tensor ranks",
             "It is meant to be refused and is not: its states do not match the shards.",
             &splitEightBits},
    LintRule{"AX16",
             LintSeverity::Error,
             "QLoRA in 8 bits",
             "Axolotl ends at the start.",
             &eightBitsForFour},
    LintRule{"AX25",
             LintSeverity::Error,
             "kernels of adapters on 8 bits",
             "Axolotl ends at the start.",
             &kernelsOfEightBits},
    LintRule{"AX26",
             LintSeverity::Error,
             "an optimizer of 8 bits whose weights are offloaded by FSDP1",
             "Axolotl refuses it.",
             &offloadedEightBits}};

}  // namespace

std::span<const LintRule> axolotlAdapterRules() {
    return kAxolotlAdapterRules;
}

}  // namespace fabricast
