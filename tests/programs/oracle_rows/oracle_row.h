#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "tests/support/case_table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// A recorded step, as a scenario: which stage and rank of it was measured.
struct OracleRow {
    Scenario scenario;
    std::int64_t stage = 0;
    std::int64_t rank = 0;
    std::int64_t expertRank = 0;
    bool layerOnly = false;   ///< the record is of one layer, not of a step
    bool hidesSaved = false;  ///< checkpointing hides from the record what a layer saves
    /// What the record also counts as saved: with context parallelism attention keeps DTensors,
    /// each recorded at the size of the whole sequence, not of the part that this rank holds.
    std::int64_t countedBesides = 0;
};

/// Each form of record, distinguished by its columns.
Result<OracleRow> savedTensorsRow(const CsvTable& table, std::size_t row);
Result<OracleRow> fsdp2Row(const CsvTable& table, std::size_t row);
Result<OracleRow> megatronRow(const CsvTable& table, std::size_t row);
Result<OracleRow> zeroRow(const CsvTable& table, std::size_t row);
Result<OracleRow> peftRow(const CsvTable& table, std::size_t row);
Result<OracleRow> hfMoeRow(const CsvTable& table, std::size_t row);
Result<OracleRow> moeRow(const CsvTable& table, std::size_t row);

/// megatron-core 0.16 as the records run it: the local spec, nothing compiled, torch's AdamW.
/// LoRA of torchtitan and of Megatron-Bridge, in the type of the model's parameters.
Result<void> setOwnLora(const CsvTable& table, std::size_t row, Scenario& scenario);
void setMegatronCore(Settings& settings);
/// "none", "full", or the names of recomputed modules joined by '+'.
void setRecompute(Settings& settings, const std::string& text);

/// Columns that some records have: `train`, which leaves part of the model frozen,
/// `save_on_cpu`, and `reference`, a frozen copy beside the model.
Result<void> setExtras(const CsvTable& table, std::size_t row, Scenario& scenario);

/// transformers' own kernels, with Liger's loss ("liger") or all of Liger's ("liger_all").
void setTransformersKernels(std::string_view loss, KernelSettings& kernels);

/// The optimizer of a record's column `optimizer`.
Result<OptimizerSettings> recordedOptimizer(const std::string& name);

/// "all-linear", "attention" or "qv".
Result<NameSet> loraTargets(const std::string& text);
/// What PEFT trains whole beside adapters: the column "saved", where a file has it.
NameSet savedModules(const CsvTable& table, std::size_t row);

/// "h/ffn/heads/kv/d/vocab/layers/tied", as the records write a dense model.
Result<ModelSpec> denseModel(const std::string& text);
/// The same with a column `kind`: the transformers model that takes those sizes. "config:NAME" is
/// the model of a config.json among the cases of parameters.
Result<ModelSpec> huggingFaceModel(const CsvTable& table, std::size_t row);

/// Picks the value that goes with `text`, or reports what was not understood.
template <class T>
struct Recorded {
    const char* name;
    T value;
};
template <class T, std::size_t N>
Result<T> pick(const Recorded<T> (&table)[N], const std::string& text, const char* column) {
    for (const auto& entry : table) {
        if (text == entry.name) {
            return entry.value;
        }
    }
    return fail(Error::Code::Unsupported, column, "'" + text + "' is not supported");
}

}  // namespace fabricast
