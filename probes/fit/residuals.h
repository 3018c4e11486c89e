#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// One measurement against its fit.
struct Residual {
    double flops = 0.0;
    double measured = 0.0;
    double modelled = 0.0;
};

/// How far a fit is from measurements: relative errors.
struct ErrorSummary {
    std::size_t rows = 0;
    double mean = 0.0;
    double p90 = 0.0;
    double bias = 0.0;  ///< mean with its sign: above 0, the model is slow
};

ErrorSummary summarise(const std::vector<Residual>& residuals);

/// Under headings a line for each decade of work from below 1e10 to above 1e12, where there are
/// several, and one for all. `unit` is the work's: "operations", "bytes".
std::string residualTable(const std::vector<Residual>& residuals, const std::string& unit);

/// Mean |ln(modelled / measured)|: what fits are searched by, because it blames too fast and too
/// slow alike.
double meanLogError(const std::vector<Residual>& residuals);

}  // namespace fabricast
