#include "tests/programs/real_rows/memory_report.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fabricast {

namespace {

/// A GPU as people write it, and its profile where the memory is the one given, in GB; 0 is any.
struct GpuWords {
    std::string_view written;
    int memory;
    std::string_view profile;
};
/// The first that is written decides: longer names stand before those they begin with.
constexpr std::array kGpus = {GpuWords{"a100", 40, "a100-sxm4-40gb"},
                              GpuWords{"a100", 80, "a100-sxm4-80gb"},
                              GpuWords{"a800", 80, "a800-sxm4-80gb"},
                              GpuWords{"gh200", 96, "h100-sxm5-96gb-500w"},
                              GpuWords{"h100", 96, "h100-sxm5-96gb-500w"},
                              GpuWords{"h100", 80, "h100-sxm5-80gb"},
                              GpuWords{"h100", 0, "h100-sxm5-80gb"},
                              GpuWords{"h800", 0, "h800-sxm5-80gb"},
                              GpuWords{"h200", 0, "h200-sxm-141gb"},
                              GpuWords{"h20", 0, "h20-96gb"},
                              GpuWords{"gb200", 0, "gb200-186gb"},
                              GpuWords{"gb300", 0, "gb300-288gb"},
                              GpuWords{"b200", 0, "b200-sxm-180gb"},
                              GpuWords{"b300", 0, "b300-sxm-288gb"},
                              GpuWords{"v100", 16, "v100-sxm2-16gb"},
                              GpuWords{"v100", 32, "v100-sxm2-32gb"},
                              GpuWords{"a10g", 0, "a10g"},
                              GpuWords{"a6000", 0, "rtx-a6000"},
                              GpuWords{"rtx 3090", 0, "rtx-3090"},
                              GpuWords{"rtx 4090", 0, "rtx-4090"},
                              GpuWords{"rtx 5090", 0, "rtx-5090"},
                              GpuWords{"l40s", 0, "l40s"},
                              GpuWords{"l4 ", 0, "l4"},
                              GpuWords{"t4 ", 0, "t4"},
                              GpuWords{"mi300x", 0, "mi300x"},
                              GpuWords{"mi325x", 0, "mi325x"},
                              GpuWords{"mi350x", 0, "mi350x"},
                              GpuWords{"mi355x", 0, "mi355x"}};

/// Where a row gives the size of the memory alone.
constexpr std::array kSizes = {GpuWords{"16gb", 16, "v100-sxm2-16gb"},
                               GpuWords{"24gb", 24, "rtx-4090"},
                               GpuWords{"32gb", 32, "v100-sxm2-32gb"},
                               GpuWords{"40gb", 40, "a100-sxm4-40gb"},
                               GpuWords{"48gb", 48, "rtx-a6000"},
                               GpuWords{"80gb", 80, "a100-sxm4-80gb"},
                               GpuWords{"96gb", 96, "h100-sxm5-96gb-500w"}};

/// The size that the cell names ("A100 80GB"), or the nearest above what the driver reports; or
/// nullptr.
Result<const GpuWords*> sizeOf(const MemoryReport& report) {
    const std::string gpu = report.words("gpu");
    FABRICAST_ASSIGN(const std::optional<double> capacity, report.number("capacity_gib"));
    for (const GpuWords& size : kSizes) {
        const bool reported = capacity && *capacity <= size.memory && *capacity > 0.9 * size.memory;
        if (gpu.find(size.written) != std::string::npos || (!gpu.empty() && reported)) {
            return &size;
        }
    }
    return nullptr;
}

/// Models of one shape under other names.
struct ModelWords {
    std::string_view written;
    std::string_view name;
};
constexpr std::array kModels = {ModelWords{"gpt2-124m", "gpt2"},
                                ModelWords{"llama-3.1-70b", "llama-3.1-70b"},
                                ModelWords{"llama-guard-3-8b", "llama-3.1-8b"},
                                ModelWords{"llama2-", "llama-2-"},
                                ModelWords{"llama3-", "llama-3-"},
                                ModelWords{"llama3.1-", "llama-3.1-"},
                                ModelWords{"meta-llama-", "llama-"},
                                ModelWords{"qwen2-7b", "qwen2.5-7b"},
                                ModelWords{"qwen2-72b", "qwen2.5-72b"},
                                ModelWords{"64.69b dense", "llama-65b"},
                                ModelWords{"vicuna-7b", "llama-7b"},
                                ModelWords{"vicuna-13b", "llama-13b"},
                                ModelWords{"alpaca-7b", "llama-7b"}};

/// Parts of a model that no forecast here counts.
constexpr std::array<std::string_view, 8> kBeside = {
    "vl-", "-vl", "llava", "vla", "clip", "siglip", "vision", " + "};

struct StackWords {
    std::string_view written;
    std::string_view stack;
};
/// In the order in which they are looked for, in the cells of the stack and then of the layout.
constexpr std::array kStacks = {StackWords{"torchtitan", "torchtitan"},
                                StackWords{"automodel", "torchtitan"},
                                StackWords{"megatron-bridge", "nemo"},
                                StackWords{"nemo megatron", "nemo"},
                                StackWords{"megatron", "megatron"},
                                StackWords{"gpt-neox", "megatron"},
                                StackWords{"deepspeed", "deepspeed"},
                                StackWords{"zero1", "deepspeed"},
                                StackWords{"zero2", "deepspeed"},
                                StackWords{"zero3", "deepspeed"},
                                StackWords{"fsdp2", "fsdp2"},
                                StackWords{"fsdp1", "fsdp1"},
                                StackWords{"fsdp", "fsdp1"},
                                StackWords{"ddp", "ddp"},
                                StackWords{"single", "ddp"}};

/// Software whose GPU holds more than one training run, or that replaces the layers.
constexpr std::array<std::string_view, 13> kElsewhere = {"colossal",
                                                         "verl",
                                                         "slime",
                                                         "openrlhf ppo",
                                                         "openrlhf dpo",
                                                         "deepspeed-chat",
                                                         "nemo-rl",
                                                         "unsloth",
                                                         "several processes",
                                                         "thunder",
                                                         "sentence-transformers",
                                                         "ep",
                                                         "parlai"};

bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string upTo(const std::string& text, std::string_view end) {
    return text.substr(0, text.find(end));
}

}  // namespace

