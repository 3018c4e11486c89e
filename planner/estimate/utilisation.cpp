#include "planner/estimate/utilisation.h"

#include "planner/ops/flops.h"
#include "planner/spec/names.h"

namespace fabricast {

Utilisation utilisation(const Scenario& scenario, double tokensPerGpuSecond) {
    const Dtype compute = scenario.settings.precision.compute;
    Utilisation use{.peakType = std::string(compute == Dtype::Fp32 ? "tf32" : nameOf(compute))};
    const auto perToken =
        flopsPerToken(scenario.model, scenario.workload.sequence, FlopsConvention::Matmul);
    if (!perToken) {
        use.why = perToken.error().text();
        return use;
    }
    const double share = scenario.settings.tuning == Tuning::Lora ? 2.0 / 3.0 : 1.0;
    use.perToken = *perToken * share;
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const auto peak = gpu.densePeak.find(use.peakType);
    if (peak == gpu.densePeak.end() || !peak->second.value || peak->second.value->count() <= 0) {
        use.why = "nobody has published the " + use.peakType + " peak of " + gpu.name;
        return use;
    }
    use.peak = *peak->second.value;
    use.mfu = use.perToken.count() * tokensPerGpuSecond / use.peak.count();
    return use;
}

}  // namespace fabricast
