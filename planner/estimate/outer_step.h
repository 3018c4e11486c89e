#pragma once
#include "planner/comm/cluster_links.h"
#include "planner/estimate/stage_time.h"
#include "planner/evidence/host_evidence.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/kernel_profile.h"

#include <vector>

namespace fabricast {

/// What an outer step depends on; `scenario` is that of all sites.
struct OuterContext {
    const Scenario& scenario;
    const KernelProfile& kernels;
    const ClusterLinks& links;
    const HostProfile& host;
};

/// This is what s sites that train apart do once in H steps, with P parameters of b bytes in f
/// fragments: an all-reduce of how far each has come, and a Nesterov step by their mean.
///     exchange = f · 2(s-1) · latency + 2(s-1)/s · P · b / rate of a site
///     update   = bytes of a rank's parameters, differences and momentum / memory rate
///     step     = inner + (exchange + update) / H; overlapped, of the exchange what H steps leave
/// `stages` are those of a step of one site, which takes `inner` seconds.
OuterStep outerStep(const OuterContext& context,
                    const std::vector<StageTime>& stages,
                    double inner);

/// Turns the step of one site into that of all of them.
void addOuter(const Scenario& scenario, const OuterStep& outer, StepEstimate& step);

}  // namespace fabricast
