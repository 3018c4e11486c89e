#include "probes/fit/fit_gemm.h"

#include "planner/base/median.h"
#include "probes/fit/free_numbers.h"
#include "probes/fit/held_out.h"

#include <array>
#include <iterator>
#include <map>
#include <tuple>

namespace fabricast {
namespace {

using FreeGemm = FreeNumber<GemmFit>;

template <double GemmFit::*Member>
constexpr FreeGemm gemmNumber(std::string_view key, FreeGemm bounds) {
    bounds.key = key;
    bounds.get = [](const GemmFit& fit) { return fit.*Member; };
    bounds.set = [](GemmFit& fit, double value) { fit.*Member = value; };
    return bounds;
}
template <Seconds GemmFit::*Member>
constexpr FreeGemm gemmTime(std::string_view key, FreeGemm bounds) {
    bounds.key = key;
    bounds.get = [](const GemmFit& fit) { return (fit.*Member).count(); };
    bounds.set = [](GemmFit& fit, double value) { fit.*Member = Seconds(value); };
    return bounds;
}

/// Zero would do for the first of these too, but its logarithm would not.
constexpr std::array<FreeGemm, 11> kGemmNumbers = {
    gemmNumber<&GemmFit::efficiency>("efficiency", {.least = 0.05, .most = 1.5}),
    gemmNumber<&GemmFit::prologueDepth>("prologue_depth",
                                        {.least = 1, .most = 5e3, .leastIsLaw = true}),
    gemmNumber<&GemmFit::tilePenalty>("tile_penalty",
                                      {.least = 1e-3, .most = 5, .leastIsLaw = true}),
    gemmNumber<&GemmFit::waveFraction>(
        "wave_fraction", {.least = 0, .most = 1, .leastIsLaw = true, .mostIsLaw = true}),
    gemmTime<&GemmFit::launch>("launch_us", {.least = 1e-7, .most = 2e-4, .usual = 3e-6}),
    gemmNumber<&GemmFit::bandwidthEfficiency>("bandwidth_efficiency", {.least = 0.05, .most = 3}),
    gemmNumber<&GemmFit::joinPower>(
        "join_power", {.least = 1, .most = 30, .leastIsLaw = true, .mostIsLaw = true}),
    gemmNumber<&GemmFit::throttle>("throttle",
                                   {.least = 1e-3, .most = 2, .leastIsLaw = true, .usual = 0.12}),
    gemmTime<&GemmFit::throttleTime>("throttle_time_us",
                                     {.least = 1e-5, .most = 0.1, .usual = 1.5e-3}),
    gemmNumber<&GemmFit::splitKTraffic>(
        "split_k_traffic", {.least = 0.1, .most = 100, .leastIsLaw = true, .mostIsLaw = true}),
    gemmNumber<&GemmFit::quantiseTraffic>("quantise_traffic",
                                          {.least = 1e-2, .most = 100, .leastIsLaw = true}),
};

constexpr std::size_t kMostGemmRows = 4000;
constexpr std::size_t kFewestGemmRows = 40;
constexpr double kLeastGemmWork = 1e9;
constexpr std::int64_t kLeastGemmRows = 128;
constexpr std::int64_t kLeastWidth = 256;

/// The shapes the equations are for.
bool isModelledGemm(const MeasuredGemm& row) {
    const Gemm& gemm = row.gemm;
    return gemm.layout == GemmLayout::Tn && gemm.m >= kLeastGemmRows && gemm.n >= kLeastWidth &&
           gemm.k >= kLeastWidth && gemm.flops().count() >= kLeastGemmWork;
}

bool isHeldOutGemm(const MeasuredGemm& row) {
    return shapeIsHeldOut({static_cast<double>(row.gemm.m),
                           static_cast<double>(row.gemm.n),
                           static_cast<double>(row.gemm.k)});
}

Residual residualOf(const KernelProfile& kernels, const GemmFit& fit, const MeasuredGemm& row) {
    return {row.gemm.flops().count(),
            row.time.count(),
            gemmTime(kernels, fit, row.gemm, {.sustained = false}).count()};
}

std::vector<Residual> gemmResiduals(const KernelProfile& kernels,
                                    const GemmFit& fit,
                                    const std::vector<MeasuredGemm>& rows) {
    std::vector<Residual> residuals;
    residuals.reserve(rows.size());
    for (const MeasuredGemm& row : rows) {
        residuals.push_back(residualOf(kernels, fit, row));
    }
    return residuals;
}

/// Only some types quantise; the others begin, and stay, at none.
std::span<const FreeGemm> numbersOf(const GemmFit& start) {
    return std::span(kGemmNumbers)
        .first(start.quantiseTraffic > 0 ? kGemmNumbers.size() : kGemmNumbers.size() - 1);
}

}  // namespace

Result<Fitted<GemmFit>> fitGemm(const KernelProfile& kernels,
                                const GemmFit& start,
                                const std::vector<MeasuredGemm>& rows) {
    std::vector<MeasuredGemm> shown;
    std::vector<MeasuredGemm> held;
    for (const MeasuredGemm& row : rows) {
        if (isModelledGemm(row)) {
            (isHeldOutGemm(row) ? held : shown).push_back(row);
        }
    }
    if (shown.size() < kFewestGemmRows) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(shown.size()) + " points are too few to fit eleven numbers",
                    "measure " + std::to_string(kFewestGemmRows) +
                        " shapes or more, with m from 128, n and k from 256, 1e9 operations on");
    }
    const std::vector<MeasuredGemm> searched = stratified(
        shown, kMostGemmRows, [](const MeasuredGemm& row) { return row.gemm.flops().count(); });
    const auto error = [&](const GemmFit& fit) {
        return meanLogError(gemmResiduals(kernels, fit, searched));
    };
    FABRICAST_ASSIGN(GemmFit fit, searchFit(numbersOf(start), start, error, {}));
    std::vector<Residual> residuals = gemmResiduals(kernels, fit, held);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<GemmFit>{fit,
                           shown.size() + held.size(),
                           std::move(residuals),
                           changesOf(numbersOf(start), start, fit)};
}

