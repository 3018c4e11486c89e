#include "probes/fit/fit_attention.h"

#include "probes/fit/free_numbers.h"
#include "probes/fit/held_out.h"

#include <array>
#include <set>

namespace fabricast {
namespace {

using FreeAttention = FreeNumber<AttentionFit>;

template <double AttentionFit::*Member>
constexpr FreeAttention attentionNumber(std::string_view key, FreeAttention bounds) {
    bounds.key = key;
    bounds.get = [](const AttentionFit& fit) { return fit.*Member; };
    bounds.set = [](AttentionFit& fit, double value) { fit.*Member = value; };
    return bounds;
}
template <Seconds AttentionFit::*Member>
constexpr FreeAttention attentionTime(std::string_view key, FreeAttention bounds) {
    bounds.key = key;
    bounds.get = [](const AttentionFit& fit) { return (fit.*Member).count(); };
    bounds.set = [](AttentionFit& fit, double value) { fit.*Member = Seconds(value); };
    return bounds;
}
template <std::int64_t Dim>
constexpr FreeAttention headRate(std::string_view key) {
    return {.key = key,
            .get =
                [](const AttentionFit& fit) {
                    return std::ranges::find(fit.headRates, Dim, &HeadRate::dim)->rate;
                },
            .set =
                [](AttentionFit& fit, double value) {
                    std::ranges::find(fit.headRates, Dim, &HeadRate::dim)->rate = value;
                },
            .least = 0.1,
            .most = 3};
}

/// What a figure with a few dozen bars can say.
const std::vector<FreeAttention> kFew = {
    attentionNumber<&AttentionFit::efficiency>("efficiency", {.least = 0.05, .most = 1.5}),
    attentionNumber<&AttentionFit::baseLength>("base_length",
                                               {.least = 0.1, .most = 5e3, .leastIsLaw = true}),
    attentionTime<&AttentionFit::launch>(
        "launch_us", {.least = 1e-7, .most = 2e-4, .leastIsLaw = true, .usual = 5e-6}),
};
const std::vector<FreeAttention> kMore = {
    attentionNumber<&AttentionFit::tail>("tail", {.least = 1e-3, .most = 10, .leastIsLaw = true}),
    attentionNumber<&AttentionFit::joinPower>(
        "join_power", {.least = 1, .most = 30, .leastIsLaw = true, .mostIsLaw = true}),
    attentionNumber<&AttentionFit::queryTraffic>("query_traffic",
                                                 {.least = 1e-2, .most = 30, .leastIsLaw = true}),
    attentionNumber<&AttentionFit::keyTraffic>("key_traffic",
                                               {.least = 1e-2, .most = 60, .leastIsLaw = true}),
    attentionNumber<&AttentionFit::throttle>(
        "throttle", {.least = 1e-3, .most = 2, .leastIsLaw = true, .usual = 0.1}),
    attentionTime<&AttentionFit::throttleTime>("throttle_time_us",
                                               {.least = 1e-5, .most = 0.1, .usual = 1.5e-3}),
};

constexpr std::size_t kMostAttentionRows = 4000;
constexpr std::size_t kFewestAttentionRows = 12;
constexpr std::size_t kEnoughForAll = 100;
constexpr std::int64_t kLeastLength = 512;
constexpr std::int64_t kLongestShort = 8192;
constexpr std::int64_t kShortestLong = 32768;
constexpr std::int64_t kUsualDim = 128;

bool isModelledAttention(const MeasuredAttention& row) {
    return row.attention.pass == AttentionPass::Forward && !row.both &&
           row.attention.queries >= kLeastLength && row.attention.headDim == row.attention.valueDim;
}

bool isHeldOutAttention(const MeasuredAttention& row) {
    const Attention& attention = row.attention;
    return shapeIsHeldOut({static_cast<double>(attention.batch),
                           static_cast<double>(attention.queries),
                           static_cast<double>(attention.heads),
                           static_cast<double>(attention.kvHeads),
                           static_cast<double>(attention.headDim)});
}

std::vector<Residual> attentionResiduals(const KernelProfile& kernels,
                                         const AttentionFit& fit,
                                         const std::vector<MeasuredAttention>& rows) {
    std::vector<Residual> residuals;
    residuals.reserve(rows.size());
    for (const MeasuredAttention& row : rows) {
        residuals.push_back(
            {row.attention.flops().count(),
             row.time.count(),
             attentionForwardTime(kernels, fit, row.attention, {.sustained = false}).count()});
    }
    return residuals;
}

/// With a rate for each of the usual widths that was measured.
AttentionFit withHeads(AttentionFit start, const std::vector<MeasuredAttention>& rows) {
    std::set<std::int64_t> dims = {kUsualDim};
    for (const MeasuredAttention& row : rows) {
        dims.insert(row.attention.headDim);
    }
    std::vector<HeadRate> rates;
    for (const std::int64_t dim : {64, 128, 192, 256}) {
        const auto known = std::ranges::find(start.headRates, dim, &HeadRate::dim);
        if (dims.contains(dim) || known != start.headRates.end()) {
            rates.push_back({dim, known != start.headRates.end() ? known->rate : 1.0});
        }
    }
    start.headRates = std::move(rates);
    return start;
}

std::vector<FreeAttention> numbersFor(const std::vector<MeasuredAttention>& rows) {
    std::vector<FreeAttention> numbers = kFew;
    const auto measured = [&](std::int64_t dim) {
        return std::ranges::any_of(
            rows, [dim](const MeasuredAttention& row) { return row.attention.headDim == dim; });
    };
    if (measured(64)) {
        numbers.push_back(headRate<64>("rate of 64"));
    }
    if (measured(192)) {
        numbers.push_back(headRate<192>("rate of 192"));
    }
    if (measured(256)) {
        numbers.push_back(headRate<256>("rate of 256"));
    }
    if (rows.size() >= kEnoughForAll) {
        numbers.insert(numbers.end(), kMore.begin(), kMore.end());
    }
    return numbers;
}

double upperMedian(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

Result<Fitted<AttentionFit>> fitAttention(const KernelProfile& kernels,
                                          const AttentionFit& start,
                                          const std::vector<MeasuredAttention>& rows) {
    std::vector<MeasuredAttention> shown;
    std::vector<MeasuredAttention> held;
    for (const MeasuredAttention& row : rows) {
        if (isModelledAttention(row)) {
            (isHeldOutAttention(row) ? held : shown).push_back(row);
        }
    }
    const std::size_t count = shown.size() + held.size();
    if (count < kEnoughForAll) {
        // Too few to keep any back: the error is that of the rows searched.
        shown.insert(shown.end(), held.begin(), held.end());
        held = shown;
    }
    if (shown.size() < kFewestAttentionRows) {
        return fail(Error::Code::BadInput,
                    "",
                    std::to_string(shown.size()) + " points are too few to fit",
                    "measure " + std::to_string(kFewestAttentionRows) +
                        " shapes or more, from 512 tokens on");
    }
    const std::vector<MeasuredAttention> searched =
        stratified(shown, kMostAttentionRows, [](const MeasuredAttention& row) {
            return row.attention.flops().count();
        });
    const auto error = [&](const AttentionFit& fit) {
        return meanLogError(attentionResiduals(kernels, fit, searched));
    };
    const std::vector<FreeAttention> numbers = numbersFor(shown);
    const AttentionFit begun = withHeads(start, shown);
    FABRICAST_ASSIGN(AttentionFit fit,
                     searchFit(std::span<const FreeAttention>(numbers), begun, error, {}));
    std::vector<Residual> residuals = attentionResiduals(kernels, fit, held);
    const ErrorSummary summary = summarise(residuals);
    fit.source = Source::Fitted;
    fit.error = {summary.mean, summary.p90};
    return Fitted<AttentionFit>{fit,
                                count,
                                std::move(residuals),
                                changesOf(std::span<const FreeAttention>(numbers), begun, fit)};
}

BackwardRatio backwardRatioOf(const KernelProfile& kernels,
                              const BackwardRatio& asked,
                              const std::vector<MeasuredAttention>& rows) {
    std::vector<double> atShort;
    std::vector<double> atLong;
    for (const MeasuredAttention& row : rows) {
        Attention attention = row.attention;
        if (attention.headDim != asked.headDim || attention.valueDim != asked.valueDim ||
            attention.code != asked.code ||
            (!row.both && attention.pass == AttentionPass::Forward)) {
            continue;
        }
        attention.pass = AttentionPass::Forward;
        const double whole = attentionTime(kernels, attention, {.sustained = false}).count();
        const AttentionFit* fit = findAttention(kernels, attention);
        const double forward =
            attentionForwardTime(kernels, *fit, attention, {.sustained = false}, asked.tail)
                .count();
        const double backward = row.time.count() - (row.both ? whole : 0.0);
        if (attention.queries <= kLongestShort) {
            atShort.push_back(backward / forward);
        } else if (attention.queries >= kShortestLong) {
            atLong.push_back(backward / forward);
        }
    }
    BackwardRatio found = asked;
    found.atShort = upperMedian(atShort);
    found.atLong = upperMedian(atLong);
    return found;
}

}  // namespace fabricast
