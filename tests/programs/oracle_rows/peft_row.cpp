#include "tests/programs/oracle_rows/oracle_row.h"

#include <sstream>
#include <string>

namespace fabricast {

namespace {

constexpr Recorded<Checkpointing> kCheckpoint[] = {{"none", Checkpointing::None},
                                                   {"full", Checkpointing::Full}};

constexpr Recorded<Dtype> kBase[] = {{"fp32", Dtype::Fp32},
                                     {"bf16", Dtype::Bf16},
                                     {"nf4", Dtype::Nf4},
                                     {"nf4dq", Dtype::Nf4},
                                     {"int8", Dtype::Int8}};

/// The weights as loaded: Trainer's column is `load`, PEFT's loop's is `base`.
std::string loadedAs(const CsvTable& table, std::size_t row) {
    return table.text(row, table.text(row, "framework") == "trainer" ? "load" : "base");
}

/// Without autocast_adapter_dtype (`lora_dtype` bf16), PEFT gives adapters the type of the base's
/// weights, or of its compute; over int8 codes they stay fp32.
Dtype adapterType(const CsvTable& table, std::size_t row, const LoraSettings& lora) {
    const bool wide = lora.base == Dtype::Fp32 || lora.base == Dtype::Int8 ||
                      (lora.base == Dtype::Bf16 && lora.preparedForKbit);
    return wide || table.text(row, "lora_dtype") == "fp32" ? Dtype::Fp32 : Dtype::Bf16;
}

Result<void> setLora(const CsvTable& table, std::size_t row, Settings& settings) {
    LoraSettings& lora = settings.lora;
    lora.rank = table.integer(row, "lora_r");
    FABRICAST_ASSIGN(lora.base, pick(kBase, loadedAs(table, row), "base"));
    if (lora.rank == 0) {
        settings.precision.parameters = lora.base;
        return {};
    }
    settings.tuning = Tuning::Lora;
    FABRICAST_ASSIGN(lora.targets, loraTargets(table.text(row, "lora_targets")));
    lora.modulesToSave = savedModules(table, row);
    lora.dropout = table.number(row, "lora_dropout");
    lora.dora = table.integer(row, "dora") != 0;
    lora.doubleQuantization = loadedAs(table, row) == "nf4dq";
    lora.preparedForKbit = table.integer(row, "prepare") != 0;
    lora.dtype = adapterType(table, row, lora);
    if (lora.preparedForKbit && lora.base == Dtype::Bf16) {
        // prepare_model_for_kbit_training turns checkpointing on for quantised models only.
        settings.recompute.kind = Checkpointing::None;
    }
    return {};
}

/// "q+v"
NameSet namesIn(const std::string& text) {
    NameSet set;
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, '+');) {
        set.insert(name);
    }
    return set;
}

}  // namespace

Result<NameSet> loraTargets(const std::string& text) {
    if (text == "all-linear" || text == "linear") {
        return NameSet{"q", "k", "v", "o", "gate", "up", "down"};
    }
    if (text == "attention" || text == "experts" || text == "latent") {
        return NameSet{"q", "k", "v", "o"};
    }
    if (text == "qv") {
        return NameSet{"q", "v"};
    }
    if (text.find('+') != std::string::npos || everyLinear().contains(text)) {
        return namesIn(text);
    }
    return fail(Error::Code::Unsupported, "lora_targets", "'" + text + "' is not supported");
}

NameSet savedModules(const CsvTable& table, std::size_t row) {
    return table.has("saved") ? namesIn(table.text(row, "saved")) : NameSet{};
}

Result<OracleRow> peftRow(const CsvTable& table, std::size_t row) {
    OracleRow out;
    Scenario& scenario = out.scenario;
    Settings& settings = scenario.settings;
    settings.engine = Engine::Local;
    FABRICAST_ASSIGN(scenario.model, huggingFaceModel(table, row));
    settings.precision.autocast = table.text(row, "precision") == "autocast";
    settings.precision.compute = Dtype::Bf16;
    scenario.layout.microBatch = table.integer(row, "b", 1);
    scenario.workload.sequence = table.integer(row, "s");
    scenario.workload.globalBatch =
        scenario.layout.microBatch * table.integer(row, "accumulate", 1);
    KernelSettings& kernels = settings.kernels;
    setTransformersKernels(table.text(row, "loss"), kernels);
    kernels.fusedQkv = scenario.model.attention.fusedQkv;
    FABRICAST_ASSIGN(settings.recompute.kind, pick(kCheckpoint, table.text(row, "ac"), "ac"));
    FABRICAST_ASSIGN(settings.optimizer, recordedOptimizer(table.text(row, "optimizer")));
    settings.optimizer.decayGroups = table.text(row, "framework") == "trainer";
    settings.allocator = table.text(row, "alloc") == "expandable"
                             ? AllocatorKind::ExpandableSegments
                             : AllocatorKind::Default;
    FABRICAST_TRY(setLora(table, row, settings));
    FABRICAST_TRY(setExtras(table, row, scenario));
    settings.precision.gradients = settings.precision.reduce = settings.precision.parameters;
    return out;
}

}  // namespace fabricast
