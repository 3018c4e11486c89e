// memory_oracles FILE.csv: forecasts every recorded step of a file with the product's own memory
// code, one JSON row per record, in the file's order. With --compare, a table of errors instead.
#include "tests/programs/oracle_rows/oracle_answer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fabricast {
namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

void printJson(std::size_t row, const OracleAnswer& answer) {
    const auto number = [&](bool known, std::int64_t value) {
        return known ? std::to_string(value) : std::string("null");
    };
    const bool ok = answer.status == "ok";
    const bool step = ok && !answer.layerOnly;
    const StageMemory& memory = answer.memory;
    std::printf(
        "{\"row\": %zu, \"status\": \"%s\", \"why\": %s, \"saved_bytes_per_layer\": %s, "
        "\"requested_bytes\": %s, \"allocated_bytes\": %s, \"reserved_bytes\": %s, "
        "\"reserved_lo\": %s, \"reserved_hi\": %s, \"host_bytes\": %s}\n",
        row,
        answer.status.c_str(),
        ok ? "null" : ("\"" + escaped(answer.why) + "\"").c_str(),
        number(ok, memory.savedPerLayer.count()).c_str(),
        number(step, memory.requested.count()).c_str(),
        number(step, memory.allocated.count()).c_str(),
        number(step, memory.reserved.value.count()).c_str(),
        number(step, memory.reserved.lo.count()).c_str(),
        number(step, memory.reserved.hi.count()).c_str(),
        number(step, memory.host.count()).c_str());
}

/// One line per record: what was found against what was recorded, and what the peak is made of.
void printComparison(const CsvTable& table, std::size_t row, const OracleAnswer& answer) {
    if (answer.status != "ok") {
        std::printf("%3zu refused: %s\n", row, answer.why.c_str());
        return;
    }
    const auto error = [](std::int64_t found, std::int64_t recorded) {
        return recorded == 0
                   ? 0.0
                   : 100.0 * (static_cast<double>(found) / static_cast<double>(recorded) - 1);
    };
    const StageMemory& memory = answer.memory;
    const std::string column = savedColumn(table);
    const std::int64_t saved = column.empty() ? -1 : table.integer(row, column, -1);
    std::printf("%3zu", row);
    if (saved >= 0) {
        std::printf(" saved %+lld", static_cast<long long>(memory.savedPerLayer.count() - saved));
    }
    if (!answer.layerOnly) {
        const std::int64_t requested = table.integer(row, "peak_requested_bytes");
        const std::int64_t start = table.integer(row, "start_requested_bytes");
        std::printf(" peak %+7.3f%% (%.1f) start %+.3f%% @ %s | %s;",
                    error(memory.requested.count(), requested),
                    static_cast<double>(memory.requested.count()) / 1e6,
                    error(memory.betweenSteps.count(), start),
                    table.text(row, "peak_at").c_str(),
                    memory.peakAt.c_str());
        static constexpr const char* kNames[] = {
            "W", "G", "O", "A", "Re", "Ga", "C", "B", "L", "Wk", "Bu"};
        for (std::size_t kind = 0; kind < kMemoryKinds; ++kind) {
            if (memory.atPeak.bytes[kind].count() > 0) {
                std::printf(" %s=%.1f",
                            kNames[kind],
                            static_cast<double>(memory.atPeak.bytes[kind].count()) / 1e6);
            }
        }
        if (memory.reserved.value.count() > 0) {
            const std::int64_t reserved = table.integer(row, "peak_reserved_bytes");
            std::printf(
                " reserved %+.1f%% %s",
                error(memory.reserved.value.count(), reserved),
                memory.reserved.lo.count() <= reserved && reserved <= memory.reserved.hi.count()
                    ? "in"
                    : "OUT");
        }
    }
    std::printf("\n");
}

int run(int argc, char** argv) {
    const bool compare = argc == 3 && std::strcmp(argv[2], "--compare") == 0;
    if (argc != 2 && !compare) {
        std::fprintf(stderr, "usage: memory_oracles FILE.csv [--compare]\n");
        return 2;
    }
    const CsvTable table = CsvTable::read(argv[1]);
    const RowReader reader = readerFor(table);
    if (reader == nullptr) {
        std::fprintf(stderr, "%s: no known form of record\n", argv[1]);
        return 2;
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const OracleAnswer answer = answerRecord(table, row, reader);
        if (compare) {
            printComparison(table, row, answer);
        } else {
            printJson(row, answer);
        }
    }
    return 0;
}

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    return fabricast::run(argc, argv);
}
