#include "probes/fit/measured_tables.h"

#include "planner/base/words.h"
#include "planner/measured/measurements.h"
#include "planner/spec/kernel_names.h"
#include "probes/fit/csv_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace fabricast {
namespace {

constexpr double kMicrosecond = 1e-6;
/// An encoder's kernels, of odd lengths, are no trainer's.
constexpr std::string_view kEncoder = "aic:enc";

Result<MeasuredRow> readCommon(const CsvRow& row) {
    FABRICAST_ASSIGN(const double us, row.positive("us"));
    if (us * kMicrosecond < kLeastMeasured || us * kMicrosecond > kMostMeasured) {
        return fail(Error::Code::BadInput,
                    row.where(),
                    "\"us\" is \"" + std::string(row.text("us")) +
                        "\", which is no time that a machine takes",
                    "microseconds from 1e-6 to 1e16; remove the line");
    }
    return MeasuredRow{.gpu = std::string(row.text("gpu")),
                       .source = std::string(row.text("source")),
                       .time = Seconds(us * kMicrosecond),
                       .where = row.where()};
}

/// The place of a cell's word among those that it may be; the first where it is empty.
template <std::size_t kCount>
Result<std::size_t> wordOfCell(const CsvRow& row,
                               const std::string& column,
                               const std::array<std::string_view, kCount>& words) {
    const std::string_view cell = row.text(column);
    const auto found = std::ranges::find(words, cell);
    if (found == words.end() && !cell.empty()) {
        return fail(Error::Code::BadInput,
                    row.where(),
                    "\"" + column + "\" is \"" + std::string(cell) + "\", which is none of " +
                        joined(words, ", "));
    }
    return cell.empty() ? 0 : static_cast<std::size_t>(found - words.begin());
}

/// The value of "key=" in notes divided by semicolons.
std::string_view noted(std::string_view notes, std::string_view key) {
    const std::size_t at = notes.find(key);
    if (at == std::string_view::npos) {
        return {};
    }
    notes.remove_prefix(at + key.size());
    return notes.substr(0, notes.find(';'));
}

Result<void> addGemmRow(const CsvRow& row, MeasuredTables& tables) {
    const auto type = fromName<GemmType>(row.text("dtype"));
    if (!type) {
        return {};
    }
    FABRICAST_ASSIGN(const MeasuredRow common, readCommon(row));
    MeasuredGemm measured{common, Gemm{.type = *type}};
    FABRICAST_ASSIGN(measured.gemm.m, row.count("m"));
    FABRICAST_ASSIGN(measured.gemm.n, row.count("n"));
    FABRICAST_ASSIGN(measured.gemm.k, row.count("k"));
    constexpr std::array kLayouts = {GemmLayout::Tn, GemmLayout::Nn, GemmLayout::Nt};
    FABRICAST_ASSIGN(const std::size_t layout,
                     wordOfCell(row, "layout", std::array<std::string_view, 3>{"TN", "NN", "NT"}));
    measured.gemm.layout = kLayouts[layout];
    const std::string_view notes = row.text("notes");
    measured.gemm.accumulateFp32 =
        notes.find("acc=1") != std::string_view::npos && noted(notes, "out=") != "bf16";
    tables.gemms.push_back(measured);
    // The multiply alone, where its casts were measured apart and subtracted.
    const std::string_view net = noted(notes, "net=");
    double us = 0.0;
    if (std::from_chars(net.data(), net.data() + net.size(), us).ec == std::errc() && us > 0) {
        measured.time = Seconds(us * kMicrosecond);
        measured.gemm.type = GemmType::Fp8Gemm;
        tables.gemms.push_back(measured);
    }
    return {};
}

AttentionCode codeInNotes(std::string_view notes) {
    constexpr std::array kKernels = {std::pair{std::string_view("FA2"), AttentionCode::Flash2},
                                     std::pair{std::string_view("FA3"), AttentionCode::Flash3},
                                     std::pair{std::string_view("cuDNN"), AttentionCode::CuDnn}};
    for (const auto& [name, code] : kKernels) {
        if (notes.starts_with(name)) {
            return code;
        }
    }
    return AttentionCode::Native;
}

Result<void> addAttentionRow(const CsvRow& row, MeasuredTables& tables) {
    const auto type = fromName<GemmType>(row.text("dtype"));
    if (!type || row.text("source") == kEncoder) {
        return {};
    }
    FABRICAST_ASSIGN(const MeasuredRow common, readCommon(row));
    FABRICAST_ASSIGN(
        const std::size_t direction,
        wordOfCell(row, "direction", std::array<std::string_view, 3>{"fwd", "bwd", "fwd+bwd"}));
    FABRICAST_ASSIGN(const std::size_t causal,
                     wordOfCell(row, "causal", std::array<std::string_view, 2>{"1", "0"}));
    MeasuredAttention measured{common, Attention{.type = *type}, direction == 2};
    Attention& attention = measured.attention;
    attention.pass = direction == 1 ? AttentionPass::Backward : AttentionPass::Forward;
    attention.code = codeInNotes(row.text("notes"));
    // Servers write the cache they page.
    attention.paged = row.text("source").starts_with("aic:");
    attention.causal = causal == 0;
    FABRICAST_ASSIGN(attention.batch, row.count("batch"));
    FABRICAST_ASSIGN(attention.queries, row.count("seq"));
    FABRICAST_ASSIGN(attention.heads, row.count("heads"));
    FABRICAST_ASSIGN(attention.kvHeads, row.count("kv_heads"));
    FABRICAST_ASSIGN(attention.headDim, row.count("head_dim"));
    attention.keys = attention.queries;
    const std::string_view value = noted(row.text("notes"), "dv=");
    attention.valueDim = attention.headDim;
    std::from_chars(value.data(), value.data() + value.size(), attention.valueDim);
    tables.attentions.push_back(measured);
    return {};
}

std::optional<GroupedPass> passOf(std::string_view operation) {
    if (operation == "grouped_gemm_fwd") {
        return GroupedPass::Forward;
    }
    if (operation == "grouped_gemm_bwd_grad_act") {
        return GroupedPass::InputGradient;
    }
    return operation == "grouped_gemm_bwd_grad_w" ? std::optional(GroupedPass::WeightGradient)
                                                  : std::nullopt;
}

Result<void> addExperts(const CsvRow& row, MeasuredTables& tables) {
    const auto type = fromName<GemmType>(row.text("dtype"));
    const auto pass = passOf(row.text("op"));
    if (!type || (!pass && row.text("op") != "moe_ffn_fwd")) {
        return {};
    }
    FABRICAST_ASSIGN(const MeasuredRow common, readCommon(row));
    MeasuredExperts measured{common, *type};
    FABRICAST_ASSIGN(measured.tokens, row.count("tokens"));
    FABRICAST_ASSIGN(measured.topK, row.count("topk"));
    FABRICAST_ASSIGN(measured.experts, row.count("experts"));
    FABRICAST_ASSIGN(measured.hidden, row.count("hidden"));
    FABRICAST_ASSIGN(measured.inner, row.count("inter"));
    measured.balanced = !row.text("dist").starts_with("pl1.2");
    if (measured.experts < 1) {
        return fail(Error::Code::BadInput, row.where(), "\"experts\" must be 1 or more");
    }
    if (pass) {
        measured.group =
            GroupedGemm{.experts = measured.experts,
                        .rowsPerExpert = static_cast<double>(measured.tokens * measured.topK) /
                                         static_cast<double>(measured.experts),
                        .inputs = measured.hidden,
                        .outputs = measured.inner,
                        .pass = *pass,
                        .type = *type,
                        .accumulateFp32 = true,
                        .perExpert = true};
    }
    tables.experts.push_back(measured);
    return {};
}

Result<void> addMemoryRow(const CsvRow& row, MeasuredTables& tables) {
    // Files say "cast_bf16_fp8"; any other name of an operation is its own.
    const std::string_view name = row.text("op");
    const auto op = name.starts_with("cast") ? MemoryOp::Cast : fromName<MemoryOp>(name);
    if (!op || row.text("bytes").empty() || row.text("us").empty()) {
        return {};
    }
    FABRICAST_ASSIGN(const MeasuredRow common, readCommon(row));
    MeasuredMemory measured{common, *op};
    FABRICAST_ASSIGN(measured.bytes, row.positive("bytes"));
    tables.memories.push_back(measured);
    return {};
}

}  // namespace

Result<void> addMeasuredTable(std::string_view text,
                              const std::string& source,
                              MeasuredTables& tables) {
    FABRICAST_ASSIGN(const CsvRows rows, readCsvRows(text, source));
    auto* add = &addMemoryRow;
    if (rows.has("head_dim")) {
        add = &addAttentionRow;
    } else if (rows.has("experts")) {
        add = &addExperts;
    } else if (rows.has("n")) {
        add = &addGemmRow;
    } else if (!rows.has("bytes")) {
        return fail(Error::Code::BadInput,
                    source,
                    "has the columns of no table we fit",
                    "gpu,dtype,m,n,k,layout,us,source,notes for matrix multiplies");
    }
    for (std::size_t index = 0; index < rows.cells.size(); ++index) {
        FABRICAST_TRY(add(rows.row(index), tables));
    }
    return {};
}

}  // namespace fabricast
