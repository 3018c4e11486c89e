#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

namespace {

constexpr Named<Checkpointing> kCheckpoint[] = {{"none", Checkpointing::None},
                                                {"full", Checkpointing::Full}};

constexpr LowBitLibrary kBnb = LowBitLibrary::BitsAndBytes;
constexpr LowBitLibrary kAo = LowBitLibrary::TorchAo;
/// The records' torchao steps ran without torch.compile.
constexpr OptimizerKernel kLoop = OptimizerKernel::ForLoop;
constexpr Named<OptimizerSettings> kOptimizer[] = {
    {"fused", {OptimizerKind::AdamW, OptimizerKernel::Fused}},
    {"foreach", {OptimizerKind::AdamW, OptimizerKernel::Foreach}},
    {"for-loop", {OptimizerKind::AdamW, OptimizerKernel::ForLoop}},
    {"adamw_torch", {OptimizerKind::AdamW, OptimizerKernel::Foreach}},
    {"adamw_torch_fused", {OptimizerKind::AdamW, OptimizerKernel::Fused}},
    {"adafactor", {OptimizerKind::Adafactor, OptimizerKernel::ForLoop}},
    {"sgdm", {OptimizerKind::SgdMomentum, OptimizerKernel::Foreach}},
    {"muon", {OptimizerKind::Muon, OptimizerKernel::Foreach}},
    {"bnb_adamw", {OptimizerKind::AdamW, OptimizerKernel::BitsAndBytes}},
    {"bnb_adamw8bit", {OptimizerKind::AdamW8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_paged_adamw8bit", {OptimizerKind::PagedAdamW8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_lion", {OptimizerKind::Lion, OptimizerKernel::BitsAndBytes, kBnb}},
    {"bnb_lion8bit", {OptimizerKind::Lion8bit, OptimizerKernel::BitsAndBytes, kBnb}},
    {"ao_adamw8bit", {OptimizerKind::AdamW8bit, kLoop, kAo}},
    {"ao_adamw4bit", {OptimizerKind::AdamW4bit, kLoop, kAo}},
    {"ao_adamwfp8", {OptimizerKind::AdamWFp8, kLoop, kAo}}};

/// The weights as loaded: Trainer's column is `load`, PEFT's loop's is `base`.
Dtype loadedAs(const CsvTable& table, std::size_t row) {
    return table.text(row, "load") == "fp32" ? Dtype::Fp32 : Dtype::Bf16;
}

}  // namespace

Result<OracleRow> peftRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    Settings& settings = scenario.settings;
    settings.engine = Engine::Local;
    FABRICAST_ASSIGN(scenario.model, huggingFaceModel(table, row));
    settings.precision.autocast = table.text(row, "precision") == "autocast";
    settings.precision.parameters = loadedAs(table, row);
    settings.precision.gradients = settings.precision.reduce = settings.precision.parameters;
    settings.precision.compute = Dtype::Bf16;
    scenario.layout.microBatch = table.integer(row, "b", 1);
    scenario.workload.sequence = table.integer(row, "s");
    scenario.workload.globalBatch =
        scenario.layout.microBatch * table.integer(row, "accumulate", 1);
    KernelSettings& kernels = settings.kernels;
    kernels.code = ModelCode::HuggingFace;
    kernels.norm = NormKernel::Fp32;
    kernels.rope = RopeKernel::CosSin;
    kernels.loss = LossKernel::HuggingFace;
    kernels.fusedQkv = scenario.model.attention.fusedQkv;
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    FABRICAST_ASSIGN(settings.optimizer,
                     pick(kOptimizer, table.text(row, "optimizer"), "optimizer"));
    settings.optimizer.decayGroups = table.text(row, "framework") == "trainer";
    settings.allocator = table.text(row, "alloc") == "expandable"
                             ? AllocatorKind::ExpandableSegments
                             : AllocatorKind::Default;
    if (table.integer(row, "lora_r") > 0) {
        return fail(Error::Code::Unsupported, "lora_r", "memory of LoRA is not modelled");
    }
    return out;
}

}  // namespace fabricast
