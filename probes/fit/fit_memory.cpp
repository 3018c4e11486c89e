#include "planner/compute/kernel_times.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/free_numbers.h"

#include <array>

namespace fabricast {
namespace {

using FreeMemory = FreeNumber<MemoryFit>;

constexpr std::array<FreeMemory, 2> kMemoryNumbers = {
    FreeMemory{.key = "efficiency",
               .get = [](const MemoryFit& fit) { return fit.efficiency; },
               .set = [](MemoryFit& fit, double value) { fit.efficiency = value; },
               .least = 0.02,
               .most = 2},
    FreeMemory{.key = "launch_us",
               .get = [](const MemoryFit& fit) { return fit.launch.count(); },
               .set = [](MemoryFit& fit, double value) { fit.launch = Seconds(value); },
               .least = 1e-8,
               .most = 1e-3,
               .leastIsLaw = true,
               .usual = 2e-6},
};
constexpr std::size_t kFewestMemoryRows = 5;

std::vector<Residual> memoryResiduals(KernelProfile kernels,
                                      MemoryOp op,
                                      const MemoryFit& fit,
                                      const std::vector<MeasuredMemory>& rows) {
    kernels.memory[static_cast<std::size_t>(op)] = fit;
    std::vector<Residual> residuals;
    residuals.reserve(rows.size());
    for (const MeasuredMemory& row : rows) {
        residuals.push_back({row.bytes,
                             row.time.count(),
                             memoryTime(kernels, op, row.bytes, {.sustained = false}).count()});
    }
    return residuals;
}

}  // namespace

Result<Fitted<MemoryFit>> fitMemory(const KernelProfile& kernels,
                                    MemoryOp op,
                                    const std::vector<MeasuredMemory>& rows,
                                    double leastBytes) {
    std::vector<MeasuredMemory> used;
    for (const MeasuredMemory& row : rows) {
        if (row.op == op && row.bytes >= leastBytes) {
            used.push_back(row);
        }
    }
    if (used.size() < kFewestMemoryRows) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(used.size()) + " points" +
                        (leastBytes > 0 ? " beyond the cache" : "") + " are too few to fit",
                    "measure " + std::to_string(kFewestMemoryRows) + " sizes or more");
    }
    const auto error = [&](const MemoryFit& fit) {
        return meanLogError(memoryResiduals(kernels, op, fit, used));
    };
    FABRICAST_ASSIGN(
        MemoryFit fit,
        searchFit(std::span<const FreeMemory>(kMemoryNumbers), kernels.fit(op), error, {}));
    std::vector<Residual> residuals = memoryResiduals(kernels, op, fit, used);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<MemoryFit>{
        fit,
        used.size(),
        std::move(residuals),
        changesOf(std::span<const FreeMemory>(kMemoryNumbers), kernels.fit(op), fit)};
}

}  // namespace fabricast
