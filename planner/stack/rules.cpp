#include "planner/stack/rules.h"

#include "planner/base/checked.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/optimizer_numbers.h"

#include <algorithm>
#include <array>
#include <vector>

namespace fabricast {

namespace {

/// More than any machine has, and small enough that products of three sizes stay in 64 bits.
constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kMostSamples = 1'000'000'000;

struct Size {
    std::string_view key;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most;
};

Result<void> checkSizes(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const auto sizes = std::to_array<Size>(
        {{"layout.dp", layout.dp, 1, kMostRanks},
         {"layout.tp", layout.tp, 1, kMostRanks},
         {"layout.pp", layout.pp, 1, kMostRanks},
         {"layout.vpp", layout.vpp, 1, kMostRanks},
         {"layout.cp", layout.cp, 1, kMostRanks},
         {"layout.ep", layout.ep, 1, kMostRanks},
         {"layout.etp", layout.etp, 1, kMostRanks},
         {"layout.shard_size", layout.shardSize, 0, kMostRanks},
         {"layout.schedule", layout.scheduleGroup, 0, kMostSamples},
         {"layout.micro_batch", layout.microBatch, 1, kMostSamples},
         {"workload.sequence", scenario.workload.sequence, 1, kMostSamples},
         {"workload.global_batch", scenario.workload.globalBatch, 1, kMostSamples}});
    for (const Size& size : sizes) {
        if (size.value < size.least || size.value > size.most) {
            return breaks(size.key,
                          text(size.value) + " is out of range",
                          "from " + text(size.least) + " to " + text(size.most));
        }
    }
    const Checked dense = Checked(layout.dp) * layout.tp * layout.pp * layout.cp;
    const Checked sparse = Checked(layout.ep) * layout.etp * layout.pp * layout.vpp;
    FABRICAST_TRY(dense.result("layout", "ranks"));
    FABRICAST_TRY(sparse.result("layout", "ranks"));
    return {};
}

Result<void> checkSlice(std::string_view key, std::int64_t ranks, std::int64_t width) {
    if (width < 1 || ranks <= width) {
        return {};
    }
    return breaks("layout." + std::string(key),
                  text(ranks) + " ranks cannot share an MLP of width " + text(width),
                  std::string(key) + " of at most " + text(width));
}

/// Every rank needs some columns of the matrices that tensor parallelism cuts.
Result<void> checkSlices(const Scenario& scenario) {
    FABRICAST_TRY(checkSlice("tp", scenario.layout.tp, scenario.model.mlp.width));
    return scenario.model.moe
               ? checkSlice("etp", scenario.layout.etp, scenario.model.moe->expertWidth)
               : Result<void>();
}

/// Engine and model code are the stack's own; a scenario chooses among kernels, not among stacks.
Result<void> checkSoftware(const Stack& stack, const Scenario& scenario) {
    const Settings own = stack.defaults(scenario.layout, scenario.settings.tuning);
    const ModelCode code = scenario.settings.kernels.code;
    if (scenario.settings.engine != own.engine) {
        return lacks("settings.engine",
                     std::string(stack.name) + " does not run engine " +
                         std::string(nameOf(scenario.settings.engine)),
                     "leave it out, or choose another stack");
    }
    const bool megatron = code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
    const bool library = code == ModelCode::Torch || code == ModelCode::HuggingFace;
    if (scenario.settings.pipeline.scatterExchange && own.engine != Engine::Megatron &&
        own.engine != Engine::DeepSpeed) {
        return lacks("settings.pipeline.scatter_exchange",
                     std::string(stack.name) + " sends the next stage whole activations",
                     "settings.pipeline.scatter_exchange=false");
    }
    const bool known = own.kernels.code == ModelCode::HuggingFace ? library
                       : own.kernels.code == ModelCode::TransformerEngine
                           ? megatron
                           : code == own.kernels.code;
    if (!known) {
        return lacks(
            "settings.kernels.code",
            std::string(stack.name) + " does not run model code " + std::string(nameOf(code)),
            std::string(nameOf(own.kernels.code)));
    }
    const bool written =
        code == ModelCode::HuggingFace && writtenScores(scenario.model).has_value();
    const bool isFused = scenario.settings.kernels.attention == AttentionKernel::Flash;
    if (isFused && code == ModelCode::HuggingFace && lacksFusedAttention(scenario.model)) {
        return lacks("settings.kernels.attention",
                     "transformers computes " + scenario.model.family +
                         "'s attention with its bias of position by no fused kernel",
                     "unfused");
    }
    if (scenario.settings.kernels.attention == AttentionKernel::Unfused && !megatron && !written) {
        return lacks(
            "settings.kernels.attention",
            "attention that keeps its scores is modelled in Megatron's code, and in "
            "transformers' eager code that is like Llama's, GPT-2's, Gemma 2's or GPT-OSS's, only",
            "flash");
    }
    return {};
}

Result<void> checkShardGroup(const Layout& layout) {
    const std::int64_t replicas = layout.replicas();
    if (layout.shardSize == 0 || layout.shardSize == replicas) {
        return {};
    }
    if (layout.shard == Shard::None) {
        return breaks("layout.shard_size",
                      "shard=none does not shard",
                      "leave shard_size out, or shard=hsdp");
    }
    if (layout.shard == Shard::Fsdp) {
        return breaks("layout.shard_size",
                      "fsdp shards over all " + text(replicas) + " ranks of dp x cp",
                      "leave shard_size out, or shard=hsdp for smaller groups");
    }
    if (replicas % layout.shardSize != 0) {
        return breaks(
            "layout.shard_size",
            text(layout.shardSize) + " does not divide the " + text(replicas) + " ranks of dp x cp",
            shardSizesHint(layout));
    }
    return {};
}

template <class T>
Result<void> checkOne(std::string_view stack,
                      std::string_view key,
                      T value,
                      std::span<const T> known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    std::string list;
    for (const T each : known) {
        list += (list.empty() ? "one of: " : ", ") + std::string(nameOf(each));
    }
    return lacks(key,
                 std::string(stack) + " does not support " +
                     std::string(key.substr(key.rfind('.') + 1)) + " " + std::string(nameOf(value)),
                 list.empty() ? "another stack" : list);
}

/// "--stack ddp, fsdp2"; nothing where none has it.
template <class T>
std::string stacksHaving(std::span<const T> StackMethods::*list, T value) {
    std::string names;
    for (const Stack& one : allStacks()) {
        const std::span<const T> its = one.methods.*list;
        if (std::find(its.begin(), its.end(), value) != its.end()) {
            names += (names.empty() ? "--stack " : ", ") + std::string(one.name);
        }
    }
    return names;
}

/// What a flag chooses of a stack: refused with what to type behind it, or of the stacks that have
/// it.
template <class T>
Result<void> checkFlag(std::string_view stack,
                       const StackMethods& methods,
                       std::string_view key,
                       std::string_view flag,
                       std::span<const T> StackMethods::*list,
                       T value) {
    const std::span<const T> known = methods.*list;
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    std::string hint;
    for (const T each : known) {
        hint += (hint.empty() ? std::string(flag) + " " : ", ") + std::string(nameOf(each));
    }
    const std::string others = stacksHaving(list, value);
    hint += (hint.empty() || others.empty() ? "" : "; or ") + others;
    return lacks(key,
                 std::string(stack) + " does not support " + std::string(flag) + " " +
                     std::string(nameOf(value)),
                 std::move(hint));
}

constexpr std::array kWide = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
constexpr std::array kWeights = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::Fp8};
constexpr std::array kBases = {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32, Dtype::Nf4, Dtype::Int8};

/// 8-bit weights and moments are Megatron's (fp8_param_gather, the precision-aware optimizer);
/// everything else is stored and sent in 16 or 32 bits.
Result<void> checkStorage(std::string_view stack, const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    const bool megatron = settings.engine == Engine::Megatron;
    const bool narrow = megatron && settings.kernels.quantization != Quantization::None;
    const std::span<const Dtype> wide = kWide;
    const std::span<const Dtype> withFp8 = kWeights;
    FABRICAST_TRY(checkOne(
        stack, "settings.precision.parameters", precision.parameters, narrow ? withFp8 : wide));
    FABRICAST_TRY(checkOne(stack, "settings.precision.gradients", precision.gradients, wide));
    FABRICAST_TRY(checkOne(stack, "settings.precision.reduce", precision.reduce, wide));
    return checkOne(
        stack, "settings.precision.moments", precision.moments, megatron ? withFp8 : wide);
}

Result<void> checkAdapter(std::string_view stack,
                          const StackMethods& methods,
                          const LoraSettings& lora) {
    const bool quantized = lora.base == Dtype::Nf4 || lora.base == Dtype::Int8;
    if (!methods.lora) {
        return lacks(
            "settings.tuning",
            std::string(stack) + " has no LoRA",
            quantized ? "stack=axolotl or accelerate" : "stack=nemo, axolotl or accelerate");
    }
    FABRICAST_TRY(
        checkOne(stack, "settings.lora.dtype", lora.dtype, std::span<const Dtype>(kWide)));
    FABRICAST_TRY(checkOne(stack, "settings.lora.base", lora.base, std::span<const Dtype>(kBases)));
    if (quantized && !methods.quantizedBase) {
        return lacks("settings.lora.base",
                     std::string(stack) + " has no " + std::string(nameOf(lora.base)) + " base",
                     "--tuning lora, or --stack axolotl");
    }
    return {};
}

/// Of a rank's several chunks each crosses the line between sites, one after another with those of
/// all pipelines: how long they wait for it is not forecast.
Result<void> checkChunksOverSites(const Stack& stack, const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (scenario.cluster.sites.count <= 1 || layout.pp == 1 || layout.vpp == 1) {
        return {};
    }
    const bool isInside = rankOrderOf(stack, layout).pipelineInside;
    const std::int64_t run = isInside ? layout.tp * layout.cp * layout.pp : layout.world();
    if (scenario.cluster.siteGpus() % run == 0) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "layout.vpp",
                "several chunks a rank are not modelled where a pipeline spans sites",
                "vpp=1, or a pipeline inside a site (placement=pp_inside)");
}

