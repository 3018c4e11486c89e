#include "planner/base/median.h"
#include "planner/compute/gemm_time.h"
#include "planner/spec/kernel_names.h"
#include "probes/fit/cpu_fit.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/free_numbers.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fabricast {
namespace {

using FreeCpuNumber = FreeNumber<GemmFit>;

constexpr std::array<FreeCpuNumber, 3> kCpuNumbers = {
    FreeCpuNumber{.key = "efficiency",
                  .get = [](const GemmFit& fit) { return fit.efficiency; },
                  .set = [](GemmFit& fit, double value) { fit.efficiency = value; },
                  .least = 0.05,
                  .most = 1.2},  // of the best product; the reader refuses 1.25 times a peak
    FreeCpuNumber{.key = "prologue_depth",
                  .get = [](const GemmFit& fit) { return fit.prologueDepth; },
                  .set = [](GemmFit& fit, double value) { fit.prologueDepth = value; },
                  .least = 0.01,
                  .most = 5e3,
                  .leastIsLaw = true},
    FreeCpuNumber{.key = "launch_us",
                  .get = [](const GemmFit& fit) { return fit.launch.count(); },
                  .set = [](GemmFit& fit, double value) { fit.launch = Seconds(value); },
                  .least = 1e-8,
                  .most = 1e-2,
                  .leastIsLaw = true},
};

std::vector<Residual> cpuResiduals(const KernelProfile& kernels,
                                   const GemmFit& fit,
                                   const std::vector<MeasuredGemm>& rows) {
    std::vector<Residual> residuals;
    residuals.reserve(rows.size());
    for (const MeasuredGemm& row : rows) {
        residuals.push_back({row.gemm.flops().count(),
                             row.time.count(),
                             gemmTime(kernels, fit, row.gemm, {.sustained = false}).count()});
    }
    return residuals;
}

GemmFit startAt(FlopsPerSecond peak) {
    return {.peak = peak,
            .efficiency = 0.9,
            .prologueDepth = 20,
            .launch = Seconds(1e-6),
            .bandwidthEfficiency = 1.0,
            .joinPower = 8,
            .throttleTime = Seconds(1e-3),
            .inputBytes = 4,
            .outputBytes = 4,
            .source = Source::Fitted};
}

Result<void> addProducts(const std::vector<MeasuredGemm>& rows, FittedKernels& fitted) {
    std::vector<MeasuredGemm> forward;
    std::ranges::copy_if(rows, std::back_inserter(forward), [](const MeasuredGemm& row) {
        return row.gemm.layout == GemmLayout::Tn;
    });
    constexpr std::size_t kFewest = 5;
    if (forward.size() < kFewest) {
        return fail(Error::Code::BadInput,
                    "gemm dtype=fp32 layout=tn",
                    std::to_string(forward.size()) + " products are too few for three numbers",
                    "measure again with the same --out, which goes on with what is left");
    }
    KernelProfile& kernels = fitted.kernels;
    FlopsPerSecond best(0);
    for (const MeasuredGemm& row : rows) {
        best = std::max(best, FlopsPerSecond(row.gemm.flops().count() / row.time.count()));
    }
    best = FlopsPerSecond(std::round(best.count() / 1e7) * 1e7);
    const auto error = [&](const GemmFit& fit) {
        return meanLogError(cpuResiduals(kernels, fit, forward));
    };
    FABRICAST_ASSIGN(
        GemmFit fit,
        searchFit(std::span<const FreeCpuNumber>(kCpuNumbers), startAt(best), error, {}));
    const std::vector<Residual> residuals = cpuResiduals(kernels, fit, forward);
    const ErrorSummary summary = summarise(residuals);
    fit.error = {summary.mean, summary.p90};
    kernels.gemm[static_cast<std::size_t>(GemmType::Fp32)] = fit;
    fitted.rows["gemm.fp32"] = forward.size();
    fitted.sections.push_back({.name = "gemm.fp32", .errors = summary, .rows = forward.size()});
    fitted.report += "gemm.fp32: " + std::to_string(forward.size()) + " points\n" +
                     residualTable(residuals, "operations");
    const double input = layoutFactor(rows, GemmLayout::Nn);
    const double weight = layoutFactor(rows, GemmLayout::Nt);
    if (input > 0 && weight > 0) {
        kernels.inputGradientFactor = input;
        kernels.weightGradientFactor = weight;
        fitted.rows["layout"] = rows.size() - forward.size();
    }
    return {};
}

/// Work that is masked out is done all the same, so that causal pairs are multiplied at half the
/// rate or less: any length has the same efficiency.
void fitCpuAttention(const CpuRows& rows, FittedKernels& fitted) {
    KernelProfile& kernels = fitted.kernels;
    const GemmFit& product = *kernels.fit(GemmType::Fp32);
    std::vector<double> shares;
    for (const MeasuredAttention& row : rows.attention) {
        if (row.attention.pass == AttentionPass::Forward) {
            shares.push_back(row.attention.flops().count() / row.time.count() /
                             product.peak.count());
        }
    }
    constexpr std::int64_t kDim = 64;
    AttentionFit fit{.code = AttentionCode::Native,
                     .type = GemmType::Fp32,
                     .peak = product.peak,
                     .efficiency = product.efficiency / 4,
                     .headRates = {{kDim, 1.0}},
                     .joinPower = 1,
                     .throttleTime = Seconds(1e-3),
                     .inputBytes = 4,
                     .source = Source::Assumed};
    if (!shares.empty()) {
        fit.efficiency = median(shares);
        fit.source = Source::Measured;
        fitted.rows["attention.native.fp32"] = shares.size();
    }
    kernels.attention = {fit};
    const double ratio = backwardRatio(rows.attention);
    BackwardRatio backward{
        .headDim = kDim, .valueDim = kDim, .atShort = 2.0, .atLong = 2.0, .tail = 0.0};
    if (ratio > 0) {
        backward.atShort = backward.atLong = ratio;
        fitted.rows[backwardSection(backward)] = shares.size();
    }
    kernels.backward = {backward};
}

/// Of the copy's bandwidth; operations that were not measured have those of the nearest.
void fitCpuMemory(const CpuRows& rows, FittedKernels& fitted) {
    KernelProfile& kernels = fitted.kernels;
    const auto measured = [&](MemoryOp op) {
        std::vector<double> shares;
        for (const MeasuredMemory& row : rows.memory) {
            if (row.op == op) {
                // Joined in one kernel, operations add their times: rates would not.
                shares.push_back(row.time.count() / row.bytes * kernels.memoryBandwidth.count());
            }
        }
        return shares;
    };
    for (const auto& [op, name] : namesOf(MemoryOp{})) {
        const bool fused = op == MemoryOp::FusedCrossEntropy;
        const MemoryOp from = fused ? MemoryOp::CrossEntropy : op;
        std::vector<double> shares = measured(from);
        MemoryFit& fit = kernels.memory[static_cast<std::size_t>(op)];
        fit = {.efficiency = 1.0, .source = Source::Measured};
        if (!shares.empty()) {
            fitted.rows["memory." + std::string(name)] = shares.size();
        } else {
            shares = measured(MemoryOp::Elementwise);
        }
        if (!shares.empty()) {
            fit.efficiency = std::clamp(1.0 / median(shares), 1e-3, 10.0);
        }
    }
}

}  // namespace

