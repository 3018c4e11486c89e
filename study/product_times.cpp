#include "planner/compute/gemm_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/ops/layer_segment.h"
#include "study/rules_of_thumb.h"

#include <string>

namespace fabricast {
namespace {

Seconds timeOf(const Product& product, GemmType type, const KernelProfile& kernels) {
    if (product.grouped) {
        return groupedGemmTime(kernels,
                               {.experts = product.count,
                                .rowsPerExpert = static_cast<double>(product.rows),
                                .inputs = product.depth,
                                .outputs = product.columns,
                                .type = type},
                               {});
    }
    return gemmTime(kernels,
                    {.m = product.rows,
                     .n = product.columns,
                     .k = product.depth,
                     .type = type,
                     .batch = product.count},
                    {});
}

}  // namespace

Result<std::vector<ProductTime>> productTimes(const Scenario& scenario) {
    const std::optional<KernelProfile>& kernels = scenario.cluster.node.gpu.kernels;
    std::vector<ProductTime> times;
    if (!kernels) {
        return times;
    }
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    const std::optional<OpList>& layer = layers.sparse ? layers.sparse : layers.dense;
    const GemmType type = gemmTypeOf(scenario.settings, true, *kernels);
    for (const Op& op : layer->ops) {
        const std::optional<Product> product =
            op.weights.empty() ? std::nullopt : productOf(scenario, *layer, op);
        if (product) {
            times.push_back({.name = std::string(op.name),
                             .rows = product->rows,
                             .columns = product->columns,
                             .depth = product->depth,
                             .count = product->count,
                             .time = timeOf(*product, type, *kernels)});
        }
    }
    return times;
}

}  // namespace fabricast
