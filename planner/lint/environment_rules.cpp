#include "planner/launch/allocator_options.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// What is exported to find a fault, and costs time when it stays.
struct LeftOver {
    std::string_view name;
    std::string_view value;  ///< empty: any but 0
    std::string_view costs;
};
constexpr std::array kLeftOvers = {
    LeftOver{"NCCL_P2P_DISABLE", "1", "GPUs of a node talk through host memory"},
    LeftOver{"NCCL_IB_DISABLE", "1", "nodes talk through TCP instead of InfiniBand or RoCE"},
    LeftOver{"NCCL_SHM_DISABLE", "1", "GPUs without a direct path talk through the network"},
    LeftOver{"NCCL_NVLS_ENABLE",
             "0",
             "all-reduces do not use the switches of NVLink, whose buffers it saves"},
    LeftOver{"NCCL_DEBUG", "TRACE", "each call is written to the log"},
    LeftOver{"CUDA_LAUNCH_BLOCKING", "1", "the host waits for every kernel"},
    LeftOver{"TORCH_NCCL_BLOCKING_WAIT", "1", "the host waits for every collective"},
    LeftOver{"NCCL_BLOCKING_WAIT", "1", "the host waits for every collective"},
    LeftOver{"TORCH_DISTRIBUTED_DEBUG", "DETAIL", "every collective is checked first"},
    LeftOver{"PYTORCH_NO_CUDA_MEMORY_CACHING", "", "every tensor is allocated by the driver"},
    LeftOver{"TORCH_USE_CUDA_DSA", "1", "kernels check themselves"},
    LeftOver{"NCCL_ALGO", "", "NCCL no longer chooses by size"},
    LeftOver{"NCCL_PROTO", "", "NCCL no longer chooses by size"}};

LintHits leftForDebugging(const LintView& view) {
    LintHits hits;
    for (const LeftOver& one : kLeftOvers) {
        const LaunchKey* const key = view.file.at("env " + std::string(one.name));
        if (key == nullptr || key->values.front().empty() ||
            (one.value.empty() ? key->values.front() == "0" : key->values.front() != one.value)) {
            continue;
        }
        hits.push_back(
            {key,
             std::string(one.name) + "=" + key->values.front() + ": " + std::string(one.costs),
             "leave it out once the fault is found"});
    }
    return hits;
}

/// Whether the program that a script starts sets the variable anew, before PyTorch looks at it.
bool isSetAnew(const LintView& view, const LaunchKey& key) {
    return std::ranges::any_of(view.files, [&](const LintFile& one) {
        const LaunchKey* const own = one.at("env " + variableName(key));
        return &one != &view.file && one.keys().source().ends_with(".py") && own != nullptr &&
               own->file.empty();
    });
}

LintHits refusedOptions(const LintView& view) {
    const LaunchKey* const key = allocatorVariable(view.file.keys());
    LintHits hits;
    if (key == nullptr || isSetAnew(view, *key)) {
        return hits;
    }
    for (const AllocatorOption& option : allocatorOptions(key->values.front())) {
        if (std::string fix = mendedOption(option); !fix.empty()) {
            hits.push_back({.at = key,
                            .what = variableName(*key) + " has " +
                                    (option.text().empty() ? "an empty option" : option.text()),
                            .fix = std::move(fix)});
        }
    }
    return hits;
}

constexpr std::array kEnvironmentRules = {
    LintRule{"LN06",
             LintSeverity::Warning,
             "a switch that was set to find a fault",
             "It stays after the fault was found, and costs time in every step.",
             &leftForDebugging},
    LintRule{"LN08",
             LintSeverity::Error,
             "an option of PyTorch's allocator that it refuses",
             "Each rank ends where it first asks for memory.",
             &refusedOptions}};

}  // namespace

std::span<const LintRule> environmentRules() {
    return kEnvironmentRules;
}

}  // namespace fabricast
