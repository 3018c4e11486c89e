#include "planner/compute/grouped_gemm_time.h"

#include "planner/base/check.h"
#include "planner/compute/fit_terms.h"

#include <cmath>

namespace fabricast {
namespace {

/// One expert's multiply; rows are whole.
Gemm gemmOfEach(const GroupedGemm& group) {
    const auto rows = static_cast<std::int64_t>(std::ceil(group.rowsPerExpert));
    Gemm gemm{.type = group.type, .accumulateFp32 = false, .batch = group.experts};
    switch (group.pass) {
        case GroupedPass::Forward:
            gemm.m = rows;
            gemm.n = group.outputs;
            gemm.k = group.inputs;
            break;
        case GroupedPass::InputGradient:
            gemm.m = rows;
            gemm.n = group.inputs;
            gemm.k = group.outputs;
            break;
        case GroupedPass::WeightGradient:
            gemm.m = group.outputs;
            gemm.n = group.inputs;
            gemm.k = rows;
            gemm.accumulateFp32 = group.accumulateFp32;
            break;
    }
    return gemm;
}

double passFactor(const GroupedFit& fit, GroupedPass pass) {
    switch (pass) {
        case GroupedPass::Forward:
            return fit.forward;
        case GroupedPass::InputGradient:
            return fit.inputGradient;
        case GroupedPass::WeightGradient:
            break;
    }
    return fit.weightGradient;
}

}  // namespace

Flops GroupedGemm::flops() const {
    return Flops(2.0 * static_cast<double>(experts) * rowsPerExpert * static_cast<double>(inputs) *
                 static_cast<double>(outputs));
}

/// tc and tm are the dense fit's over the tiles of all experts;
///     t = t0 + ((tc·f)^p + tm^p)^(1/p) · u + experts · te
/// with f of the pass, u of unbalanced routing, and te where each expert is launched by itself (its
/// weight gradients hide that: memory bounds them).
Seconds groupedGemmTime(const KernelProfile& profile,
                        const GroupedGemm& group,
                        const RateState& state) {
    const GemmFit* fit = profile.fit(group.type);
    FABRICAST_CHECK(fit != nullptr);
    const GemmParts parts = gemmParts(profile, *fit, gemmOfEach(group), state);
    const double compute = parts.compute.count() * passFactor(profile.grouped, group.pass);
    const double together = join(compute, parts.memory.count(), fit->joinPower);
    const double spread = group.balanced ? 1.0 : profile.grouped.unbalanced;
    const bool launchesShow = group.perExpert && group.pass != GroupedPass::WeightGradient;
    const double launches =
        launchesShow ? profile.grouped.perExpert.count() * static_cast<double>(group.experts) : 0.0;
    return (parts.around + Seconds(together * spread + launches)) * profile.gemmScale;
}

}  // namespace fabricast
