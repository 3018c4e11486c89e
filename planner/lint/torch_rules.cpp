#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fabricast {
namespace {

/// Keys of this path, each of which is a call.
std::int64_t callsOf(const LintFile& file, std::string_view call) {
    return std::ranges::count(file.keys().all(), call, &LaunchKey::path);
}

std::string ddpOf(const LintFile& file) {
    return file.has("DistributedDataParallel") ? "DistributedDataParallel" : "DDP";
}

/// Microbatches of a step, by the name that the program gives their number.
const LaunchKey* accumulationOf(const LintFile& file) {
    constexpr std::array<std::string_view, 3> kNames = {"accum", "grad_acc", "gradient_acc"};
    for (const LaunchKey& key : file.keys().all()) {
        std::string path = key.path;
        std::ranges::transform(path, path.begin(), [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
        const bool isNamed = std::ranges::any_of(
            kNames, [&path](std::string_view name) { return path.starts_with(name); });
        if (isNamed && numberOf(key).value_or(0.0) > 1.0) {
            return &key;
        }
    }
    return nullptr;
}

LintHits reducedTooOften(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const steps = accumulationOf(file);
    const bool isDdp = file.has(ddpOf(file)) && !file.has("fully_shard");
    if (!isDdp || steps == nullptr || file.has("no_sync") ||
        file.has("require_backward_grad_sync")) {
        return {};
    }
    return {{steps,
             steps->path + " is " + steps->values.front() +
                 ", and nothing keeps gradients from being reduced in each microbatch",
             "with model.no_sync(): around all but the last"}};
}

LintHits otherMesh(const LintView& view) {
    const LaunchKey* const sizes = view.file.at("init_device_mesh.1");
    const std::optional<std::int64_t> gpus = view.gpus();
    if (sizes == nullptr || !gpus) {
        return {};
    }
    std::int64_t product = 1;
    for (const std::string& one : sizes->values) {
        const bool isNumber = !one.empty() && one.size() < 7 &&
                              one.find_first_not_of("0123456789") == std::string::npos;
        if (!isNumber || product > 1'000'000) {
            return {};
        }
        product *= std::stoll(one);
    }
    return product == *gpus ? LintHits{}
                            : LintHits{{sizes,
                                        "the mesh is of " + std::to_string(product) +
                                            " ranks, and " + std::to_string(*gpus) + " start",
                                        "as many as start, or dist.get_world_size()"}};
}

LintHits unusedParameters(const LintView& view) {
    const std::string path = ddpOf(view.file) + ".find_unused_parameters";
    return view.file.isOn(path) ? LintHits{{view.file.at(path),
                                            "find_unused_parameters=True",
                                            "leave it out where every weight has a gradient"}}
                                : LintHits{};
}

LintHits wholeAsUnit(const LintView& view) {
    const LintFile& file = view.file;
    return callsOf(file, "fully_shard") == 1
               ? LintHits{{file.at("fully_shard"),
                           "fully_shard is called once, on the whole model",
                           "fully_shard(block) for each block, then for the model"}}
               : LintHits{};
}

bool saysSixteenBits(const LintFile& file) {
    constexpr std::array<const char*, 6> kTypes = {"from_config.dtype",
                                                   "from_config.torch_dtype",
                                                   "from_pretrained.dtype",
                                                   "from_pretrained.torch_dtype",
                                                   "MixedPrecisionPolicy.param_dtype",
                                                   "MixedPrecisionPolicy.0"};
    return file.has("autocast") || std::ranges::any_of(kTypes, [&file](const char* path) {
               return file.text(path).find("16") != std::string::npos;
           });
}

LintHits fullLoop(const LintView& view) {
    const LintFile& file = view.file;
    const bool fsdp = file.has("fully_shard");
    return saysSixteenBits(file)
               ? LintHits{}
               : LintHits{{file.at(fsdp ? "fully_shard" : ddpOf(file)),
                           "nothing is computed in 16 bits",
                           fsdp ? "mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16)"
                                : "torch.autocast(\"cuda\", dtype=torch.bfloat16)"}};
}

constexpr std::array kTorchRules = {
    LintRule{"PT01",
             LintSeverity::Warning,
             "gradients reduced in every microbatch",
             "DDP sends all gradients so many times a step, where once does.",
             &reducedTooOften},
    LintRule{"PT02",
             LintSeverity::Error,
             "a mesh of other ranks than start",
             "init_device_mesh ends with an error on every rank.",
             &otherMesh},
    LintRule{"PT03",
             LintSeverity::Warning,
             "a search for unused parameters",
             "DDP walks the graph of every step, and reduces without knowing the order.",
             &unusedParameters},
    LintRule{"PT04",
             LintSeverity::Warning,
             "a model that is sharded as one",
             "All weights are gathered at once, and nothing is hidden behind compute.",
             &wholeAsUnit},
    LintRule{"PT05",
             LintSeverity::Warning,
             "a loop in fp32",
             "Products run at a sixteenth of the rate of bf16, or an eighth with TF32.",
             &fullLoop}};

}  // namespace

std::span<const LintRule> torchRules() {
    return kTorchRules;
}

}  // namespace fabricast
