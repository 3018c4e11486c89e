#include "tests/programs/oracle_rows/published_run.h"

#include "planner/stack/stack.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace fabricast {

namespace {

/// The supported stack that is closest to a published one.
Result<std::string> nearestStack(const std::string& stack) {
    static const std::pair<const char*, const char*> kNearest[] = {
        {"nanotron", "megatron"},
        {"Megatron-DeepSpeed", "megatron"},
        {"Megatron-Core (FSDP)", "megatron-fsdp"},
        {"LitGPT/Fabric", "axolotl"},
        {"megatron-2021", "megatron"},
        {"megatron-core", "megatron"},
        {"torchtitan", "torchtitan"},
        {"deepspeed", "deepspeed"},
        {"litgpt", "axolotl"},
        {"torchtune", "axolotl"}};
    for (const auto& [published, ours] : kNearest) {
        if (stack == published) {
            return std::string(ours);
        }
    }
    return fail(Error::Code::Unsupported, "stack", "no stack of ours is like " + stack);
}

std::int64_t numberAfter(const std::string& text, const std::string& key) {
    const std::size_t at = text.find(key);
    std::int64_t value = 0;
    if (at != std::string::npos) {
        std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
    }
    return value;
}

/// "experts=256/topk=8/ffn=2048/shared=1/first_dense=3/MLA"
void readExperts(const std::string& text, ModelSpec& model) {
    if (text.empty()) {
        return;
    }
    MoeSpec moe;
    moe.experts = numberAfter(text, "experts=");
    moe.topK = numberAfter(text, "topk=");
    moe.expertWidth = numberAfter(text, "ffn=");
    moe.sharedWidth = numberAfter(text, "shared=") * moe.expertWidth;
    model.moe = moe;
    model.sparse.assign(static_cast<std::size_t>(model.layers), true);
    const std::int64_t dense = numberAfter(text, "first_dense=");
    std::fill_n(model.sparse.begin(), std::min(dense, model.layers), false);
    if (text.find("MLA") != std::string::npos) {  // DeepSeek's dimensions
        AttentionSpec& attention = model.attention;
        attention.kind = AttentionKind::Latent;
        attention.qLoraRank = 1536;
        attention.kvLoraRank = 512;
        attention.qkNopeDim = attention.vHeadDim = 128;
        attention.qkRopeDim = 64;
        attention.headDim = 128;
    }
}

Result<ModelSpec> readModel(const CsvTable& table, std::size_t row) {
    ModelSpec model;
    for (const char* column : {"layers", "hidden", "ffn", "heads", "kv_heads", "vocab", "seq"}) {
        if (table.integer(row, column) <= 0) {
            return fail(Error::Code::BadInput, column, "the source does not say");
        }
    }
    model.name = table.text(row, "model");
    model.layers = table.integer(row, "layers");
    model.hidden = table.integer(row, "hidden");
    model.vocab = table.integer(row, "vocab");
    model.mlp.width = table.integer(row, "ffn");
    model.attention.heads = table.integer(row, "heads");
    model.attention.kvHeads = table.integer(row, "kv_heads");
    model.attention.headDim = model.hidden / model.attention.heads;
    const bool gpt = model.name.starts_with("GPT");
    model.family = gpt ? "gpt" : "llama";
    if (gpt) {
        model.norm = NormKind::Layer;
        model.position = PositionKind::Learned;
        model.learnedPositions = table.integer(row, "seq");
        model.mlp = {.kind = MlpKind::Plain, .width = model.mlp.width, .bias = true};
        model.attention.qkvBias = model.attention.outBias = true;
        model.tiedEmbeddings = true;
    }
    model.tiedEmbeddings = model.tiedEmbeddings ||
                           table.text(row, "model").starts_with("Llama-1B (nanotron") ||
                           table.text(row, "model").starts_with("Llama-3B (nanotron");
    readExperts(table.text(row, "moe"), model);
    return model;
}

Shard shardOf(const std::string& text) {
    if (text == "zero1") {
        return Shard::Zero1;
    }
    if (text == "zero3") {
        return Shard::Zero3;
    }
    return text == "fsdp" ? Shard::Fsdp : Shard::None;
}

Result<void> readLayout(const CsvTable& table, std::size_t row, Scenario& scenario) {
    Layout& layout = scenario.layout;
    layout.dp = table.integer(row, "dp", 1);
    layout.tp = table.integer(row, "tp", 1);
    layout.pp = table.integer(row, "pp", 1);
    layout.cp = table.integer(row, "cp", 1);
    layout.ep = table.integer(row, "ep", 1);
    layout.etp = table.integer(row, "etp", 1);
    layout.vpp = table.integer(row, "vpp", 1);
    layout.sp = table.text(row, "sp") != "n" && layout.tp > 1;
    layout.shard = shardOf(table.text(row, "shard"));
    if (layout.pp > 1) {
        layout.schedule = layout.vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
    }
    for (const char* column : {"micro_batch", "global_batch"}) {
        if (table.text(row, column).empty()) {
            return fail(Error::Code::BadInput, column, "the source does not say");
        }
    }
    layout.microBatch = table.integer(row, "micro_batch");
    scenario.workload.globalBatch = table.integer(row, "global_batch");
    scenario.workload.sequence = table.integer(row, "seq");
    return {};
}

/// BigScience's Megatron-DeepSpeed: Megatron's modules of 2021, which write the attention scores
/// out, in DeepSpeed's pipeline and ZeRO-1.
Result<Settings> megatronDeepSpeed(const CsvTable& table,
                                   std::size_t row,
                                   const Scenario& scenario) {
    constexpr double kMegatronDropout = 0.1;
    FABRICAST_ASSIGN(const Stack* deepspeed, findStack("deepspeed"));
    Settings settings = defaultSettings(*deepspeed, scenario.model, scenario.layout);
    settings.kernels = {.code = ModelCode::Megatron,
                        .fusedQkv = true,
                        .attention = AttentionKernel::Unfused,
                        .loss = LossKernel::VocabParallel,
                        .dropout = kMegatronDropout};
    settings.megatron.gradientAccumulationFusion = false;
    const bool half = table.text(row, "precision") == "fp16";
    PrecisionSettings& types = settings.precision;
    types.parameters = types.compute = types.reduce = half ? Dtype::Fp16 : Dtype::Bf16;
    const bool wide = table.text(row, "optimizer").find("fp32 grad") != std::string::npos;
    types.gradients = wide ? Dtype::Fp32 : types.parameters;
    return settings;
}

/// torchtune 0.3 and 0.4: everything in bf16, adapters too, which its recipes put with rank 8 on q,
/// v, output and the MLP.
Result<void> readTorchtune(const CsvTable& table, std::size_t row, Scenario& scenario) {
    const auto unsupported = [](const char* column, const char* why) {
        return fail(Error::Code::Unsupported, column, why);
    };
    const std::string optimizer = table.text(row, "optimizer");
    const std::string notes = table.text(row, "notes");
    if (optimizer.find("bwd") != std::string::npos) {
        return unsupported("optimizer", "a step inside backward is not modelled");
    }
    if (notes.find("Chunked Cross") != std::string::npos ||
        notes.find("chunkedCE") != std::string::npos) {
        return unsupported("notes", "torchtune's chunked cross entropy is not modelled");
    }
    if (notes.find("Baseline;") != std::string::npos) {
        return fail(Error::Code::BadInput, "notes", "not packed, so shorter than `seq`");
    }
    Settings& settings = scenario.settings;
    const Dtype bf16 = Dtype::Bf16;
    settings.precision = {
        .parameters = bf16, .compute = bf16, .gradients = bf16, .reduce = bf16, .moments = bf16};
    settings.lora.dtype = bf16;
    settings.lora.targets = {"q", "v", "o", "gate", "up", "down"};
    if (optimizer.find("CPU offload") != std::string::npos) {
        scenario.layout.offload = Offload::ParametersCpu;
    }
    return {};
}

Result<void> readSettings(const CsvTable& table, std::size_t row, Scenario& scenario) {
    Settings& settings = scenario.settings;
    if (table.text(row, "framework") == "Megatron-DeepSpeed") {
        FABRICAST_ASSIGN(settings, megatronDeepSpeed(table, row, scenario));
    }
    const std::string recompute = table.text(row, "recompute");
    if (recompute.empty()) {
        return fail(Error::Code::BadInput, "recompute", "the source does not say");
    }
    settings.recompute = {};
    if (recompute == "full") {
        settings.recompute.kind = Checkpointing::Full;
    } else if (recompute.starts_with("selective")) {
        settings.recompute.kind = Checkpointing::Selective;
    }
    const std::string source = table.text(row, "id");
    if (source.starts_with("titan")) {  // releases of 2024: plain loss, separate q, k and v
        settings.kernels.loss = LossKernel::Fp32Upcast;
        settings.kernels.fusedQkv = false;
        settings.kernels.positionIds = false;
    }
    if (table.text(row, "stack") == "nanotron") {
        // Plain PyTorch modules and an fp32 cross entropy over Megatron's division of ranks.
        settings.kernels.code = ModelCode::Torch;
        settings.kernels.norm = NormKernel::Fused;
        settings.kernels.rope = RopeKernel::Complex;
        settings.kernels.activation = ActivationKernel::Eager;
        settings.kernels.fusedQkv = false;
        settings.kernels.loss = LossKernel::Fp32Upcast;
    }
    settings.megatron.distributedOptimizer = scenario.layout.shard != Shard::None;
    const std::string peft = table.text(row, "peft");
    if (peft == "lora" || peft == "qlora") {
        settings.tuning = Tuning::Lora;
        settings.lora.rank = 8;
        settings.lora.targets = {"q", "v"};
        settings.lora.base = peft == "qlora" ? Dtype::Nf4 : Dtype::Bf16;
        settings.lora.doubleQuantization = peft == "qlora";
    } else if (peft != "none") {
        return fail(Error::Code::Unsupported, "peft", peft + " is not modelled");
    }
    if (table.text(row, "stack") == "torchtune") {
        return readTorchtune(table, row, scenario);
    }
    return {};
}

}  // namespace

Result<Scenario> publishedRun(const CsvTable& table, std::size_t row) {
    Scenario scenario;
    FABRICAST_ASSIGN(scenario.stack,
                     nearestStack(table.text(row, table.has("stack") ? "stack" : "framework")));
    FABRICAST_ASSIGN(scenario.model, readModel(table, row));
    FABRICAST_TRY(readLayout(table, row, scenario));
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    scenario.settings = defaultSettings(*stack, scenario.model, scenario.layout);
    FABRICAST_TRY(readSettings(table, row, scenario));
    return scenario;
}

}  // namespace fabricast