Result<NamedGpu> gpuOf(const MemoryReport& report) {
    const std::string gpu = report.words("gpu");
    FABRICAST_ASSIGN(const GpuWords* size, sizeOf(report));
    for (const GpuWords& known : kGpus) {
        if (holds(gpu, known.written) && !holds(gpu, " + ") &&
            (known.memory == 0 || (size != nullptr && known.memory == size->memory))) {
            return NamedGpu{std::string(known.profile)};
        }
    }
    const bool onlySize =
        std::ranges::none_of(upTo(upTo(gpu, " ("), "gb"),
                             [](unsigned char letter) { return std::isalpha(letter) != 0; });
    if (size != nullptr && onlySize && !gpu.empty()) {
        return NamedGpu{std::string(size->profile), true};
    }
    return fail(Error::Code::Unsupported,
                "gpu",
                gpu.empty() ? "the cell is empty"
                            : "no GPU profile is '" + report.text("gpu") + "' for certain");
}

Result<std::string> modelOf(const MemoryReport& report) {
    const std::string model = report.words("model");
    for (const std::string_view part : kBeside) {
        if (holds(model, part)) {
            return fail(Error::Code::Unsupported,
                        "model",
                        "'" + report.text("model") + "' has more than a language model");
        }
    }
    std::string name = upTo(upTo(model, " ("), "-bnb-4bit");
    for (const ModelWords& known : kModels) {
        if (name.starts_with(known.written)) {
            const bool whole = !known.written.ends_with("-");
            return std::string(known.name) + (whole ? "" : name.substr(known.written.size()));
        }
    }
    if (name.empty()) {
        return fail(Error::Code::BadInput, "model", "the cell is empty");
    }
    return name;
}

Result<std::string> stackOf(const MemoryReport& report) {
    const std::string stack = report.words("stack");
    const std::string tuning = report.words("tuning");
    for (const std::string_view part : kElsewhere) {
        const bool isWord = part != "ep" || stack.ends_with("+ep");
        if (isWord && holds(stack, part)) {
            return fail(Error::Code::Unsupported,
                        "stack",
                        "'" + report.text("stack") + "' is not modelled");
        }
    }
    for (const std::string_view several : {"ppo", "dpo", "reward", "grpo"}) {
        if (holds(tuning, several) || report.says("model", several)) {
            return fail(Error::Code::Unsupported,
                        "tuning",
                        "reinforcement learning and preference tuning are not modelled");
        }
    }
    for (const std::string& cell : {stack, report.words("layout")}) {
        for (const StackWords& known : kStacks) {
            if (holds(cell, known.written)) {
                return std::string(known.stack);
            }
        }
    }
    FABRICAST_ASSIGN(const std::optional<double> gpus, report.number("gpus"));
    if (gpus && *gpus == 1) {
        return std::string("ddp");
    }
    return fail(Error::Code::BadInput,
                "layout",
                "'" + report.text("stack") + "' does not say how the GPUs divide the work");
}

}  // namespace fabricast