/// Up to a few thousand, in order.
std::vector<std::int64_t> divisorsOf(std::int64_t number) {
    constexpr std::int64_t kMost = 4096;
    std::vector<std::int64_t> divisors;
    std::vector<std::int64_t> large;
    for (std::int64_t divisor = 1; divisor <= kMost && divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) {
            divisors.push_back(divisor);
            if (const std::int64_t other = number / divisor; other != divisor && other <= kMost) {
                large.push_back(other);
            }
        }
    }
    divisors.insert(divisors.end(), large.rbegin(), large.rend());
    return divisors;
}

/// "ep=1, 2 or 4".
std::string oneOfHint(std::string_view key, const std::vector<std::int64_t>& numbers) {
    std::string list;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool isLast = i + 1 == numbers.size();
        list += (i == 0 ? "" : isLast ? " or " : ", ") + text(numbers[i]);
    }
    return std::string(key) + "=" + list;
}

}  // namespace

tl::unexpected<Error> breaks(std::string_view key, std::string why, std::string hint) {
    return fail(Error::Code::BadInput, std::string(key), std::move(why), std::move(hint));
}

tl::unexpected<Error> lacks(std::string_view key, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::string(key), std::move(why), std::move(hint));
}

std::string divisorsHint(std::string_view key, std::int64_t number) {
    return oneOfHint(key, divisorsOf(number));
}

