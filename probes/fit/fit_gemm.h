#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/measured_tables.h"
#include "probes/fit/number_change.h"
#include "probes/fit/residuals.h"

#include <vector>

namespace fabricast {

/// A fit, how it did on the rows it never saw (on all, where they are few), and what it changed.
template <class Fit>
struct Fitted {
    Fit fit;
    std::size_t rows = 0;
    std::vector<Residual> heldOut;
    std::vector<NumberChange> changes;
};

/// Fits the matrix multiplies of one type to rows of one GPU. `start` has the peak and the widths;
/// the other numbers are searched for from there.
Result<Fitted<GemmFit>> fitGemm(const KernelProfile& kernels,
                                const GemmFit& start,
                                const std::vector<MeasuredGemm>& rows);

/// The same of six rows or more, and only how efficient its products are and what a launch costs:
/// the shape of the curve stays that of `start`.
Result<Fitted<GemmFit>> scaleGemm(const KernelProfile& kernels,
                                  const GemmFit& start,
                                  const std::vector<MeasuredGemm>& rows);

/// Where the same sizes were measured in two layouts by one source: the median ratio of their
/// times. 0 where there are none.
double layoutFactor(const std::vector<MeasuredGemm>& rows, GemmLayout layout);

/// The median of measured over modelled time: how much slower a host is than the fit's. 1 where
/// there are no rows.
double hostFactor(const KernelProfile& kernels, const std::vector<MeasuredGemm>& rows);

}  // namespace fabricast
