#include "planner/ops/rank_shape.h"

#include <algorithm>

namespace fabricast {

RankShape rankShape(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const ModelSpec& model = scenario.model;
    RankShape shape;
    shape.batch = layout.microBatch;
    shape.fullSequence = scenario.workload.sequence;
    shape.sequence = scenario.workload.sequence / layout.cp;
    shape.tokens = shape.batch * shape.sequence;
    shape.tp = layout.tp;
    shape.sp = layout.sp && layout.tp > 1;
    shape.localTokens = shape.sp ? shape.tokens / layout.tp : shape.tokens;
    shape.cp = layout.cp;
    shape.ep = layout.ep;
    shape.etp = layout.etp;
    shape.heads = model.attention.heads / layout.tp;
    shape.kvHeads = std::max<std::int64_t>(1, model.attention.kvHeads / layout.tp);
    shape.width = model.mlp.width / layout.tp;
    return shape;
}

}  // namespace fabricast