std::string shardSizesHint(const Layout& layout, std::int64_t leastDataRanks) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t dataRanks : divisorsOf(layout.dp)) {
        if (dataRanks >= leastDataRanks) {
            sizes.push_back(dataRanks * layout.cp);
        }
    }
    return oneOfHint("shard_size", sizes);
}

std::string multiplesHint(std::string_view key, std::int64_t number, std::int64_t step) {
    const std::int64_t below = number / step * step;
    const std::string above = text(below + step);
    return std::string(key) + "=" + (below > 0 ? text(below) + " or " + above : above);
}

Result<void> checkCommon(const Stack& stack, const Scenario& scenario) {
    FABRICAST_TRY(checkSizes(scenario));
    FABRICAST_TRY(checkAxes(stack.name, stack.axes, scenario.layout));
    FABRICAST_TRY(checkChunksOverSites(stack, scenario));
    FABRICAST_TRY(checkSlices(scenario));
    FABRICAST_TRY(checkShardGroup(scenario.layout));
    if (scenario.layout.ep > 1 && !scenario.model.moe) {
        return breaks("layout.ep",
                      "num_experts must be non None to use expert model parallelism",
                      "ep=1: the model has no experts");
    }
    FABRICAST_TRY(checkSoftware(stack, scenario));
    const ExpertKernel experts = scenario.settings.kernels.experts;
    const bool marked = experts == ExpertKernel::DeepSpeed || experts == ExpertKernel::AutoEp;
    if (marked && stack.name != "deepspeed") {
        return lacks("settings.kernels.experts",
                     experts == ExpertKernel::AutoEp
                         ? "experts=autoep is modelled under the stack deepspeed"
                         : "experts=deepspeed is deepspeed.moe.layer.MoE, whose models are the "
                           "stack deepspeed's",
                     "the stack deepspeed, or another settings.kernels.experts");
    }
    FABRICAST_TRY(checkExpertKeys(stack, scenario));
    FABRICAST_TRY(checkTrained(scenario));
    FABRICAST_TRY(checkSavedOnHost(scenario));
    FABRICAST_TRY(checkReference(scenario));
    FABRICAST_TRY(checkOuter(scenario));
    return checkMethods(stack.name, stack.methods, scenario.settings);
}

