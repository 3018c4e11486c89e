#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/made_config.h"
#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// "bf16" of torch.bfloat16; empty where it is not said.
Result<std::string> torchTypeOf(LaunchKeys& keys, const std::string& path) {
    const std::string typed = keys.text(path).value_or("");
    const std::string name = typed.substr(typed.rfind('.') + 1);
    if (typed.empty() || name == "bfloat16") {
        return typed.empty() ? "" : std::string("bf16");
    }
    if (name == "float16" || name == "half") {
        return std::string("fp16");
    }
    if (name == "float32" || name == "float") {
        return std::string("fp32");
    }
    return keys.refuse(*keys.use(path),
                       "is torch.bfloat16, torch.float16 or torch.float32",
                       "write the type itself: nothing is run to find it");
}

/// A call that makes an optimizer, and ours.
struct MadeOptimizer {
    const char* call;
    const char* kind;
};
constexpr std::array kMadeOptimizers = {MadeOptimizer{"AdamW", "adamw"},
                                        MadeOptimizer{"Adam", "adamw"},
                                        MadeOptimizer{"SGD", "sgd"},
                                        MadeOptimizer{"Adafactor", "adafactor"},
                                        MadeOptimizer{"AdamW8bit", "adamw_8bit"},
                                        MadeOptimizer{"PagedAdamW8bit", "paged_adamw_8bit"},
                                        MadeOptimizer{"AdamW4bit", "adamw_4bit"},
                                        MadeOptimizer{"Adam8bit", "adamw_8bit"},
                                        MadeOptimizer{"FusedAdam", "adamw"},
                                        MadeOptimizer{"DeepSpeedCPUAdam", "adamw"},
                                        MadeOptimizer{"Muon", "muon"},
                                        MadeOptimizer{"Lion8bit", "lion_8bit"},
                                        MadeOptimizer{"Lion", "lion"}};

/// Those that the program makes, of each kind the first that is listed. Muon has AdamW beside it
/// for the weights that are no matrices, and is one with it.
std::vector<const MadeOptimizer*> madeOptimizers(const LaunchKeys& keys) {
    std::vector<const MadeOptimizer*> made;
    bool hasMuon = false;
    for (const MadeOptimizer& one : kMadeOptimizers) {
        const bool isNew = std::ranges::none_of(made, [&one](const MadeOptimizer* other) {
            return std::string_view(other->kind) == one.kind;
        });
        if (keys.find(one.call) != nullptr && isNew) {
            made.push_back(&one);
            hasMuon = hasMuon || std::string_view(one.kind) == "muon";
        }
    }
    if (hasMuon) {
        std::erase_if(
            made, [](const MadeOptimizer* one) { return std::string_view(one->kind) == "adamw"; });
    }
    return made;
}

/// "SOAP(model.parameters())" and "torch.optim.LBFGS(…)", which are none of these.
const LaunchKey* unknownOptimizer(const LaunchKeys& keys) {
    for (const LaunchKey& key : keys.all()) {
        const bool isClass = !key.path.empty() && key.path.find('.') == std::string::npos &&
                             std::isupper(static_cast<unsigned char>(key.path.front())) != 0 &&
                             key.values.size() == 1;
        const std::string called = isClass ? key.values.front() : "";
        const bool isTorchs = called == "torch.optim." + key.path || called == "optim." + key.path;
        const bool isGivenWeights = std::ranges::any_of(keys.all(), [&key](const LaunchKey& one) {
            const bool isFirst = one.path == key.path + ".0" || one.path == key.path + ".params";
            return isFirst && one.line >= key.line && !one.values.empty() &&
                   one.values.front().find("parameters()") != std::string::npos;
        });
        if (isClass && (isTorchs || isGivenWeights)) {
            return &key;
        }
    }
    return nullptr;
}

/// "optimizer = build_optimizer(model)" of another file's function.
const LaunchKey* importedOptimizer(const LaunchKeys& keys) {
    for (const LaunchKey& key : keys.all()) {
        const bool isOptimizer = key.path == "optimizer" || key.path == "optim" ||
                                 key.path == "opt" || key.path == "optimizers";
        const std::string value = isOptimizer && key.values.size() == 1 ? key.values.front() : "";
        const std::string called =
            value.starts_with("$(") ? value.substr(2, value.find('(', 2) - 2) : "";
        const std::string last = called.substr(called.rfind('.') + 1);
        const bool isDefined = std::ranges::any_of(keys.all(), [&last](const LaunchKey& one) {
            return one.path == "def" && one.values == std::vector<std::string>{last};
        });
        if (last.find("optim") != std::string::npos && !isDefined) {
            return &key;
        }
    }
    return nullptr;
}

}  // namespace

const char* saidOf(const LaunchKeys& keys, std::initializer_list<const char*> paths) {
    for (const char* const path : paths) {
        if (keys.find(path) != nullptr) {
            return path;
        }
    }
    return "";
}

