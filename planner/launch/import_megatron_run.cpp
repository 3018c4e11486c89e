#include "planner/launch/import_megatron.h"
#include "planner/launch/megatron_arguments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Kernels of Transformer Engine that layers have where they multiply in 8 bits or fewer.
void importEngineKernels(ScenarioDraft& draft, bool isQuantized) {
    constexpr std::array kKernels = {
        std::pair{"--fp8-dot-product-attention", "settings.kernels.fp8_attention"},
        std::pair{"--use-transformer-engine-op-fuser", "settings.kernels.fused_ops"}};
    for (const auto& [flag, setting] : kKernels) {
        const LaunchKey* const key = draft.keys().use(flag);
        if (key != nullptr && isQuantized) {
            draft.set(setting, true, flag);
        } else if (key != nullptr) {
            draft.note(draft.keys().where(*key) + ": " + flag +
                       " changes no forecast of layers that multiply in 16 bits");
        }
    }
}

}  // namespace

Result<void> importMegatronPrecision(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const bool bf16 = keys.use("--bf16") != nullptr;
    const bool fp16 = keys.use("--fp16") != nullptr;
    const auto recipe = keys.text("--fp8-recipe");
    const std::string format = keys.text("--fp8-format").value_or("");
    if (!bf16) {
        draft.set("workload.precision", fp16 ? "fp16" : "fp32", fp16 ? "--fp16" : "");
    }
    if (!format.empty()) {
        const std::string typed = recipe.value_or("delayed");
        const bool isDelayed = typed == "delayed";
        if (!isDelayed && typed != "tensorwise" && typed != "blockwise" && typed != "mxfp8") {
            return keys.refuse(*keys.use("--fp8-format"),
                               "with the recipe " + typed + " is not modelled",
                               "--fp8-recipe delayed, tensorwise, blockwise or mxfp8");
        }
        draft.set("settings.kernels.quantization",
                  isDelayed          ? "fp8_tensorwise"
                  : typed == "mxfp8" ? typed
                                     : "fp8_" + typed,
                  recipe ? "--fp8-recipe" : "--fp8-format");
        if (isDelayed) {
            (void)keys.use("--fp8-amax-history-len");  // a number of each step and tensor
            (void)keys.use("--fp8-amax-compute-algo");
            // Float8Quantizer.make_empty allocates what Float8CurrentScalingQuantizer's does
            // (Transformer Engine 2.9); the time of the pass that it saves is not measured.
            draft.assume(
                "settings.kernels.quantization",
                "fp8 with delayed scales has the memory of --fp8-recipe tensorwise, and is "
                "given its time, in which each tensor is read once more for its scale");
        }
    }
    if (keys.use("--fp4-format") != nullptr) {
        draft.set("settings.kernels.quantization", "nvfp4", "--fp4-format");
    }
    if (keys.use("--fp8-param-gather") != nullptr && !format.empty()) {  // of 16 bits it is idle
        draft.set("settings.precision.parameters", "fp8", "--fp8-param-gather");
    }
    importEngineKernels(draft, !format.empty() || keys.has("--fp4-format"));
    if (keys.use("--grad-reduce-in-bf16") != nullptr) {
        draft.set("settings.precision.gradients", "bf16", "--grad-reduce-in-bf16");
        draft.set("settings.precision.reduce", "bf16", "--grad-reduce-in-bf16");
    }
    if (const auto moments = keys.text("--exp-avg-dtype")) {
        draft.set("settings.precision.moments", *moments, "--exp-avg-dtype");
        (void)keys.use("--exp-avg-sq-dtype");
    }
    (void)keys.use("--use-precision-aware-optimizer");
    (void)keys.use("--main-grads-dtype");
    if (keys.use("--optimizer-cpu-offload") != nullptr) {
        draft.set("layout.offload", "optimizer_cpu", "--optimizer-cpu-offload");
        FABRICAST_ASSIGN(const auto fraction, keys.number("--optimizer-offload-fraction"));
        if (fraction && *fraction < 1.0) {  // the parser's default is all
            draft.set(
                "settings.megatron.offload_fraction", *fraction, "--optimizer-offload-fraction");
        }
    }
    FABRICAST_ASSIGN(const auto offloaded, keys.whole("--cpu-offloading-num-layers"));
    if (offloaded.value_or(0) > 0) {
        draft.set("layout.offload", "activations", "--cpu-offloading-num-layers");
        FABRICAST_ASSIGN(const auto layers, keys.whole("--num-layers"));
        if (*offloaded + 1 != layers.value_or(0)) {  // all but one are usual
            draft.set(
                "settings.megatron.offloaded_layers", *offloaded, "--cpu-offloading-num-layers");
        }
    }
    const std::string optimizer = keys.text("--optimizer").value_or("adam");
    if (optimizer != "adam") {
        draft.set("workload.optimizer",
                  optimizer == "sgd" && keys.text("--sgd-momentum").value_or("0.9") != "0"
                      ? "sgd_momentum"
                      : optimizer,
                  "--optimizer");
    }
    return {};
}