Result<void> checkWorld(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    if (layout.world() == scenario.cluster.gpus()) {
        return {};
    }
    const std::int64_t model = layout.tp * layout.pp * layout.cp;
    const std::int64_t gpus = scenario.cluster.gpus();
    const std::string hint =
        gpus % model == 0 ? "dp=" + text(gpus / model) : "tp x pp x cp that divides " + text(gpus);
    return breaks(
        "layout.dp",
        "dp x tp x pp x cp is " + text(layout.world()) + ", but there are " + text(gpus) + " GPUs",
        hint);
}

Result<void> checkBatch(const Scenario& scenario) {
    const std::int64_t round = scenario.layout.microBatch * scenario.layout.dp;
    const std::int64_t batch = scenario.workload.globalBatch;
    if (batch % round == 0) {
        return {};
    }
    return breaks("workload.global_batch",
                  text(batch) + " is not a multiple of micro_batch " +
                      text(scenario.layout.microBatch) + " x dp " + text(scenario.layout.dp),
                  multiplesHint("global_batch", batch, round));
}

/// Kernels that only Transformer Engine has.
Result<void> checkEngineKernels(const KernelSettings& kernels) {
    const bool hasThem = kernels.code == ModelCode::TransformerEngine;
    if (kernels.fp8Attention && (!hasThem || kernels.quantization == Quantization::None)) {
        return lacks("settings.kernels.fp8_attention",
                     "attention in fp8 (fp8_dot_product_attention) is Transformer Engine's, in "
                     "layers that multiply in fp8",
                     hasThem ? "--precision fp8, or false"
                             : "false, or --stack megatron with --precision fp8");
    }
    if (kernels.fp8Attention && kernels.quantization == Quantization::Fp8Blockwise) {
        return breaks("settings.kernels.fp8_attention",
                      "FP8 attention is not supported for Float8BlockScaling.",
                      "false, or another --precision");
    }
    if (kernels.fusedOps && (!hasThem || kernels.quantization == Quantization::None)) {
        return lacks("settings.kernels.fused_ops",
                     "operations that write what the next product reads "
                     "(use_transformer_engine_op_fuser) are Transformer Engine's, in layers that "
                     "multiply in fp8",
                     hasThem ? "--precision fp8, or false"
                             : "false, or --stack megatron with --precision fp8");
    }
    if (kernels.documentTokens > 0 && kernels.attention == AttentionKernel::Unfused) {
        return lacks("settings.kernels.document_tokens",
                     "attention that keeps its scores computes them for the whole sequence",
                     "0, or settings.kernels.attention=flash");
    }
    const bool isMx = kernels.quantization == Quantization::MxFp8;
    if (kernels.fusedExperts &&
        (!isMx || !hasThem || kernels.experts != ExpertKernel::GroupedFused)) {
        return lacks("settings.kernels.fused_experts",
                     "experts in one kernel are Transformer Engine's grouped products in MXFP8",
                     hasThem ? "false, or --precision mxfp8 on a Blackwell GPU"
                             : "false, or --stack megatron with --precision mxfp8 on a Blackwell "
                               "GPU");
    }
    return {};
}

Result<void> checkMethods(std::string_view stack,
                          const StackMethods& methods,
                          const Settings& settings) {
    FABRICAST_TRY(checkFlag(stack,
                            methods,
                            "settings.optimizer.kind",
                            "--optimizer",
                            &StackMethods::optimizers,
                            settings.optimizer.kind));
    FABRICAST_TRY(
        checkOne(stack, "settings.precision.compute", settings.precision.compute, methods.compute));
    if (settings.kernels.quantization != Quantization::None) {
        FABRICAST_TRY(checkFlag(stack,
                                methods,
                                "settings.kernels.quantization",
                                "--precision",
                                &StackMethods::quantizations,
                                settings.kernels.quantization));
    }
    if (settings.recompute.kind != Checkpointing::None) {
        FABRICAST_TRY(
            checkOne(stack, "layout.recompute", settings.recompute.kind, methods.recompute));
    }
    const bool together =
        settings.recompute.kind == Checkpointing::Full && settings.recompute.layers > 1;
    if (together &&
        std::ranges::find(methods.recompute, Checkpointing::Block) == methods.recompute.end()) {
        return lacks("layout.recompute",
                     std::string(stack) +
                         " checkpoints each layer by itself; several in one "
                         "(recompute_method=uniform) are Megatron's",
                     "recompute=full");
    }
    FABRICAST_TRY(checkEngineKernels(settings.kernels));
    FABRICAST_TRY(checkStorage(stack, settings));
    FABRICAST_TRY(checkOptimizerNumbers(settings));
    FABRICAST_TRY(checkProductsOfBase(settings));
    return settings.tuning == Tuning::Lora ? checkAdapter(stack, methods, settings.lora)
                                           : Result<void>{};
}

}  // namespace fabricast
