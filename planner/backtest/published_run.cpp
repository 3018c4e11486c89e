#include "planner/backtest/published_run.h"

#include "planner/base/small_letters.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

/// Larger numbers than these are not plausible counts.
constexpr double kMostCount = 1e12;

class RowReader {
public:
    RowReader(const CsvText& table, const CsvText::Row& row) : table_(table), row_(row) {}

    [[nodiscard]] std::string text(std::string_view column) const {
        return std::string(table_.cell(row_, column));
    }

    [[nodiscard]] bool has(std::string_view column) const { return table_.has(column); }

    [[nodiscard]] std::string where(std::string_view column) const {
        return table_.where(row_, column);
    }

    Result<std::optional<double>> number(std::string_view column) const {
        const std::string_view cell = table_.cell(row_, column);
        if (cell.empty()) {
            return std::nullopt;
        }
        double value = 0;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        const bool whole = error == std::errc{} && end == cell.data() + cell.size();
        if (!whole || !std::isfinite(value) || value < 0 || value > kMostCount) {
            return fail(Error::Code::BadInput,
                        table_.where(row_, column),
                        "'" + std::string(cell) + "' is not a number from 0 to 1e12",
                        "leave the cell empty if it is not known");
        }
        return value;
    }

    Result<std::optional<std::int64_t>> count(std::string_view column) const {
        FABRICAST_ASSIGN(const std::optional<double> value, number(column));
        if (!value) {
            return std::nullopt;
        }
        if (*value != std::floor(*value)) {
            return fail(Error::Code::BadInput,
                        table_.where(row_, column),
                        "'" + text(column) + "' is not a whole number");
        }
        return static_cast<std::int64_t>(*value);
    }

private:
    const CsvText& table_;
    const CsvText::Row& row_;
};

Result<void> readNumbers(const RowReader& row, PublishedRun& run) {
    const std::pair<const char*, std::optional<std::int64_t>*> counts[] = {
        {"layers", &run.layers},
        {"hidden", &run.hidden},
        {"ffn", &run.width},
        {"heads", &run.heads},
        {"kv_heads", &run.kvHeads},
        {"vocab", &run.vocab},
        {"seq", &run.sequence},
        {"gpus", &run.gpus},
        {"gpus_per_node", &run.gpusPerNode},
        {"dp", &run.dp},
        {"tp", &run.tp},
        {"pp", &run.pp},
        {"vpp", &run.vpp},
        {"cp", &run.cp},
        {"ep", &run.ep},
        {"etp", &run.etp},
        {"micro_batch", &run.microBatch},
        {"global_batch", &run.globalBatch},
        {"grad_accum", &run.accumulation}};
    for (const auto& [column, member] : counts) {
        FABRICAST_ASSIGN(*member, row.count(column));
    }
    const std::pair<const char*, std::optional<double>*> numbers[] = {
        {"params_b", &run.billions},
        {"nic_gbps_per_gpu", &run.nicGbpsPerGpu},
        {"measured_step_s", &run.stepSeconds},
        {"measured_tokens_s_gpu", &run.tokensPerGpu},
        {"measured_mem_gib", &run.memoryGib}};
    for (const auto& [column, member] : numbers) {
        FABRICAST_ASSIGN(*member, row.number(column));
    }
    return {};
}

void readTexts(const RowReader& row, PublishedRun& run) {
    const std::pair<const char*, std::string*> texts[] = {{"id", &run.id},
                                                          {"model", &run.model},
                                                          {"moe", &run.experts},
                                                          {"gpu", &run.gpu},
                                                          {"interconnect", &run.interconnect},
                                                          {"intra", &run.intra},
                                                          {"stack", &run.stack},
                                                          {"framework", &run.framework},
                                                          {"shard", &run.shard},
                                                          {"sp", &run.sp},
                                                          {"cp_kind", &run.cpKind},
                                                          {"precision", &run.precision},
                                                          {"recompute", &run.recompute},
                                                          {"optimizer", &run.optimizer},
                                                          {"peft", &run.tuning},
                                                          {"notes", &run.notes},
                                                          {"tier", &run.tier},
                                                          {"memory_kind", &run.memoryKind}};
    for (const auto& [column, member] : texts) {
        *member = row.text(column);
    }
    run.stack = inSmallLetters(run.stack);
}

/// Whether the run counts. One whose cells do not say so does, and is refused.
Result<void> readSubset(const RowReader& row, PublishedRun& run) {
    const std::string core = inSmallLetters(row.text("core"));
    const std::string tier = inSmallLetters(run.tier);
    run.core = core == "y";
    run.known = tier == "a" || tier == "b" || !row.has("tier");
    run.counts = run.known && (run.core || !row.has("core"));
    const auto isOneOf = [](const std::string& text, std::string_view letters) {
        return text.empty() || (text.size() == 1 && letters.find(text) != std::string_view::npos);
    };
    const bool coreIsRead = isOneOf(core, "yn");
    if (coreIsRead && isOneOf(tier, "abc")) {
        return {};
    }
    run.known = run.counts = true;
    return coreIsRead ? fail(Error::Code::BadInput,
                             row.where("tier"),
                             "'" + run.tier + "' is not A, B or C")
                      : fail(Error::Code::BadInput,
                             row.where("core"),
                             "'" + row.text("core") + "' is not y or n");
}

}  // namespace

std::optional<double> PublishedRun::measuredStep() const {
    if (stepSeconds.value_or(0.0) > 0) {
        return stepSeconds;
    }
    if (tokensPerGpu.value_or(0.0) > 0 && globalBatch && sequence && gpus.value_or(0) > 0) {
        return static_cast<double>(*globalBatch) * static_cast<double>(*sequence) /
               (*tokensPerGpu * static_cast<double>(*gpus));
    }
    return std::nullopt;
}

Result<std::vector<PublishedRun>> readRuns(const CsvText& table) {
    for (const char* column : {"id", "model", "gpu", "stack"}) {
        if (!table.has(column)) {
            return fail(Error::Code::BadInput,
                        table.source + ":1",
                        std::string("missing column '") + column + "'",
                        "the columns are listed in docs/backtest.md");
        }
    }
    std::vector<PublishedRun> runs;
    runs.reserve(table.rows.size());
    for (const CsvText::Row& line : table.rows) {
        const RowReader row(table, line);
        PublishedRun run;
        run.where = table.source + ":" + std::to_string(line.line);
        readTexts(row, run);
        if (Result<void> read =
                readSubset(row, run).and_then([&] { return readNumbers(row, run); });
            !read) {
            run.unreadable = std::move(read).error();
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace fabricast
