#include "probes/fit/residuals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

namespace fabricast {
namespace {

struct Bucket {
    const char* name;
    double from;
    double to;
};
constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr std::array<Bucket, 5> kBuckets = {{{"below 1e10", 0, 1e10},
                                             {"1e10 to 1e11", 1e10, 1e11},
                                             {"1e11 to 1e12", 1e11, 1e12},
                                             {"from 1e12", 1e12, kEndless},
                                             {"all", 0, kEndless}}};

}  // namespace

ErrorSummary summarise(const std::vector<Residual>& residuals) {
    ErrorSummary summary{.rows = residuals.size()};
    if (residuals.empty()) {
        return summary;
    }
    std::vector<double> errors;
    for (const Residual& residual : residuals) {
        const double error = residual.modelled / residual.measured - 1;
        errors.push_back(std::abs(error));
        summary.bias += error;
        summary.mean += std::abs(error);
    }
    const auto count = static_cast<double>(residuals.size());
    std::ranges::sort(errors);
    summary.mean /= count;
    summary.bias /= count;
    summary.p90 = errors[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
    return summary;
}

std::string residualTable(const std::vector<Residual>& residuals, const std::string& unit) {
    std::string text;
    const auto add = [&text](const char* format, auto... parts) {
        std::array<char, 160> line{};
        const int length = std::snprintf(line.data(), line.size(), format, parts...);
        text.append(line.data(), static_cast<std::size_t>(std::max(length, 0)));
    };
    add("  %-13s %6s  mean error  9 in 10 below     bias\n", unit.c_str(), "points");
    for (const Bucket& bucket : kBuckets) {
        std::vector<Residual> part;
        std::ranges::copy_if(residuals, std::back_inserter(part), [&](const Residual& residual) {
            return residual.flops >= bucket.from && residual.flops < bucket.to;
        });
        const bool isAll = bucket.from == 0 && bucket.to == kEndless;
        if (part.empty() || (part.size() == residuals.size() && !isAll)) {
            continue;
        }
        const ErrorSummary summary = summarise(part);
        add("  %-13s %6zu  %8.1f %%  %11.1f %%  %+5.1f %%\n",
            bucket.name,
            summary.rows,
            100 * summary.mean,
            100 * summary.p90,
            100 * summary.bias);
    }
    return text;
}

double meanLogError(const std::vector<Residual>& residuals) {
    double sum = 0.0;
    for (const Residual& residual : residuals) {
        sum += std::abs(std::log(residual.modelled / residual.measured));
    }
    return residuals.empty() ? 0.0 : sum / static_cast<double>(residuals.size());
}

}  // namespace fabricast
