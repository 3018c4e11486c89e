#include "tests/programs/oracle_rows/oracle_answer.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// One file of recorded steps, and how far the answers may be off. The bars are a little above what
/// is reached, so that any loss shows.
struct RecordedFile {
    const char* name;
    double meanError;  ///< share of the peak requested
    double worstError;
    double worstAllocated;    ///< share of the peak allocated
    std::int64_t savedBytes;  ///< of a layer
    double refused;           ///< share of the rows
    double reservedInside;    ///< share of the rows, at least
};

class RecordedSteps : public testing::TestWithParam<RecordedFile> {};

TEST_P(RecordedSteps, AreAnsweredWithinTheBars) {
    const RecordedFile& file = GetParam();
    const CsvTable table =
        CsvTable::read(std::string(FABRICAST_SOURCE_DIR "/tests/cases/memory/") + file.name);
    ASSERT_GT(table.rows(), 0U);
    ASSERT_NE(readerFor(table), nullptr);
    const RecordScore score = scoreRecords(table);
    const auto rows = static_cast<double>(score.rows);
    EXPECT_LE(score.meanError, file.meanError);
    EXPECT_LE(score.worstError, file.worstError) << "row " << score.worstRow;
    EXPECT_LE(score.worstAllocated, file.worstAllocated) << "row " << score.worstAllocatedRow;
    EXPECT_LE(score.worstSavedBytes, file.savedBytes) << "row " << score.worstSavedRow;
    EXPECT_LE(static_cast<double>(score.refused), file.refused * rows);
    EXPECT_GE(static_cast<double>(score.reservedInside),
              file.reservedInside * static_cast<double>(score.reservedRows));
}

INSTANTIATE_TEST_SUITE_P(
    ,
    RecordedSteps,
    testing::Values(RecordedFile{"saved_tensors.csv", 0, 0, 0, 0, 0, 0},
                    RecordedFile{"float8_memory.csv", 5.1e-4, 8e-3, 8.1e-3, 0, 0, 0.65},
                    RecordedFile{"float8_memory_more.csv", 4.5e-4, 8.6e-3, 8.7e-3, 8, 0, 0.85},
                    RecordedFile{"fsdp2_memory.csv", 5e-5, 2e-3, 5e-3, 0, 0, 0.95},
                    RecordedFile{"fsdp2_memory_more.csv", 1e-4, 5e-3, 9e-3, 0, 0, 0.95},
                    RecordedFile{"allocator_memory.csv", 1e-8, 1e-8, 0.021, 0, 0, 0.95},
                    RecordedFile{"allocator_growing_memory.csv", 3e-6, 4e-5, 1e-4, 0, 0, 0.8},
                    RecordedFile{"fsdp2_one_unit_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp2_lora_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.9},
                    RecordedFile{"peft_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.85},
                    RecordedFile{"peft_memory_more.csv", 1e-5, 3e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"zero_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.9},
                    RecordedFile{"zero_memory_more.csv", 1e-5, 1e-4, 0.015, 0, 0, 0.85},
                    RecordedFile{"offload_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.75},
                    RecordedFile{"megatron_offload_memory.csv", 1e-5, 5e-5, 6e-3, 0, 0, 0},
                    RecordedFile{"zero_lora_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp1_lora_memory.csv", 7e-5, 4.5e-4, 0.02, 0, 0, 0.85},
                    RecordedFile{"partial_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp2_partial_memory.csv", 1.2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"saved_on_cpu_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.75},
                    RecordedFile{"fsdp2_saved_on_cpu_memory.csv", 1.2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"reference_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.6},
                    RecordedFile{"fsdp2_reference_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.6},
                    RecordedFile{"column_sums_memory.csv", 2.5e-2, 6e-2, 6e-2, 0, 0, 0.5},
                    RecordedFile{"fsdp2_tied_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"zero3_lora_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"zero3_lora_memory_more.csv", 2e-4, 2e-3, 0.02, 0, 0, 0.8},
                    RecordedFile{"zero3_qlora_memory.csv", 2e-3, 3e-3, 0.02, 0, 0, 0.75},
                    RecordedFile{"liger_memory.csv", 2e-5, 4e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"liger_layers_memory.csv", 3.1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp2_liger_memory.csv", 5e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"peft_tables_memory.csv", 1e-5, 2e-5, 0.01, 0, 0, 0.8},
                    RecordedFile{"fsdp2_tables_memory.csv", 1e-5, 2e-5, 0.01, 0, 0, 0.9},
                    RecordedFile{"titan_lora_memory.csv", 2e-4, 4e-3, 0.02, 0, 0, 0.9},
                    RecordedFile{"titan_backend_memory.csv", 4e-4, 2e-3, 0.01, 0, 0, 0.8},
                    RecordedFile{"megatron_lora_memory.csv", 1e-5, 1e-4, 0.01, 0, 0, 0.85},
                    RecordedFile{"megatron_lora_pipeline_memory.csv", 1e-6, 1e-5, 0.025, 0, 0, 0.9},
                    RecordedFile{"megatron_memory.csv", 1e-6, 1e-5, 2e-3, 0, 0, 0.9},
                    RecordedFile{"megatron_memory_more.csv", 1e-5, 1e-4, 3e-3, 0, 0, 0.82},
                    RecordedFile{"megatron_recompute_memory.csv", 2e-6, 1e-5, 3e-3, 0, 0, 0.9},
                    RecordedFile{"moe_megatron_recompute.csv", 1e-6, 1e-5, 2e-3, 0, 0, 0.82},
                    RecordedFile{"moe_megatron.csv", 1e-6, 1e-5, 1e-3, 0, 0, 0.9},
                    RecordedFile{"moe_megatron_more.csv", 1e-5, 1e-4, 0.015, 2, 0, 0.82},
                    RecordedFile{"fsdp2_qlora_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp2_qlora_offload_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"fsdp2_low_bit_memory.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"low_bit_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.5},
                    RecordedFile{"hf_moe_memory.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.75},
                    RecordedFile{"hf_moe_memory_more.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_moe_gpt_oss_glm4_memory.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_dense_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_families_memory.csv", 1e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_families_memory_more.csv", 8e-4, 3.7e-3, 0.02, 0, 0, 0.8},
                    RecordedFile{"everyday_memory.csv", 5e-5, 1.3e-3, 0.02, 0, 0, 0.75},
                    RecordedFile{"eager_attention_memory.csv", 3e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_moe_deepseek_llama4_memory.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"hf_moe_zero3_memory.csv", 1e-4, 2e-4, 0.02, 0, 0, 0.3},
                    RecordedFile{"hf_moe_zero3_lora_memory.csv", 2e-4, 1.1e-3, 0.02, 0, 0, 0.4},
                    RecordedFile{"deepspeed_moe_memory.csv", 2e-5, 1e-4, 0.02, 0, 0, 0.8},
                    RecordedFile{"autoep_memory.csv", 7e-5, 7e-4, 0.02, 0, 0, 0.75},
                    RecordedFile{"moe_titan.csv", 1e-5, 1e-4, 2e-3, 0, 0, 0.95},
                    RecordedFile{"moe_titan_lora.csv", 1e-6, 1e-5, 0.02, 0, 0, 0.9},
                    RecordedFile{"moe_titan_more.csv", 2e-4, 5e-3, 5e-3, 8, 0, 0.92}),
    [](const auto& file) {
        const std::string name = file.param.name;
        return name.substr(0, name.find('.'));
    });

}  // namespace
}  // namespace fabricast
