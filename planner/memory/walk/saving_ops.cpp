#include "planner/memory/walk/saved_values.h"

#include <algorithm>

namespace fabricast {

bool savesTensors(const OpList& list, const Op& op) {
    const auto saved = [&](int weight) {
        return list.weights[static_cast<std::size_t>(weight)].packedBytes == 0;
    };
    const auto inGraph = [&](TensorId id) { return list.tensor(id).requiresGrad; };
    return !op.saved.empty() || (std::any_of(op.weights.begin(), op.weights.end(), saved) &&
                                 std::any_of(op.outputs.begin(), op.outputs.end(), inGraph));
}

std::size_t lastSavingOp(const OpList& list) {
    std::size_t op = list.ops.size() - 1;
    while (op > 0 && !savesTensors(list, list.ops[op])) {
        --op;
    }
    return op;
}

bool savesItsOutput(const OpList& list, const Op& op) {
    return std::any_of(op.saved.begin(), op.saved.end(), [&](TensorId id) {
        return std::find(op.outputs.begin(), op.outputs.end(), list.tensor(id).base) !=
               op.outputs.end();
    });
}

}  // namespace fabricast
