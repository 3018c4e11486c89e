#include "planner/base/integers.h"
#include "planner/ops/attention_kernels.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int64_t kLogSumExpRows = 32;  ///< rows of the log-sum-exp are padded to this
constexpr std::int64_t kRngBytes = 16;
constexpr std::int64_t kOneTileDim = 128;  ///< wider heads accumulate the output in fp32
constexpr std::int64_t kFewBlocks = 200;   ///< splits over keys stop at this many blocks
constexpr std::int64_t kManyBlocks = 256;
constexpr std::int64_t kWorkspaceAlign = 4;  ///< floats

/// Query and key rows of one block, and whether dK and dV stay in registers.
struct BackwardKernel {
    std::int64_t queries = 64;
    std::int64_t keys = 64;
    bool inRegisters = true;
};
BackwardKernel pickKernel(std::int64_t dim, bool twoByteType) {
    if (!twoByteType) {
        return {.queries = dim > 64 ? 128 : 64, .keys = 64};
    }
    if (dim <= 64) {
        return {};
    }
    if (dim <= 96) {
        return {.queries = 128, .keys = 64};
    }
    return dim <= kOneTileDim ? BackwardKernel{.queries = 128, .keys = 128}
                              : BackwardKernel{.queries = 128, .keys = 64, .inRegisters = false};
}

/// How many blocks share the keys of one head.
std::int64_t keySplits(const EfficientShape& shape, const BackwardKernel& kernel) {
    const std::int64_t heads = shape.batch * shape.heads;
    std::int64_t splits = ceilDivide(shape.sequence, kernel.keys);
    if (heads >= kManyBlocks && shape.sequence <= 2 * kernel.keys) {
        splits = 1;
    }
    if (!kernel.inRegisters) {
        splits = std::min(splits, kFewBlocks / heads);
    }
    return std::max<std::int64_t>(splits, 1);
}

}  // namespace

std::int64_t efficientWorkspace(const EfficientShape& shape, bool twoByteType) {
    const BackwardKernel kernel = pickKernel(std::max(shape.keyDim, shape.valueDim), twoByteType);
    const std::int64_t queryBlocks = ceilDivide(shape.sequence, kernel.queries);
    const std::int64_t columns = ceilDivide(shape.keyDim, kernel.keys);
    std::int64_t floats = queryBlocks * columns * (kernel.queries * kernel.keys + kWorkspaceAlign);
    if (twoByteType && !kernel.inRegisters) {
        floats += keySplits(shape, kernel) * kernel.keys *
                  (roundUp(shape.keyDim, kernel.queries) + roundUp(shape.valueDim, kernel.queries));
    }
    return 4 * roundUp(floats, kWorkspaceAlign) * shape.batch * shape.heads;
}

TensorId efficientAttention(
    OpBuilder& g, TensorId q, TensorId k, TensorId v, const EfficientShape& shape) {
    const std::int64_t width = g.info(q).width;
    const std::int64_t rows = shape.batch * shape.heads;
    const std::int64_t elements = rows * shape.sequence * shape.valueDim;
    const bool graph = g.info(q).requiresGrad || g.info(k).requiresGrad || g.info(v).requiresGrad;
    const TensorId out = g.fresh(elements, width, graph);
    const TensorId logSumExp = g.fresh(rows * roundUp(shape.sequence, kLogSumExpRows), 4, false);
    const TensorId rng = g.fresh(kRngBytes, 1, false);
    const bool wide = std::max(shape.keyDim, shape.valueDim) > kOneTileDim;
    Op op{.kind = OpKind::Attention,
          .name = "efficient_attention",
          .inputs = {q, k, v},
          .outputs = {out, logSumExp, rng},
          .saved = graph ? TensorIds{q, k, v, out, logSumExp, rng} : TensorIds{},
          .backwardTemps = {4 * rows * shape.sequence,
                            efficientWorkspace(shape, width == kCastWidth)}};
    if (wide && width == kCastWidth) {
        op.forwardTemps = {4 * elements};
    }
    g.push(std::move(op));
    return out;
}

}  // namespace fabricast
