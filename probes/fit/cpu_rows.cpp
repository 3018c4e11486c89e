#include "planner/base/median.h"
#include "probes/fit/cpu_fit.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Bytes that the forecast counts for a parameter's step: the gradient cleared, read for the norm,
/// and AdamW's own 28.
constexpr double kStepBytes = 44.0;

constexpr std::array<std::pair<std::string_view, MemoryOp>, 6> kCpuOps = {{
    {"norm", MemoryOp::Norm},
    {"swiglu", MemoryOp::Elementwise},
    {"add", MemoryOp::Elementwise},
    {"softmax", MemoryOp::Softmax},
    {"cross_entropy", MemoryOp::CrossEntropy},
    {"copy", MemoryOp::Copy},
}};

Result<void> addProduct(const RecordedPoint& point, CpuRows& rows) {
    MeasuredGemm row;
    FABRICAST_ASSIGN(row.gemm.m, wholeSetting(point, "m", 1));
    FABRICAST_ASSIGN(row.gemm.n, wholeSetting(point, "n", 1));
    FABRICAST_ASSIGN(row.gemm.k, wholeSetting(point, "k", 1));
    const std::string layout = point.setting("layout", "tn");
    row.gemm.layout = layout == "nn"   ? GemmLayout::Nn
                      : layout == "nt" ? GemmLayout::Nt
                                       : GemmLayout::Tn;
    row.gemm.type = GemmType::Fp32;
    row.time = Seconds(point.median);
    rows.products.push_back(std::move(row));
    return {};
}

Result<void> addCpuAttention(const RecordedPoint& point, CpuRows& rows) {
    MeasuredAttention row;
    Attention& attention = row.attention;
    FABRICAST_ASSIGN(attention.batch, wholeSetting(point, "batch", 1));
    FABRICAST_ASSIGN(attention.heads, wholeSetting(point, "heads", 1));
    FABRICAST_ASSIGN(attention.queries, wholeSetting(point, "sequence", 1));
    attention.keys = attention.queries;
    attention.kvHeads = attention.heads;
    attention.headDim = attention.valueDim = 64;
    attention.type = GemmType::Fp32;
    attention.pass = point.setting("pass", "forward") == "forward" ? AttentionPass::Forward
                                                                   : AttentionPass::Backward;
    row.time = Seconds(point.median);
    rows.attention.push_back(std::move(row));
    return {};
}

Result<void> addCpuMemory(const RecordedPoint& point, CpuRows& rows, double& largest) {
    const std::string name = point.setting("op", "");
    const auto* const op = std::ranges::find(kCpuOps, name, &decltype(kCpuOps)::value_type::first);
    if (op == kCpuOps.end()) {
        return {};
    }
    MeasuredMemory row;
    row.op = op->second;
    row.bytes = point.fact("bytes", 0.0);
    row.time = Seconds(point.median);
    if (row.op == MemoryOp::Copy && row.bytes > largest) {
        largest = row.bytes;
        rows.copyRate = BytesPerSecond(row.bytes / point.median);
    }
    rows.memory.push_back(std::move(row));
    return {};
}

Result<void> addStep(const RecordedPoint& point, CpuRows& rows) {
    FABRICAST_ASSIGN(const std::int64_t parameters, wholeSetting(point, "parameters", 1));
    MeasuredMemory row;
    row.op = MemoryOp::Optimizer;
    row.bytes = kStepBytes * static_cast<double>(parameters);
    row.time = Seconds(point.median);
    rows.memory.push_back(std::move(row));
    return {};
}

}  // namespace

Result<CpuRows> cpuRows(std::span<const RecordedPoint> points) {
    CpuRows rows;
    double largest = 0.0;
    for (const RecordedPoint& point : points) {
        const bool useful = point.refused.empty() && point.fact("wrong", 0.0) == 0.0 &&
                            point.unit == "s" && point.median > 0.0;
        if (!useful) {
            continue;
        }
        if (point.what == "gemm") {
            FABRICAST_TRY(addProduct(point, rows));
        } else if (point.what == "attention") {
            FABRICAST_TRY(addCpuAttention(point, rows));
        } else if (point.what == "memory" && !point.settings.contains("threads")) {
            // Points with threads are of the whole host, not of a rank.
            FABRICAST_TRY(addCpuMemory(point, rows, largest));
        } else if (point.what == "adam") {
            FABRICAST_TRY(addStep(point, rows));
        }
    }
    return rows;
}

double backwardRatio(const std::vector<MeasuredAttention>& rows) {
    std::vector<double> ratios;
    for (const MeasuredAttention& backward : rows) {
        for (const MeasuredAttention& forward : rows) {
            const bool pair = backward.attention.pass == AttentionPass::Backward &&
                              forward.attention.pass == AttentionPass::Forward &&
                              backward.attention.batch == forward.attention.batch &&
                              backward.attention.heads == forward.attention.heads &&
                              backward.attention.queries == forward.attention.queries;
            if (pair) {
                ratios.push_back(backward.time / forward.time);
            }
        }
    }
    return ratios.empty() ? 0.0 : median(std::move(ratios));
}

}  // namespace fabricast
