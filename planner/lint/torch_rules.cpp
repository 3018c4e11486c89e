#include "planner/base/small_letters.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <array>

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
        const std::string path = inSmallLetters(key.path);
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

/// Whether both run in the order in which they stand: no function begins between them.
bool runInOrder(const LintFile& file, const LaunchKey& first, const LaunchKey& then) {
    return first.line < then.line &&
           std::ranges::none_of(file.keys().all(), [&](const LaunchKey& key) {
               return key.path == "def" && key.line > first.line && key.line <= then.line;
           });
}

/// The first call of one of PyTorch's optimizers that keep states; null where there is none.
const LaunchKey* optimizerOf(const LintFile& file) {
    constexpr std::array<std::string_view, 4> kOptimizers = {"AdamW", "Adam", "SGD", "Adafactor"};
    for (const LaunchKey& key : file.keys().all()) {
        const bool isCall = std::ranges::find(kOptimizers, key.path) != kOptimizers.end() &&
                            key.values.size() == 1 && key.values.front().ends_with(key.path);
        if (isCall) {
            return &key;
        }
    }
    return nullptr;
}

std::vector<const LaunchKey*> shardCalls(const LintFile& file) {
    std::vector<const LaunchKey*> calls;
    for (const LaunchKey& key : file.keys().all()) {
        if (key.path == "fully_shard") {
            calls.push_back(&key);
        }
    }
    return calls;
}

/// fully_shard gives a module other parameters than those that an optimizer was made with.
LintHits earlyOptimizer(const LintView& view) {
    const std::vector<const LaunchKey*> calls = shardCalls(view.file);
    const LaunchKey* const optimizer = optimizerOf(view.file);
    if (calls.empty() || optimizer == nullptr ||
        !runInOrder(view.file, *optimizer, *calls.front())) {
        return {};
    }
    return {{optimizer,
             optimizer->values.front() + " is made before fully_shard",
             "make the optimizer behind the last fully_shard"}};
}

/// Whether a call of fully_shard is given what is called a model.
bool shardsModel(const LintFile& file, const LaunchKey& call) {
    return std::ranges::any_of(file.keys().all(), [&call](const LaunchKey& key) {
        return key.path == "fully_shard.0" && key.line == call.line && key.values.size() == 1 &&
               key.values.front().find("odel") != std::string::npos;
    });
}

/// The first call at the margin and the last one inside a loop: what holds the others comes first.
/// A "return fully_shard(model)" is no deeper than what begins its line.
LintHits rootFirst(const LintView& view) {
    const std::vector<const LaunchKey*> calls = shardCalls(view.file);
    const bool endsInModel = !calls.empty() && shardsModel(view.file, *calls.back()) &&
                             !shardsModel(view.file, *calls.front());
    const bool nests = calls.size() > 1 && !endsInModel &&
                       calls.front()->column < calls.back()->column &&
                       runInOrder(view.file, *calls.front(), *calls.back());
    return nests ? LintHits{{calls.front(),
                             "fully_shard of the model before that of its layers, in line " +
                                 std::to_string(calls.back()->line),
                             "fully_shard of each layer, then of the model"}}
                 : LintHits{};
}

/// Whether a loss is divided somewhere, or is worked out in a way that is not read whole.
bool mayBeDivided(const LintFile& file, const std::string& loss) {
    constexpr std::size_t kReadWhole = 80;
    constexpr std::array<std::string_view, 4> kElsewhere = {"div_", "mul_", "grad/=", "grad*="};
    const bool isElsewhere =
        std::ranges::any_of(kElsewhere, [&file](std::string_view path) { return file.has(path); });
    return isElsewhere || file.has(loss + "/=") || file.has(loss + "*=") ||
           std::ranges::any_of(file.keys().all(), [&loss](const LaunchKey& key) {
               const std::string value = key.values.empty() ? "" : key.values.front();
               return key.path == loss && (value.size() >= kReadWhole ||
                                           value.find_first_of("/*") != std::string::npos ||
                                           value.find("num_items") != std::string::npos);
           });
}

LintHits summedLoss(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const steps = accumulationOf(file);
    const LaunchKey* const call = file.at("backward");
    const std::string name = call == nullptr ? "" : file.text("backward");
    const std::string loss = name.ends_with(".backward") ? name.substr(0, name.find('.')) : "";
    const bool isPlain = !loss.empty() && loss + ".backward" == name && file.has(loss);
    if (steps == nullptr || !isPlain || callsOf(file, "backward") != 1 ||
        mayBeDivided(file, loss)) {
        return {};
    }
    return {{call,
             name + "() of " + steps->values.front() + " microbatches, and " + loss +
                 " is not divided by " + steps->path,
             "(" + loss + " / " + steps->path + ").backward()"}};
}

LintHits narrowStates(const LintView& view) {
    constexpr std::array<const char*, 4> kTypes = {"from_config.dtype",
                                                   "from_config.torch_dtype",
                                                   "from_pretrained.dtype",
                                                   "from_pretrained.torch_dtype"};
    const LintFile& file = view.file;
    const LaunchKey* const optimizer = optimizerOf(file);
    for (const char* const path : kTypes) {
        const bool isNarrow = file.text(path).find("bfloat16") != std::string::npos;
        if (isNarrow && optimizer != nullptr && !file.has("float")) {
            return {{file.at(path),
                     "weights in bfloat16 under " + optimizer->values.front(),
                     "dtype=torch.float32, and MixedPrecisionPolicy or autocast for the products"}};
        }
    }
    return {};
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
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullLoop},
    LintRule{"PT06",
             LintSeverity::Error,
             "an optimizer of weights that are replaced",
             "fully_shard gives the model other parameters: the run trains nothing.",
             &earlyOptimizer},
    LintRule{"PT07",
             LintSeverity::Error,
             "a model that is sharded before its layers",
             "The model's call takes all weights, and the run ends in the calls of the layers.",
             &rootFirst},
    LintRule{"PT08",
             LintSeverity::Warning,
             "a loss that is summed over microbatches",
             "Gradients are as many times too large as there are microbatches: clipping and the "
             "learning rate are of another run.",
             &summedLoss},
    LintRule{"PT09",
             LintSeverity::Warning,
             "an optimizer of weights in bfloat16",
             "A step smaller than a 256th of a weight is rounded away.",
             &narrowStates}};

}  // namespace

std::span<const LintRule> torchRules() {
    return kTorchRules;
}

}  // namespace fabricast
