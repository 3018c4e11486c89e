#include "planner/launch/bridge_keys.h"

#include "planner/launch/bridge_rows.h"
#include "planner/launch/launch_files.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr std::string_view kQuickGelu = "quick_gelu";

std::string listed(const std::vector<std::string>& values, bool quotes) {
    std::string text;
    for (const std::string& value : values) {
        text += (text.empty() ? "" : ", ") + (quotes ? quotedText(value) : value);
    }
    return text;
}

std::string pythonValue(const MegatronArgument& argument, PythonForm form) {
    const std::string first = argument.values.empty() ? "" : argument.values.front();
    switch (form) {
        case PythonForm::Same:
            return first;
        case PythonForm::Text:
            return quotedText(first);
        case PythonForm::On:
            return "True";
        case PythonForm::Off:
            return "False";
        case PythonForm::List:
            return "[" + listed(argument.values, false) + "]";
        case PythonForm::Texts:
            return "[" + listed(argument.values, true) + "]";
        case PythonForm::Pair:
            return "(" + first + ")";
        case PythonForm::Type:
            return first == "bf16"   ? "torch.bfloat16"
                   : first == "fp16" ? "torch.float16"
                   : first == "fp8"  ? "torch.uint8"
                                     : "torch.float32";
        case PythonForm::Backend:
            return "AttnBackend." + first;
    }
    return first;
}

bool isAsked(const MegatronArguments& arguments, std::string_view flag) {
    return std::ranges::any_of(arguments.groups, [flag](const MegatronArguments::Group& group) {
        return std::ranges::find(group.arguments, flag, &MegatronArgument::flag) !=
               group.arguments.end();
    });
}

bool usesRope(const MegatronArguments::Group& group) {
    return std::ranges::any_of(group.arguments, [](const MegatronArgument& one) {
        return one.flag == "--position-embedding-type" && one.values.front() == "rope";
    });
}

/// What one argument of Megatron-LM sets beside its own field.
void addImplied(const MegatronArgument& argument, std::vector<BridgeKey>& keys) {
    if (argument.flag == "--swiglu") {
        keys.push_back({"model", "activation_func", "torch.nn.functional.silu"});
    } else if (argument.flag == "--quick-geglu") {
        keys.push_back({"model", "activation_func", std::string(kQuickGelu)});
    } else if (argument.flag == "--use-distributed-optimizer") {
        keys.push_back({"optimizer", "use_distributed_optimizer", "True"});
    } else if (argument.flag == "--overlap-param-gather") {
        keys.push_back({"optimizer", "overlap_param_gather", "True"});
    } else if (argument.flag == "--cuda-graph-impl") {
        keys.push_back({"model", "use_te_rng_tracker", "True"});
        keys.push_back({"rng", "te_rng_tracker", "True"});
    } else if (argument.flag == "--cpu-offloading-num-layers") {
        keys.push_back({"model", "cpu_offloading", "True"});
    } else if (argument.flag == "--transformer-impl" && argument.values.front() == "local") {
        keys.push_back({"model", "transformer_layer_spec", "local_layer_spec"});
    }
}

}  // namespace

Result<std::vector<BridgeKey>> bridgeKeys(const MegatronArguments& arguments) {
    std::vector<BridgeKey> keys;
    for (const MegatronArguments::Group& group : arguments.groups) {
        for (const MegatronArgument& argument : group.arguments) {
            const auto* const row = std::ranges::find(kBridgeRows, argument.flag, &BridgeRow::flag);
            if (row == kBridgeRows.end()) {
                return fail(Error::Code::Unsupported,
                            "--target",
                            "Megatron Bridge's GPTModelProvider has nothing for " + argument.flag +
                                ", which the plan needs",
                            "--target megatron");
            }
            if (!row->section.empty()) {
                keys.push_back(
                    {std::string(row->section), row->name(), pythonValue(argument, row->form)});
            }
            addImplied(argument, keys);
        }
    }
    return keys;
}

std::string activationImport(const std::vector<BridgeKey>& keys) {
    return std::ranges::find(keys, kQuickGelu, &BridgeKey::value) == keys.end()
               ? ""
               : "from megatron.core.fusions.fused_bias_geglu import " + std::string(kQuickGelu) +
                     "\n";
}

std::optional<std::string> bridgeKeyOf(const std::string& flag) {
    const auto* const row = std::ranges::find(kBridgeRows, flag, &BridgeRow::flag);
    if (row == kBridgeRows.end() || row->section.empty()) {
        return std::nullopt;
    }
    const std::string key = std::string(row->section) + "." + row->name();
    return row->form == PythonForm::On    ? key + "=True"
           : row->form == PythonForm::Off ? key + "=False"
                                          : key;
}

std::vector<BridgeKey> megatronDefaults(const MegatronArguments& arguments) {
    const auto asked = [&](std::string_view flag) { return isAsked(arguments, flag); };
    const bool chunks = asked("--num-virtual-stages-per-pipeline-rank") ||
                        asked("--pipeline-model-parallel-layout");
    std::vector<BridgeKey> keys = {{"model", "bias_dropout_fusion", "True"},
                                   {"model", "persist_layer_norm", "True"}};
    if (std::ranges::any_of(arguments.groups, &usesRope) && !asked("--no-rope-fusion")) {
        keys.push_back({"model", "apply_rope_fusion", "True"});
    }
    if (asked("--swiglu") || !asked("--disable-bias-linear")) {
        keys.push_back({"model", "bias_activation_fusion", "True"});
    }
    if (!asked("--cross-entropy-loss-fusion")) {
        keys.push_back({"model", "cross_entropy_loss_fusion", "False"});
    }
    if (!asked("--no-gradient-accumulation-fusion")) {
        keys.push_back({"model", "gradient_accumulation_fusion", "True"});
    }
    if (chunks) {  // sends beside the computing of another chunk
        keys.push_back({"model", "overlap_p2p_comm", "True"});
        keys.push_back({"model", "batch_p2p_comm", "False"});
    }
    return keys;
}

}  // namespace fabricast