Result<void> importRecompute(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    // validate_args (megatron/training/arguments.py) lets --recompute-activations win.
    const std::string said = keys.text("--recompute-granularity").value_or("none");
    const bool isShort = keys.use("--recompute-activations") != nullptr;
    const std::string granularity = isShort ? "selective" : said;
    if (isShort && said == "full") {
        draft.note(
            "--recompute-activations recomputes selectively, whatever "
            "--recompute-granularity says");
    }
    FABRICAST_ASSIGN(const auto layers, keys.whole("--recompute-num-layers"));
    const std::string method = keys.text("--recompute-method").value_or("uniform");
    std::string ours = "none";
    if (granularity == "full") {
        const std::int64_t count = layers.value_or(1);
        ours = method == "block" ? "block:" + std::to_string(count)
               : count == 1      ? std::string("full")
                                 : "uniform:" + std::to_string(count);
    } else if (granularity == "selective") {
        const LaunchKey* const modules = keys.use("--recompute-modules");
        ours = "";
        for (const std::string& one :
             modules == nullptr ? std::vector<std::string>{"core_attn"} : modules->values) {
            ours += (ours.empty() ? "" : "+") + one;
        }
    }
    draft.set(
        "layout.recompute", ours, isShort ? "--recompute-activations" : "--recompute-granularity");
    return {};
}

Result<void> importMegatronKernels(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    if (keys.text("--transformer-impl") == "local") {
        draft.set("settings.kernels.code", "megatron", "--transformer-impl");
    }
    const std::string backend = keys.text("--attention-backend").value_or("auto");
    if (backend == "unfused") {
        draft.set("settings.kernels.attention", "unfused", "--attention-backend");
    } else if (backend == "flash") {
        draft.set("settings.kernels.attention_code", "flash2", "--attention-backend");
    }
    if (keys.use("--cross-entropy-loss-fusion") != nullptr) {
        draft.set("settings.kernels.loss", "fused", "--cross-entropy-loss-fusion");
    }
    if (keys.use("--no-gradient-accumulation-fusion") != nullptr) {
        draft.set("settings.megatron.gradient_accumulation_fusion",
                  false,
                  "--no-gradient-accumulation-fusion");
    }
    if (keys.use("--no-rope-fusion") != nullptr) {
        draft.set("settings.megatron.rope_fusion", false, "--no-rope-fusion");
    }
    if (const auto graphs = keys.text("--cuda-graph-impl"); graphs && *graphs != "none") {
        draft.set("settings.kernels.cuda_graphs", true, "--cuda-graph-impl");
        draft.set(
            "settings.kernels.graph_experts", *graphs == "full_iteration", "--cuda-graph-impl");
        draft.note(
            "--cuda-graph-impl: the private pools of CUDA graphs are not looked at in the "
            "memory");
    }
    FABRICAST_ASSIGN(const auto dropout, keys.number("--hidden-dropout"));
    (void)keys.use("--attention-dropout");
    draft.set("settings.kernels.dropout", dropout.value_or(0.1), "--hidden-dropout");
    return {};
}

