#include "probes/fit/fit_memory.h"

#include "planner/compute/memory_time.h"
#include "probes/fit/free_numbers.h"

#include <array>

namespace fabricast {
namespace {

using Free = FreeNumber<MemoryFit>;

constexpr std::array<Free, 2> kNumbers = {
    Free{.key = "efficiency",
         .get = [](const MemoryFit& fit) { return fit.efficiency; },
         .set = [](MemoryFit& fit, double value) { fit.efficiency = value; },
         .least = 0.02,
         .most = 2},
    Free{.key = "launch_us",
         .get = [](const MemoryFit& fit) { return fit.launch.count(); },
         .set = [](MemoryFit& fit, double value) { fit.launch = Seconds(value); },
         .least = 1e-8,
         .most = 1e-3,
         .leastIsLaw = true,
         .usual = 2e-6},
};
constexpr std::size_t kFewestRows = 5;

std::vector<Residual> residualsOf(KernelProfile kernels,
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
    if (used.size() < kFewestRows) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(used.size()) + " points" +
                        (leastBytes > 0 ? " beyond the cache" : "") + " are too few to fit",
                    "measure " + std::to_string(kFewestRows) + " sizes or more");
    }
    const auto error = [&](const MemoryFit& fit) {
        return meanLogError(residualsOf(kernels, op, fit, used));
    };
    FABRICAST_ASSIGN(MemoryFit fit,
                     searchFit(std::span<const Free>(kNumbers), kernels.fit(op), error, {}));
    std::vector<Residual> residuals = residualsOf(kernels, op, fit, used);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<MemoryFit>{fit,
                             used.size(),
                             std::move(residuals),
                             changesOf(std::span<const Free>(kNumbers), kernels.fit(op), fit)};
}

}  // namespace fabricast