Result<void> importLoopPrecision(ScenarioDraft& draft, bool fsdp) {
    LaunchKeys& keys = draft.keys();
    const std::string stored = saidOf(keys,
                                      {kModelDtype,
                                       "from_config.dtype",
                                       "from_config.torch_dtype",
                                       "from_pretrained.dtype",
                                       "from_pretrained.torch_dtype"});
    const bool autocast = keys.use("autocast") != nullptr;
    const std::string computed = fsdp && keys.has("MixedPrecisionPolicy.param_dtype")
                                     ? "MixedPrecisionPolicy.param_dtype"
                                 : keys.has("MixedPrecisionPolicy.0") ? "MixedPrecisionPolicy.0"
                                 : keys.has("autocast.dtype")         ? "autocast.dtype"
                                                                      : "autocast.1";
    FABRICAST_ASSIGN(std::string weights, torchTypeOf(keys, stored));
    FABRICAST_ASSIGN(std::string products, torchTypeOf(keys, computed));
    const bool isTransformers =
        !hasMadeConfig(keys) && (keys.has("from_pretrained") || keys.has("from_config"));
    products = products.empty() && autocast ? "fp16" : products;  // CUDA's usual type
    if (weights.empty() && isTransformers) {
        draft.assume("workload.precision",
                     "weights are taken to be bfloat16, as their config.json has them: what "
                     "transformers 5 makes without a dtype, and 4 in float32 (--precision " +
                         (products.empty() ? "fp32" : products) + ")");
        weights = "bf16";
    } else if (weights.empty()) {
        draft.assume("workload.precision",
                     "weights are taken to be float32: the script names no dtype for them");
        weights = "fp32";
    }
    products = products.empty() ? weights : products;
    if (products != "bf16") {
        draft.set("workload.precision", products, products == weights ? stored : computed);
    } else if (weights == "bf16") {
        draft.set("workload.precision", "pure_bf16", stored);
    }
    draft.set("settings.precision.autocast", autocast, "autocast");
    FABRICAST_ASSIGN(const std::string reduce,
                     torchTypeOf(keys, "MixedPrecisionPolicy.reduce_dtype"));
    if (fsdp && !reduce.empty()) {
        draft.set("settings.precision.reduce", reduce, "MixedPrecisionPolicy.reduce_dtype");
    }
    return {};
}

Result<void> importLoopOptimizer(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::vector<const MadeOptimizer*> all = madeOptimizers(keys);
    if (all.size() > 1) {
        draft.leaveOpen(
            "workload.optimizer",
            *keys.use(all.back()->call),
            std::string(all.back()->call) + " is made, and " + all.front()->call + " in line " +
                std::to_string(keys.use(all.front()->call)->line) +
                ": which of them the program steps was not read",
            std::string("--optimizer ") + all.front()->kind + " or " + all.back()->kind);
        return {};
    }
    if (!all.empty()) {
        const MadeOptimizer& one = *all.front();
        const LaunchKey* const made = keys.use(one.call);
        const std::string call = one.call;
        FABRICAST_ASSIGN(const auto momentum, keys.number(call + ".momentum"));
        const bool keeps = call == "SGD" && momentum.value_or(0.0) > 0.0;
        draft.set("workload.optimizer", keeps ? "sgd_momentum" : one.kind, call);
        if (call.ends_with("8bit") && call != "Lion8bit" &&
            made->values.front().find("bnb") == std::string::npos) {
            draft.set("settings.optimizer.library", "torchao", call);
        }
        const LaunchKey* const third = keys.use(call + ".amsgrad");
        if (third != nullptr && third->values != std::vector<std::string>{"False"} &&
            third->values != std::vector<std::string>{"false"}) {
            draft.leaveOpen("workload.optimizer",
                            *third,
                            "amsgrad keeps a third state of each weight, which is not modelled",
                            "--optimizer adamw, to forecast it without");
        }
        FABRICAST_ASSIGN(const auto fused, keys.flag(call + ".fused"));
        FABRICAST_ASSIGN(const auto foreach, keys.flag(call + ".foreach"));
        if (fused.value_or(false)) {
            draft.set("settings.optimizer.kernel", "fused", call + ".fused");
        } else if (foreach) {
            draft.set(
                "settings.optimizer.kernel", *foreach ? "foreach" : "for_loop", call + ".foreach");
        }
        return {};
    }
    if (const LaunchKey* const other = unknownOptimizer(keys)) {
        draft.leaveOpen("workload.optimizer",
                        *other,
                        other->path + " is not an optimizer that is modelled",
                        "--optimizer adamw, or another one that keeps as much for each weight");
        return {};
    }
    if (const LaunchKey* const made = importedOptimizer(keys)) {
        draft.leaveOpen("workload.optimizer",
                        *made,
                        "which optimizer " +
                            made->values.front().substr(2, made->values.front().find('(', 2) - 2) +
                            " makes was not read: it stands in another file",
                        "--optimizer adamw, or another one that keeps as much for each weight");
        return {};
    }
    draft.assume("workload.optimizer",
                 "the script makes no optimizer that is known: AdamW is forecast");
    return {};
}

Result<void> importLoopModel(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::string model =
        saidOf(keys, {"from_pretrained.0", "from_pretrained.pretrained_model_name_or_path"});
    if (const auto name = keys.text(model); name && !name->starts_with("$")) {
        draft.set("model", *name, model);
    }
    const std::string attention =
        saidOf(keys, {"from_config.attn_implementation", "from_pretrained.attn_implementation"});
    FABRICAST_TRY(importAttention(draft, attention, "sdpa"));
    const std::string checkpoints = saidOf(
        keys,
        {"gradient_checkpointing_enable", "apply_activation_checkpointing", "checkpoint_wrapper"});
    const LaunchKey* const enabled = keys.find("gradient_checkpointing_enable");
    const LaunchKey* const disabled = keys.use("gradient_checkpointing_disable");
    const bool isOff = enabled != nullptr && disabled != nullptr && disabled > enabled;
    if (!checkpoints.empty() && !isOff) {
        draft.set("layout.recompute", "full", checkpoints);
    }
    if (keys.use("compile") != nullptr) {
        draft.set("settings.kernels.compile", true, "compile");
    }
    return {};
}

}  // namespace fabricast