Result<void> importMegatronAdapters(ScenarioDraft& draft) {
    constexpr std::array kGroups = {std::pair{"linear_qkv", "q+k+v"},
                                    std::pair{"linear_proj", "o"},
                                    std::pair{"linear_fc1", "gate+up"},
                                    std::pair{"linear_fc2", "down"}};
    constexpr std::int64_t kUsualRank = 32;  // of LoRA's dim
    LaunchKeys& keys = draft.keys();
    if (keys.use("peft") == nullptr) {
        return {};
    }
    draft.set("settings.tuning", "lora", "peft");
    FABRICAST_ASSIGN(const auto rank, keys.whole("peft.dim"));
    draft.set("settings.lora.rank", rank.value_or(kUsualRank), rank ? "peft.dim" : "peft");
    FABRICAST_ASSIGN(const auto dropout, keys.number("peft.dropout"));
    if (dropout && *dropout > 0.0) {
        draft.set("settings.lora.dropout", *dropout, "peft.dropout");
    }
    (void)keys.use("peft.alpha");
    const LaunchKey* const modules = keys.use("peft.target_modules");
    std::string targets;
    for (const std::string& module :
         modules == nullptr ? std::vector<std::string>() : modules->values) {
        const auto* const group = std::ranges::find_if(
            kGroups, [&module](const auto& one) { return one.first == module; });
        if (group == kGroups.end()) {
            return keys.refuse(*modules,
                               "\"" + module + "\" is not modelled",
                               "linear_qkv, linear_proj, linear_fc1 and linear_fc2");
        }
        targets += (targets.empty() ? "" : "+") + std::string(group->second);
    }
    if (!targets.empty()) {
        draft.set("settings.lora.targets", targets, "peft.target_modules");
    }
    return {};
}

Result<void> importMegatronExperts(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    if (!keys.has("--num-experts")) {
        return {};
    }
    const std::string dispatcher = keys.text("--moe-token-dispatcher-type").value_or("allgather");
    draft.set("settings.kernels.dispatcher",
              dispatcher == "allgather" ? "allgather" : "alltoall",
              "--moe-token-dispatcher-type");
    draft.set("settings.kernels.dispatch_once_per_node",
              dispatcher == "flex",
              "--moe-token-dispatcher-type");
    const bool fuses = keys.use("--use-transformer-engine-op-fuser") != nullptr;
    const std::string variable = "env " + std::string(kFusedExperts);
    (void)keys.use("--moe-mlp-glu-interleave-size");
    if (fuses && keys.text(variable).value_or("0") != "0" && keys.text("--fp8-recipe") == "mxfp8") {
        draft.set("settings.kernels.fused_experts", true, variable);
    }
    if (keys.use("--moe-grouped-gemm") == nullptr) {
        draft.set("settings.kernels.experts", "sequential", "--moe-grouped-gemm");
    }
    const bool fp32 = keys.text("--moe-router-dtype") == "fp32";
    if (fp32) {
        draft.set("settings.kernels.router_dtype", "fp32", "--moe-router-dtype");
    }
    const std::string balance = keys.text("--moe-router-load-balancing-type").value_or("aux_loss");
    const char* const loss = balance == "aux_loss"          ? "batch"
                             : balance == "seq_aux_loss"    ? "sequence"
                             : balance == "global_aux_loss" ? "global"
                                                            : "none";
    draft.set("settings.kernels.aux_loss", loss, "--moe-router-load-balancing-type");
    FABRICAST_ASSIGN(const auto capacity, keys.number("--moe-expert-capacity-factor"));
    if (capacity) {
        draft.set("settings.kernels.capacity_factor", *capacity, "--moe-expert-capacity-factor");
    }
    return {};
}

}  // namespace fabricast
