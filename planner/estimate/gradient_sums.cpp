#include "planner/estimate/data_parallel_time.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fabricast {

namespace {

/// Whether backward passes this op on its way to what the op reads.
bool isInGraph(const OpList& list, const Op& op) {
    return !op.graphDropped &&
           std::any_of(op.outputs.begin(), op.outputs.end(), [&list](TensorId id) {
               return list.tensor(id).requiresGrad;
           });
}

/// How many gradients reach each tensor.
std::vector<int> gradientCounts(const OpList& list) {
    std::vector<int> counts(list.tensors.size(), 0);
    for (const Op& op : list.ops) {
        if (!isInGraph(list, op)) {
            continue;
        }
        TensorIds read;
        for (const TensorId id : op.inputs) {
            const bool first = std::find(read.begin(), read.end(), id) == read.end();
            if (first && list.tensor(id).requiresGrad) {
                read.push_back(id);
                ++counts[static_cast<std::size_t>(id)];
            }
        }
    }
    return counts;
}

}  // namespace

GradientSums gradientSums(const OpList& list, bool compiled) {
    constexpr std::int64_t kEager = 3;  // reads two, writes one
    constexpr std::int64_t kFused = 1;  // one more to read
    GradientSums sums;
    const std::vector<int> counts = gradientCounts(list);
    for (std::size_t id = 0; id < counts.size(); ++id) {
        const std::int64_t extra = counts[id] - 1;
        if (extra > 0) {
            sums.bytes += extra * (compiled ? kFused : kEager) * list.tensors[id].bytes;
            sums.count += compiled ? 0 : extra;
        }
    }
    return sums;
}

}  // namespace fabricast