Result<Fitted<GemmFit>> scaleGemm(const KernelProfile& kernels,
                                  const GemmFit& start,
                                  const std::vector<MeasuredGemm>& rows) {
    constexpr std::array kScale = {kGemmNumbers[0], kGemmNumbers[4]};
    constexpr std::size_t kFewest = 6;
    std::vector<MeasuredGemm> used;
    std::ranges::copy_if(rows, std::back_inserter(used), isModelledGemm);
    if (used.size() < kFewest) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(used.size()) + " points are too few to fit",
                    "measure " + std::to_string(kFewest) +
                        " shapes or more in the layout tn, with m from 128, n and k from 256");
    }
    const auto error = [&](const GemmFit& fit) {
        return meanLogError(gemmResiduals(kernels, fit, used));
    };
    FABRICAST_ASSIGN(GemmFit fit, searchFit(std::span<const FreeGemm>(kScale), start, error, {}));
    std::vector<Residual> residuals = gemmResiduals(kernels, fit, used);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<GemmFit>{fit,
                           used.size(),
                           std::move(residuals),
                           changesOf(std::span<const FreeGemm>(kScale), start, fit)};
}

double layoutFactor(const std::vector<MeasuredGemm>& rows, GemmLayout layout) {
    using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Key, double> usual;
    const auto keyOf = [](const MeasuredGemm& row) {
        return Key(row.source, row.gemm.m, row.gemm.n, row.gemm.k);
    };
    for (const MeasuredGemm& row : rows) {
        if (row.gemm.layout == GemmLayout::Tn) {
            usual[keyOf(row)] = row.time.count();
        }
    }
    std::vector<double> ratios;
    for (const MeasuredGemm& row : rows) {
        const auto found = usual.find(keyOf(row));
        if (row.gemm.layout == layout && found != usual.end()) {
            ratios.push_back(row.time.count() / found->second);
        }
    }
    return ratios.empty() ? 0.0 : median(std::move(ratios));
}

double hostFactor(const KernelProfile& kernels, const std::vector<MeasuredGemm>& rows) {
    std::vector<double> ratios;
    for (const MeasuredGemm& row : rows) {
        const GemmFit* fit = kernels.fit(row.gemm.type);
        if (fit != nullptr && isModelledGemm(row)) {
            const Residual residual = residualOf(kernels, *fit, row);
            ratios.push_back(residual.measured / residual.modelled);
        }
    }
    return ratios.empty() ? 1.0 : median(std::move(ratios));
}

}  // namespace fabricast
