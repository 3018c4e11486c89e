#include "planner/launch/import_settings.h"
#include "planner/launch/made_model.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// Arguments that only TRL and LLaMA-Factory have. Without --dtype, TRL loads in fp32
/// (ModelConfig), LLaMA-Factory casts what is trained to it.
constexpr std::array<std::string_view, 5> kUpcasting = {
    "--use_peft", "--max_length", "--max_seq_length", "--cutoff_len", "--template"};

const LaunchKey* dtypeKey(LaunchKeys& keys) {
    const LaunchKey* const now = keys.use("--dtype");
    const LaunchKey* const before = keys.use("--torch_dtype");
    const LaunchKey* const key = now != nullptr ? now : before;
    const bool isNone = key != nullptr && key->values == std::vector<std::string>{"null"};
    return isNone ? nullptr : key;
}

bool isQuantised(const ScenarioDraft& draft) {
    const std::string base = draft.word("settings.lora.base");
    return base == "nf4" || base == "int8";
}

/// Says what is typed where the weights are fp32: autocast keeps fp32 beside 16 bits. A base of few
/// bits is so whatever the checkpoint has.
void assumeCheckpointsType(ScenarioDraft& draft, bool isTyped) {
    if (isQuantised(draft)) {
        return;
    }
    // PreTrainedModel.from_pretrained: dtype is "auto" since 5.0, and torch's default before.
    const std::string said = "weights are loaded as the checkpoint has them, taken to be bfloat16" +
                             std::string(isTyped ? "; where it has fp32: "
                                                 : ", as transformers 5 does; 4.x loads fp32: ");
    const std::string precision = draft.word("workload.precision");
    if (draft.word("settings.tuning") == "lora") {
        draft.assume("settings.lora.base", said + "--set settings.lora.base=fp32");
    } else {
        const bool isHalf = precision == "bf16" || precision == "fp16";
        draft.assume("workload.precision", said + "--precision " + (isHalf ? precision : "fp32"));
    }
}

}  // namespace

Result<LoadedWeights> loadedWeights(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const key = dtypeKey(keys);
    const std::string typed = key == nullptr || key->values.empty() ? "" : key->values.front();
    if (typed == kTypeOfGpu) {
        return LoadedWeights{"bfloat16", key->path};
    }
    if (typed == "float32" || typed == "bfloat16" || typed == "float16") {
        return LoadedWeights{typed, key->path};
    }
    if (!typed.empty() && typed != "auto") {
        return keys.refuse(*key, "is auto, float32, bfloat16 or float16", "bfloat16");
    }
    const bool upcasts =
        isTrl(keys) ||
        std::ranges::any_of(kUpcasting, [&keys](std::string_view path) { return keys.has(path); });
    if (key == nullptr && upcasts) {
        return LoadedWeights{"float32", "script"};
    }
    assumeCheckpointsType(draft, !typed.empty());
    return LoadedWeights{"bfloat16", key == nullptr ? "script" : key->path};
}

Result<void> importLoadedWeights(ScenarioDraft& draft, bool autocast) {
    const std::string shard = draft.word("layout.shard");
    const bool adapts = draft.word("settings.tuning") == "lora";
    // Without mixed precision FSDP2's copies have the type that was loaded.
    const bool keeps = (shard == "fsdp" || shard == "hsdp") &&
                       draft.word("workload.precision") == "fp32" && draft.keys().has("--dtype");
    if (!adapts && !shard.empty() && shard != "none" && !keeps) {
        return {};
    }
    if (adapts && autocast && shard.starts_with("zero")) {
        return {};  // DeepSpeed casts the frozen weights, too
    }
    const LaunchKey* const said = dtypeKey(draft.keys());
    if (adapts && said != nullptr && said->values == std::vector<std::string>{kTypeOfGpu}) {
        return {};  // as the precision, which the GPU decides
    }
    FABRICAST_ASSIGN(const LoadedWeights loaded, loadedWeights(draft));
    const std::string type = loaded.dtype == "bfloat16"  ? "bf16"
                             : loaded.dtype == "float16" ? "fp16"
                                                         : "fp32";
    if (adapts) {
        if (!isQuantised(draft)) {
            draft.set("settings.lora.base", type, loaded.from);
        } else if (type == "fp32" && (shard.empty() || shard == "none")) {
            // What is not quantised is held as prepare_model_for_kbit_training would leave it.
            draft.set("settings.lora.prepared_for_kbit", true, loaded.from);
        }
        return {};
    }
    if (type == "fp32") {
        return {};
    }
    if (type == "fp16") {
        return draft.keys().refuse(*dtypeKey(draft.keys()),
                                   "float16: Attempting to unscale FP16 gradients.",
                                   "bfloat16 or float32");
    }
    if (!autocast) {
        draft.set("workload.precision", "pure_bf16", loaded.from);
        return {};
    }
    for (const char* const part : {"parameters", "gradients", "reduce", "moments"}) {
        draft.set("settings.precision." + std::string(part), "bf16", loaded.from);
    }
    return {};
}

}  // namespace fabricast
