#include "planner/ops/quantized_linear.h"

#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kBf16 = 2;
/// NF4 codes under one scale, and scales under one scale of their own when quantised again.
constexpr std::int64_t kNf4Block = 64;
constexpr std::int64_t kScaleBlock = 256;
constexpr std::int64_t kNf4Table = 16 * kFp32;
constexpr std::int64_t kByteTable = 256 * kFp32;
constexpr std::int64_t kOffset = kFp32;
/// Beyond this many rows of x, bitsandbytes dequantises the whole matrix and multiplies; below, one
/// kernel does both. Its heuristic for sm_90 stops there for all but small, wide matrices.
constexpr std::int64_t kFusedRows = 64;

std::int64_t blocks(std::int64_t elements, std::int64_t block) {
    return (elements + block - 1) / block;
}

std::int64_t scalesOf(const QuantizedMatrix& matrix) {
    return blocks(matrix.rows * matrix.columns, kNf4Block);
}

int declare(OpBuilder& g, std::string_view name, const QuantizedMatrix& matrix) {
    const int weight = g.matrix(name, matrix.rows, matrix.columns);
    WeightUse& use = g.weightAt(weight);
    use.trained = false;
    use.cast = false;
    use.packedBytes = packedBytes(matrix);
    if (matrix.type == Dtype::Nf4) {
        use.codeBytes = blocks(matrix.rows * matrix.columns, 2);
        use.width = kBf16;  // bnb_4bit_quant_storage, where they are sharded
    }
    return weight;
}

/// Linear4bit casts x to its compute type and the product back. MatMul4Bit keeps no activation; its
/// backward dequantises the matrix.
TensorId fourBit(
    OpBuilder& g, std::string_view name, const QuantizedMatrix& matrix, TensorId x, int bias) {
    const TensorId read = g.cast(x, kBf16);
    const std::int64_t tokens = g.info(x).elements / matrix.columns;
    const TensorId out = g.fresh(tokens * matrix.rows, kBf16, g.info(read).requiresGrad);
    const int weight = declare(g, name, matrix);
    Op op{.kind = OpKind::Gemm, .name = name, .inputs = {read}, .outputs = {out}};
    op.weights = {weight};
    // The scales are gone when the product takes its workspace, which is larger.
    op.backwardTemps = {kBf16 * matrix.rows * matrix.columns};
    op.ownKernel = tokens <= kFusedRows;
    if (!op.ownKernel) {
        op.forwardTemps = op.backwardTemps;
    }
    if (bias >= 0) {
        op.weights.push_back(bias);
    }
    g.push(std::move(op));
    return g.cast(out, g.info(x).width);
}

/// Linear8bitLt quantises x row by row and multiplies int8 codes to int32, which become fp16 and
/// then x's type. Its autograd function holds x in an attribute of its own: neither checkpointing
/// nor the end of its backward frees that. Backward converts the matrix to x's type.
TensorId eightBit(
    OpBuilder& g, std::string_view name, const QuantizedMatrix& matrix, TensorId x, int bias) {
    constexpr std::int64_t kFp16 = 2;
    constexpr std::int64_t kInt32 = 4;
    const TensorInfo in = g.info(x);
    const std::int64_t tokens = in.elements / matrix.columns;
    const std::int64_t outElements = tokens * matrix.rows;
    const TensorId out = g.fresh(outElements, in.width, in.requiresGrad);
    Op op{.kind = OpKind::Gemm,
          .name = name,
          .inputs = {x},
          .outputs = {out},
          .weights = {declare(g, name, matrix)}};
    op.ownKernel = true;
    op.forwardTemps = {in.elements + kFp32 * tokens, kInt32 * outElements, kFp16 * outElements};
    op.backwardTemps = {in.width * matrix.rows * matrix.columns, kFp32 * matrix.rows};
    if (in.requiresGrad) {
        op.heldByGraph = {x};
    }
    if (bias >= 0) {
        op.weights.push_back(bias);
    }
    g.push(std::move(op));
    return out;
}

}  // namespace

std::int64_t packedBytes(const QuantizedMatrix& matrix) {
    const std::int64_t elements = matrix.rows * matrix.columns;
    if (matrix.type == Dtype::Int8) {
        return elements + kFp32 * matrix.rows;
    }
    const std::int64_t scales = scalesOf(matrix);
    const std::int64_t codes = blocks(elements, 2) + kNf4Table;
    if (!matrix.doubleQuantization) {
        return codes + kFp32 * scales;
    }
    return codes + scales + kFp32 * blocks(scales, kScaleBlock) + kByteTable + kOffset;
}

std::int64_t sharedTableBytes(const LoraSettings& lora) {
    return lora.base == Dtype::Nf4 && lora.doubleQuantization ? kByteTable : 0;
}

QuantizedMatrix quantizedMatrix(const LoraSettings& lora, std::int64_t rows, std::int64_t columns) {
    return {lora.base, lora.doubleQuantization, rows, columns};
}

std::int64_t dequantizedWidth(const QuantizedMatrix& matrix) {
    return matrix.type == Dtype::Int8 ? kFp32 : kBf16;
}

ByteList dequantizationTemps(const QuantizedMatrix& matrix) {
    if (matrix.type == Dtype::Int8) {  // codes times scales, before the constant factor
        return {kFp32 * matrix.rows * matrix.columns};
    }
    if (matrix.doubleQuantization) {
        return {kFp32 * scalesOf(matrix)};
    }
    return {};
}

TensorId quantizedLinear(
    OpBuilder& g, std::string_view name, const QuantizedMatrix& matrix, TensorId x, int bias) {
    return matrix.type == Dtype::Int8 ? eightBit(g, name, matrix, x, bias)
                                      : fourBit(g, name, matrix, x, bias);
}

}  // namespace fabricast
