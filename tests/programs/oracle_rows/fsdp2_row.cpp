#include "tests/programs/oracle_rows/oracle_row.h"

#include <sstream>
#include <string>

namespace fabricast {

namespace {

constexpr Recorded<ModelCode> kCode[] = {{"titan", ModelCode::TorchTitan},
                                         {"torch", ModelCode::Torch},
                                         {"hf:llama", ModelCode::HuggingFace},
                                         {"hf:qwen3", ModelCode::HuggingFace}};
constexpr Recorded<Checkpointing> kCheckpoint[] = {{"none", Checkpointing::None},
                                                   {"selective", Checkpointing::Selective},
                                                   {"full", Checkpointing::Full}};
constexpr Recorded<Reshard> kReshard[] = {
    {"default", Reshard::Default}, {"always", Reshard::Always}, {"never", Reshard::Never}};
constexpr Recorded<Dtype> kDtype[] = {{"fp32", Dtype::Fp32}, {"bf16", Dtype::Bf16}};
constexpr Recorded<LossKernel> kLoss[] = {{"plain", LossKernel::Fp32Upcast},
                                          {"chunked", LossKernel::Chunked},
                                          {"liger", LossKernel::Liger}};
constexpr Recorded<TitanBackend> kBackend[] = {{"spmd_types", TitanBackend::SpmdTypes},
                                               {"partial_dtensor", TitanBackend::PartialDTensor},
                                               {"full_dtensor", TitanBackend::FullDTensor}};
constexpr Recorded<ScheduleKind> kSchedule[] = {
    {"none", ScheduleKind::None},
    {"1F1B", ScheduleKind::OneFOneB},
    {"GPipe", ScheduleKind::Gpipe},
    {"Interleaved1F1B", ScheduleKind::Interleaved},
    {"LoopedBFS", ScheduleKind::LoopedBfs},
    {"InterleavedZeroBubble", ScheduleKind::InterleavedZb},
    {"ZBVZeroBubble", ScheduleKind::ZbV},
    {"DualPipeV", ScheduleKind::DualPipeV}};

/// "expandable", or options as PYTORCH_ALLOC_CONF has them.
Result<void> readAllocator(std::string text, Settings& settings) {
    text = text == "expandable" ? "expandable_segments:True" : text == "default" ? "" : text;
    std::istringstream options(text);
    for (std::string option; std::getline(options, option, ',');) {
        const std::size_t colon = option.find(':');
        const std::string name = option.substr(0, colon);
        const std::string value = colon < option.size() ? option.substr(colon + 1) : "";
        if (name == "expandable_segments") {
            settings.allocator = AllocatorKind::ExpandableSegments;
        } else if (name == "max_split_size_mb") {
            settings.maxSplitMb = std::stoll(value);
        } else if (name == "roundup_power2_divisions") {
            settings.roundupDivisions = std::stoll(value);
        } else if (!name.empty() && name != "garbage_collection_threshold") {
            return fail(Error::Code::BadInput, "alloc", "unknown option \"" + name + "\"");
        }
    }
    return {};
}

Result<void> readLayout(const CsvTable& table, std::size_t row, OracleRow& out) {
    Layout& layout = out.scenario.layout;
    layout.tp = table.integer(row, "tp", 1);
    layout.cp = table.integer(row, "cp", 1);
    layout.pp = table.integer(row, "pp", 1);
    layout.sp = table.integer(row, "sp") != 0 && layout.tp > 1;
    const std::int64_t world = table.integer(row, "world", 1);
    const std::int64_t replicate = table.integer(row, "replicate", 1);
    layout.dp = world / (layout.tp * layout.cp * layout.pp);
    layout.shard = replicate > 1 ? Shard::Hsdp : Shard::Fsdp;
    layout.shardSize = world / (replicate * layout.tp * layout.pp);
    FABRICAST_ASSIGN(layout.schedule, pick(kSchedule, table.text(row, "schedule"), "schedule"));
    const std::int64_t batch = table.integer(row, "b", 1);
    const std::int64_t accumulate = table.integer(row, "accumulate", 1);
    if (layout.pp > 1) {  // one sequence per microbatch
        layout.microBatch = 1;
        out.scenario.workload.globalBatch = batch * layout.dp;
        if (layout.schedule == ScheduleKind::Interleaved) {
            layout.vpp = 2;
        }
    } else {
        layout.microBatch = batch;
        out.scenario.workload.globalBatch = batch * accumulate * layout.dp;
    }
    // Stages are the slowest axis of the mesh.
    out.stage = table.integer(row, "rank") / (world / layout.pp);
    out.rank = table.integer(row, "rank") % (world / layout.pp);
    return {};
}

/// PEFT's adapters, sharded with the frozen base.
Result<void> readLora(const CsvTable& table, std::size_t row, Settings& settings) {
    if (!table.has("lora_r") || table.integer(row, "lora_r") == 0) {
        return {};
    }
    settings.tuning = Tuning::Lora;
    LoraSettings& lora = settings.lora;
    lora.rank = table.integer(row, "lora_r");
    FABRICAST_ASSIGN(lora.targets, loraTargets(table.text(row, "lora_targets")));
    lora.modulesToSave = savedModules(table, row);
    lora.dropout = table.number(row, "lora_dropout");
    lora.dora = table.integer(row, "dora") != 0;
    FABRICAST_ASSIGN(lora.dtype, pick(kDtype, table.text(row, "lora_dtype"), "lora_dtype"));
    lora.base = settings.precision.parameters;
    if (lora.base == Dtype::Fp32) {
        lora.dtype = Dtype::Fp32;
    }
    return {};
}

}  // namespace

Result<OracleRow> fsdp2Row(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    FABRICAST_ASSIGN(scenario.model, denseModel(table.text(row, "model")));
    scenario.workload.sequence = table.integer(row, "s");
    FABRICAST_TRY(readLayout(table, row, out));
    Settings& settings = scenario.settings;
    settings.engine = Engine::Fsdp2;
    FABRICAST_ASSIGN(settings.kernels.code, pick(kCode, table.text(row, "source"), "source"));
    if (table.text(row, "source") == "hf:qwen3") {
        scenario.model.family = "qwen3";
        scenario.model.attention.qkNorm = QkNorm::PerHead;
    }
    const bool hf = settings.kernels.code == ModelCode::HuggingFace;
    settings.kernels.norm = hf ? NormKernel::Fp32 : NormKernel::Fused;
    settings.kernels.rope = hf ? RopeKernel::CosSin : RopeKernel::Complex;
    settings.kernels.fusedQkv = !hf && table.integer(row, "fuse_qkv") != 0;
    settings.kernels.positionIds =
        settings.kernels.code == ModelCode::TorchTitan && table.integer(row, "positions") != 0;
    FABRICAST_ASSIGN(settings.kernels.loss, pick(kLoss, table.text(row, "loss"), "loss"));
    if (hf && settings.kernels.loss != LossKernel::Liger) {
        settings.kernels.loss = LossKernel::HuggingFace;
    }
    if (settings.kernels.code == ModelCode::TorchTitan && scenario.layout.pp > 1) {
        settings.pipeline = {.embeddingWeight = 1, .headWeight = 1};
    }
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    FABRICAST_ASSIGN(settings.torch.reshard, pick(kReshard, table.text(row, "reshard"), "reshard"));
    settings.torch.oneUnit = table.integer(row, "one_unit") != 0;
    if (table.has("backend")) {
        FABRICAST_ASSIGN(settings.torch.backend,
                         pick(kBackend, table.text(row, "backend"), "backend"));
    }
    settings.torch.sync = table.text(row, "sync") == "last" ? GradientSync::LastMicroBatch
                                                            : GradientSync::EachMicroBatch;
    FABRICAST_ASSIGN(settings.precision.parameters,
                     pick(kDtype, table.text(row, "param_dtype"), "param_dtype"));
    FABRICAST_ASSIGN(settings.precision.reduce,
                     pick(kDtype, table.text(row, "reduce_dtype"), "reduce_dtype"));
    FABRICAST_ASSIGN(settings.optimizer, recordedOptimizer(table.text(row, "optimizer")));
    FABRICAST_TRY(readLora(table, row, settings));
    FABRICAST_TRY(setExtras(table, row, scenario));
    FABRICAST_TRY(readAllocator(table.text(row, "alloc"), settings));
    return out;
}

}  // namespace fabricast
