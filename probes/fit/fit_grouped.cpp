#include "planner/compute/kernel_times.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/free_numbers.h"

#include <array>

namespace fabricast {
namespace {

using FreeGrouped = FreeNumber<GroupedFit>;

template <double GroupedFit::*Member>
constexpr FreeGrouped groupedNumber(std::string_view key) {
    return {.key = key,
            .get = [](const GroupedFit& fit) { return fit.*Member; },
            .set = [](GroupedFit& fit, double value) { fit.*Member = value; },
            .least = 0.2,
            .most = 10};
}

constexpr std::array<FreeGrouped, 4> kGroupedNumbers = {
    groupedNumber<&GroupedFit::forward>("forward"),
    groupedNumber<&GroupedFit::inputGradient>("input_gradient"),
    groupedNumber<&GroupedFit::weightGradient>("weight_gradient"),
    FreeGrouped{.key = "per_expert_us",
                .get = [](const GroupedFit& fit) { return fit.perExpert.count(); },
                .set = [](GroupedFit& fit, double value) { fit.perExpert = Seconds(value); },
                .least = 1e-8,
                .most = 1e-4,
                .leastIsLaw = true},
};
constexpr std::size_t kFewestGroupedRows = 12;
/// Below these, an inference layer is its launches and its weights.
constexpr double kLeastGroupedWork = 1e11;
constexpr double kLeastGroupedRows = 32;
constexpr double kProducts = 3;

/// A gated MLP of every expert: both multiplies, and what carries the rows there and back.
double layerTime(const KernelProfile& kernels, const MeasuredExperts& row) {
    const double sent = static_cast<double>(row.tokens) * static_cast<double>(row.topK);
    GroupedGemm up{.experts = row.experts,
                   .rowsPerExpert = sent / static_cast<double>(row.experts),
                   .inputs = row.hidden,
                   .outputs = 2 * row.inner,
                   .type = row.type,
                   .balanced = row.balanced};
    GroupedGemm down = up;
    down.inputs = row.inner;
    down.outputs = row.hidden;
    const RateState burst{.sustained = false};
    const auto hidden = static_cast<double>(row.hidden);
    const auto inner = static_cast<double>(row.inner);
    // 16-bit rows: gathered and scattered (each read and written), and the gate (two read, one
    // written).
    const double permuted = sent * 8 * hidden;
    const double gated = sent * 6 * inner;
    return (groupedGemmTime(kernels, up, burst) + groupedGemmTime(kernels, down, burst) +
            memoryTime(kernels, MemoryOp::Permute, permuted, burst) +
            memoryTime(kernels, MemoryOp::Elementwise, gated, burst))
        .count();
}

double workOf(const MeasuredExperts& row) {
    return row.group ? row.group->flops().count()
                     : 2 * kProducts * static_cast<double>(row.tokens * row.topK) *
                           static_cast<double>(row.hidden) * static_cast<double>(row.inner);
}

bool isLayer(const MeasuredExperts& row) {
    const double rows =
        static_cast<double>(row.tokens * row.topK) / static_cast<double>(row.experts);
    return !row.group && row.type == GemmType::Bf16 && row.balanced &&
           workOf(row) >= kLeastGroupedWork && rows >= kLeastGroupedRows;
}

std::vector<Residual> groupedResiduals(KernelProfile kernels,
                                       const GroupedFit& fit,
                                       const std::vector<MeasuredExperts>& rows) {
    kernels.grouped = fit;
    std::vector<Residual> residuals;
    for (const MeasuredExperts& row : rows) {
        const double time = row.group
                                ? groupedGemmTime(kernels, *row.group, {.sustained = false}).count()
                                : layerTime(kernels, row);
        residuals.push_back({workOf(row), row.time.count(), time});
    }
    return residuals;
}

}  // namespace

Result<Fitted<GroupedFit>> fitGrouped(const KernelProfile& kernels,
                                      const std::vector<MeasuredExperts>& rows,
                                      double host) {
    std::vector<MeasuredExperts> passes;
    std::vector<MeasuredExperts> layers;
    for (const MeasuredExperts& row : rows) {
        if (row.group && kernels.supports(row.type)) {
            passes.push_back(row);
        } else if (isLayer(row)) {
            layers.push_back(row);
        }
    }
    const bool training = passes.size() >= kFewestGroupedRows;
    const std::vector<MeasuredExperts>& used = training ? passes : layers;
    if (used.size() < kFewestGroupedRows) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(used.size()) + " points are too few to fit",
                    "measure " + std::to_string(kFewestGroupedRows) + " groups or more");
    }
    KernelProfile slower = kernels;
    for (std::optional<GemmFit>& fit : slower.gemm) {
        if (fit && training) {
            fit->efficiency /= host;
        }
    }
    const std::span<const FreeGrouped> numbers(kGroupedNumbers);
    const auto error = [&](const GroupedFit& fit) {
        return meanLogError(groupedResiduals(slower, fit, used));
    };
    FABRICAST_ASSIGN(GroupedFit fit,
                     searchFit(training ? numbers : numbers.first(1), kernels.grouped, error, {}));
    std::vector<Residual> residuals = groupedResiduals(slower, fit, used);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<GroupedFit>{
        fit, used.size(), std::move(residuals), changesOf(numbers, kernels.grouped, fit)};
}

}  // namespace fabricast
