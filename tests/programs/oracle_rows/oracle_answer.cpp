#include "tests/programs/oracle_rows/oracle_answer.h"

#include "planner/memory/walk_stage.h"

#include <cmath>
#include <cstdlib>

namespace fabricast {

namespace {

/// A loop of its own, or one in an engine.
Result<OracleRow> loopRow(const CsvTable& table, std::size_t row) {
    const std::string framework = table.text(row, "framework");
    return framework == "peft" || framework == "trainer" ? peftRow(table, row)
                                                         : zeroRow(table, row);
}

}  // namespace

RowReader readerFor(const CsvTable& table) {
    if (table.has("per_layer_saved_bytes_per_token") && table.has("norm_impl")) {
        return &savedTensorsRow;
    }
    if (table.has("source") && table.has("reshard")) {
        return &fsdp2Row;
    }
    if (table.has("zero") && table.has("expert_impl")) {
        return &hfMoeRow;
    }
    if (table.has("zero") && table.has("static_bucket_bytes")) {
        return &loopRow;
    }
    if (table.has("expert_impl")) {
        return &moeRow;
    }
    if (table.has("dist_opt") && table.has("attn")) {
        return &megatronRow;
    }
    return nullptr;
}

Result<OracleRow> recordedRow(const CsvTable& table, std::size_t row, RowReader reader) {
    FABRICAST_ASSIGN(OracleRow oracle, reader(table, row));
    GpuSpec& device = oracle.scenario.cluster.node.gpu;  // that the records ran on
    device.architecture = "sm_90";
    device.multiprocessors.value = 132;
    return oracle;
}

OracleAnswer answerRecord(const CsvTable& table, std::size_t row, RowReader reader) {
    OracleAnswer answer;
    const auto read = recordedRow(table, row, reader);
    const auto memory = read.and_then([](const OracleRow& oracle) {
        return walkStage(
            oracle.scenario,
            {.stage = oracle.stage, .rank = oracle.rank, .expertRank = oracle.expertRank});
    });
    if (!memory) {
        answer.status = "refused";
        answer.why = memory.error().text();
        return answer;
    }
    answer.memory = *memory;
    answer.layerOnly = read->layerOnly;
    answer.memory.savedPerLayer += Bytes(read->countedBesides);
    if (read->hidesSaved) {
        answer.memory.savedPerLayer = Bytes(0);
    }
    return answer;
}

namespace {

void scorePeak(const CsvTable& table,
               std::size_t row,
               const StageMemory& memory,
               RecordScore& score) {
    const auto error = [&](const char* column, Bytes found) {
        const auto recorded = static_cast<double>(table.integer(row, column));
        return std::abs(static_cast<double>(found.count()) / recorded - 1);
    };
    const double requested = error("peak_requested_bytes", memory.requested);
    score.meanError += requested;
    if (requested > score.worstError) {
        score.worstError = requested;
        score.worstRow = row;
    }
    const double allocated = error("peak_allocated_bytes", memory.allocated);
    if (allocated > score.worstAllocated) {
        score.worstAllocated = allocated;
        score.worstAllocatedRow = row;
    }
    const std::int64_t reserved = table.integer(row, "peak_reserved_bytes");
    if (reserved > 0) {
        ++score.reservedRows;
        const bool inside =
            memory.reserved.lo.count() <= reserved && reserved <= memory.reserved.hi.count();
        score.reservedInside += inside ? 1 : 0;
    }
}

}  // namespace

std::string savedColumn(const CsvTable& table) {
    for (const char* column : {"per_layer_saved_bytes", "per_layer_live_bytes"}) {
        if (table.has(column)) {
            return column;
        }
    }
    return {};
}

RecordScore scoreRecords(const CsvTable& table) {
    RecordScore score;
    const std::string saved = savedColumn(table);
    score.rows = table.rows();
    const RowReader reader = readerFor(table);
    std::size_t steps = 0;
    for (std::size_t row = 0; reader != nullptr && row < table.rows(); ++row) {
        const OracleAnswer answer = answerRecord(table, row, reader);
        if (answer.status != "ok") {
            ++score.refused;
            continue;
        }
        if (!saved.empty()) {
            const std::int64_t off =
                std::abs(answer.memory.savedPerLayer.count() - table.integer(row, saved));
            if (off > score.worstSavedBytes) {
                score.worstSavedBytes = off;
                score.worstSavedRow = row;
            }
        }
        if (!answer.layerOnly) {
            ++steps;
            scorePeak(table, row, answer.memory, score);
        }
    }
    score.meanError = steps == 0 ? 0 : score.meanError / static_cast<double>(steps);
    return score;
}

}  // namespace fabricast