Result<FittedKernels> fitCpuKernels(std::span<const RecordedPoint> points,
                                    const std::string& name,
                                    const std::string& from) {
    FABRICAST_ASSIGN(const CpuRows rows, cpuRows(points));
    if (rows.copyRate.count() <= 0) {
        return fail(Error::Code::BadInput,
                    "memory op=copy",
                    "nobody measured it",
                    "measure again with the same --out, which goes on with what is left");
    }
    FittedKernels fitted;
    fitted.from = from;
    fitted.kernels.name = name;
    fitted.kernels.multiprocessors = 1;
    fitted.kernels.memoryBandwidth = BytesPerSecond(std::round(rows.copyRate.count() / 1e6) * 1e6);
    fitted.kernels.tiles = {{1, 1}};
    fitted.kernels.sustained = {.factor = 1.0, .least = 1.0, .source = Source::Assumed};
    FABRICAST_TRY(addProducts(rows.products, fitted));
    fitCpuAttention(rows, fitted);
    fitCpuMemory(rows, fitted);
    return fitted;
}

FlopsPerSecond bestRate(std::span<const RecordedPoint> points) {
    FlopsPerSecond best(0);
    for (const RecordedPoint& point : points) {
        if (point.what == "gemm" && point.median > 0) {
            best = std::max(best, FlopsPerSecond(point.fact("flop", 0.0) / point.median));
        }
    }
    return best;
}

}  // namespace fabricast
