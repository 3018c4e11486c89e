#include "planner/backtest/run_readings.h"
#include "planner/load/scenario_defaults.h"

#include <algorithm>
#include <string_view>

namespace fabricast {

namespace {

/// NVIDIA's recipes (NeMo, Megatron-Bridge, DGX Cloud, MLPerf) overlap tensor parallel
/// communication; pretrain_gpt.py does not by itself.
bool fromRecipes(const PublishedRun& run) {
    return mentions(run.framework, "nemo") || mentions(run.framework, "bridge") ||
           mentions(run.framework, "dgx") || mentions(run.framework, "mlperf");
}

struct Family {
    std::string_view software;
    std::string_view stack;
};
constexpr Family kFamilies[] = {{"megatron-core", "megatron"},
                                {"megatron-2021", "megatron"},
                                {"nanotron", "megatron"},
                                {"rocm-mlperf", "nemo"},
                                {"nemo", "nemo"},
                                {"megatron", "megatron"},
                                {"megatron-fsdp", "megatron-fsdp"},
                                {"torchtitan", "torchtitan"},
                                {"fsdp2", "fsdp2"},
                                {"fsdp1", "fsdp1"},
                                {"ddp", "ddp"},
                                {"deepspeed", "deepspeed"},
                                {"accelerate", "accelerate"},
                                {"axolotl", "axolotl"},
                                {"litgpt", "fsdp2"},
                                {"torchtune", "fsdp2"}};

/// Megatron-LM before Transformer Engine: PyTorch ops, scores in memory, gradients reduced after
/// the last backward.
void asOf2021(Settings& settings) {
    settings.kernels.code = ModelCode::Megatron;
    settings.kernels.attention = AttentionKernel::Unfused;
    settings.kernels.positionIds = false;
    settings.kernels.dropout = 0.1;
    settings.megatron.overlapGradReduce = false;
    settings.megatron.overlapParamGather = false;
    settings.megatron.tensorOverlap = false;
    settings.kernels.activation = ActivationKernel::Fused;
    settings.pipeline.scatterExchange = true;
}

/// DDP's buckets of 25 MiB, in elements of bf16.
constexpr std::int64_t kDdpBucket = (std::int64_t{25} << 20) / 2;

/// How nanotron reduces gradients that it has summed in fp32, and gathers. DDP's hook all-reduces
/// buckets in the last backward; under ZeRO-1 there is no DDP: after the last backward all
/// gradients are all-reduced at once (trainer.py, `reduce_scatter=False`), and parameters are
/// gathered by slices (optim/zero.py, `_all_gather_params`).
void reduceAsNanotron(const Layout& layout, MegatronSettings& megatron) {
    const bool zero = layout.shard != Shard::None;
    megatron.overlapGradReduce = !zero;
    megatron.bucketElements = zero ? 0 : kDdpBucket;
    megatron.reduceScatter = !zero;
    megatron.gatherSlices = zero;
    megatron.overlapParamGather = false;
}

/// Plain PyTorch modules over Megatron's division of ranks.
void asNanotron(const Layout& layout, Settings& settings) {
    settings.kernels.code = ModelCode::Torch;
    settings.kernels.norm = NormKernel::Fused;
    settings.kernels.rope = RopeKernel::Complex;
    settings.kernels.activation = ActivationKernel::Eager;
    settings.kernels.fusedQkv = false;
    settings.kernels.loss = LossKernel::Fp32Upcast;
    settings.kernels.attentionCode = AttentionCode::Flash2;
    reduceAsNanotron(layout, settings.megatron);
    settings.megatron.tensorOverlap = false;
}

/// MosaicML's llm-foundry, whose ComposerMPTCausalLM takes flash-attn's cross entropy by default:
/// it reads the logits and writes their gradients in 16 bits.
void asFoundry(Settings& settings) {
    settings.kernels.loss = LossKernel::LogitsDtype;
}

/// NeMo AutoModel as its published benchmark recipes set it: those that prefetch FSDP's units
/// checkpoint and compile every layer, others neither; DeepEP sends the tokens to experts.
void asAutomodel(const PublishedRun& run, Settings& settings) {
    const bool prefetches = mentions(run.notes, "fsdp2_prefetch");
    settings.kernels.compile = prefetches;
    settings.kernels.attentionCode = AttentionCode::Native;
    settings.recompute.kind = prefetches ? Checkpointing::Full : Checkpointing::None;
    settings.kernels.dispatchOncePerNode = mentions(run.notes, "deepep");
}

/// Which linears published LoRA recipes adapt: all of AutoModel's, queries, keys and values of
/// NeMo's, and MLPerf's attention.
NameSet adaptedBy(const PublishedRun& run) {
    if (mentions(run.framework, "automodel")) {
        return LoraSettings{}.targets;
    }
    if (mentions(run.framework, "nemo") && !mentions(run.framework, "mlperf")) {
        return {"q", "k", "v"};
    }
    return {"q", "k", "v", "o"};
}

NameSet modulesIn(const std::string& text) {
    NameSet modules;
    const std::size_t open = text.find('(');
    if (open == std::string::npos) {
        return modules;
    }
    std::string name;
    for (const char c : text.substr(open + 1)) {
        if (c == ',' || c == ')') {
            modules.insert(name);
            name.clear();
        } else if (c != ' ') {
            name += c;
        }
    }
    return modules;
}

Result<void> readRecompute(const PublishedRun& run, const Stack& stack, RunScenario& result) {
    RecomputeSettings& recompute = result.scenario.settings.recompute;
    const std::string& text = run.recompute;
    if (text.empty()) {
        result.assumed.push_back("recompute: the stack's default");
        return {};
    }
    recompute = {};
    if (text == "none") {
        return {};
    }
    if (text.starts_with("full")) {
        recompute.kind = Checkpointing::Full;
    } else if (text.starts_with("selective")) {
        const NameSet modules = modulesIn(text);
        const bool byOp = modules.contains("op") || modules.contains("layer");
        recompute = recomputeFor(stack, {.kind = Checkpointing::Selective});
        if (!byOp && !modules.empty() && recompute.kind == Checkpointing::Modules) {
            recompute.modules = modules;
        }
    } else {
        return fail(Error::Code::Unsupported,
                    "recompute",
                    "'" + text + "' is not none, full or selective(…)");
    }
    return {};
}

Result<void> readPrecision(const PublishedRun& run, RunScenario& result) {
    static const std::pair<std::string_view, std::string_view> kNames[] = {
        {"bf16", "bf16"},
        {"fp16", "fp16"},
        {"fp32", "fp32"},
        {"fp8", "fp8_tensorwise"},
        {"fp8-cs", "fp8_tensorwise"},
        {"fp8-mx", "mxfp8"},
        {"mxfp8", "mxfp8"},
        {"fp8-block", "fp8_blockwise"},
        {"nvfp4", "nvfp4"}};
    if (run.precision.empty()) {
        result.assumed.push_back("precision: bf16");
        return {};
    }
    Settings& settings = result.scenario.settings;
    const bool rowwise = mentions(run.notes, "float8 rowwise");  // fp8 in the column
    for (const auto& [written, ours] : kNames) {
        if (run.precision == written) {
            const std::string scheme(rowwise ? "fp8_rowwise" : ours);
            FABRICAST_ASSIGN(settings, withPrecision(settings, scheme, "precision"));
            return {};
        }
    }
    return fail(Error::Code::Unsupported, "precision", "'" + run.precision + "' is not modelled");
}

void readOptimizer(const PublishedRun& run, Settings& settings) {
    if (mentions(run.optimizer, "8bit")) {
        settings.optimizer.kind = OptimizerKind::AdamW8bit;
    } else if (mentions(run.optimizer, "lion")) {
        settings.optimizer.kind = OptimizerKind::Lion;
    }
    if (mentions(run.optimizer, "fp16 grad accum")) {
        settings.precision.gradients = settings.precision.reduce = Dtype::Fp16;
    }
}

bool trainsAll(const PublishedRun& run) {
    return run.tuning.empty() || run.tuning == "none";
}

/// NVIDIA's tables of fine-tuning are of SQuAD, packed into sequences of 4,096 tokens: some 200 a
/// question with its paragraph.
constexpr std::int64_t kSquadTokens = 200;

void readPacking(const PublishedRun& run, Settings& settings) {
    const bool recipe =
        fromRecipes(run) && run.stack == "megatron-core" && !mentions(run.framework, "mlperf");
    const bool tuned = !trainsAll(run) || mentions(run.model, "sft") || mentions(run.notes, "sft");
    settings.kernels.documentTokens = recipe && tuned ? kSquadTokens : 0;
}

/// NVIDIA's recipes for speed reduce gradients in 16 bits, and store the weights in fp8 that layers
/// multiply so (`fp8_param_gather` in `mixed_precision.py` of Megatron-Bridge), but for scales by
/// blocks and for NVFP4. MLPerf's submissions say it themselves.
void asRecipe(const PublishedRun& run, Settings& settings) {
    settings.precision.gradients = settings.precision.reduce = Dtype::Bf16;
    const Quantization quantization = settings.kernels.quantization;
    const bool recipe =
        quantization == Quantization::Fp8Tensorwise || quantization == Quantization::MxFp8;
    const bool isMlperf = mentions(run.framework, "mlperf");
    if (trainsAll(run) && recipe && (!isMlperf || mentions(run.notes, "fp8_params=true"))) {
        settings.precision.parameters = Dtype::Fp8;
    }
}

Result<void> readTuning(const PublishedRun& run, Settings& settings) {
    if (trainsAll(run)) {
        return {};
    }
    if (run.tuning != "lora" && run.tuning != "qlora") {
        return fail(Error::Code::Unsupported, "peft", "'" + run.tuning + "' is not modelled");
    }
    settings.tuning = Tuning::Lora;
    settings.lora.rank = 16;
    settings.lora.targets = adaptedBy(run);
    settings.lora.dtype = Dtype::Bf16;
    settings.lora.base = run.tuning == "qlora" ? Dtype::Nf4 : Dtype::Bf16;
    return {};
}

}  // namespace

Result<const Stack*> stackOf(const PublishedRun& run) {
    // NeMo AutoModel: FSDP2 with the parallel regions that torchtitan has too.
    if (mentions(run.framework, "automodel")) {
        return findStack("torchtitan");
    }
    std::string known;
    for (const Family& family : kFamilies) {
        known += (known.empty() ? "known are " : ", ") + std::string(family.software);
        if (run.stack == family.software) {
            if (family.stack == "megatron" && run.shard == "fsdp(megatron)") {
                return findStack("megatron-fsdp");
            }
            const bool recipe = family.stack == "megatron" && fromRecipes(run);
            return findStack(recipe ? "nemo" : family.stack);
        }
    }
    return fail(Error::Code::Unsupported,
                "stack",
                "no supported stack corresponds to '" + run.stack + "'",
                known);
}

Result<void> applySettings(const PublishedRun& run, const Stack& stack, RunScenario& result) {
    Scenario& scenario = result.scenario;
    Settings& settings = scenario.settings;
    settings = defaultSettings(
        stack, scenario.model, scenario.layout, trainsAll(run) ? Tuning::Full : Tuning::Lora);
    if (run.stack == "torchtune") {  // keeps everything in bf16
        FABRICAST_ASSIGN(settings, withPrecision(settings, "pure_bf16", "precision"));
    }
    if (mentions(run.framework, "automodel")) {
        asAutomodel(run, settings);
    }
    if (mentions(run.framework, "llm-foundry")) {
        asFoundry(settings);
    }
    if (run.stack == "megatron-2021") {
        asOf2021(settings);
        settings.pipeline.serialExchange =
            mentions(run.framework, "deepspeed") && !mentions(run.framework, "megatron-lm");
    } else if (run.stack == "nanotron") {
        asNanotron(scenario.layout, settings);
    }
    FABRICAST_TRY(readRecompute(run, stack, result));
    FABRICAST_TRY(readPrecision(run, result));
    readOptimizer(run, settings);
    FABRICAST_TRY(readTuning(run, settings));
    readPacking(run, settings);
    if (stack.name == "nemo") {
        asRecipe(run, settings);
    }
    FABRICAST_TRY(readStages(run, scenario));
    readRelease(run, scenario, settings);
    readNotes(run, settings);
    return {};
}

}  // namespace fabricast
