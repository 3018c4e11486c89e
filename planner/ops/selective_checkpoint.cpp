#include "planner/ops/selective_checkpoint.h"

namespace fabricast {

void markSelective(OpList& layer, bool collectives) {
    int gemms = 0;
    for (Op& op : layer.ops) {
        if (op.kind == OpKind::Attention || op.name == "topk") {
            op.keptBySelective = true;
        } else if (op.kind == OpKind::Gemm && !op.outsideSelective) {
            op.keptBySelective = gemms++ % 2 == 0;
        } else if (op.name == "reduce_scatter" || op.name == "all_to_all") {
            op.keptBySelective = collectives;
        }
    }
}

}  // namespace fabricast
