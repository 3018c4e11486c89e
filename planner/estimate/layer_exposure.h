#pragma once
#include "planner/estimate/stage_time.h"

namespace fabricast {

/// Seconds that one layer waits for tensor, context and expert parallelism in one microbatch. It is
/// the same in every chunk of layers alone, whatever the rest of the layout.
struct LayerExposure {
    double forward = 0.0;
    double backward = 0.0;
};

/// Of layers without experts, and of those with them. Zero where no chunk of the pipeline is made
/// of such layers alone: a bound may do without it.
struct LayerExposures {
    LayerExposure dense;
    LayerExposure sparse;
};
Result<LayerExposures> layerExposures(const StepContext& context);

}  // namespace fabricast
