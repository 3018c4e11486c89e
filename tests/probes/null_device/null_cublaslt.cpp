// cuBLASLt: its descriptors are kept, and products are computed when their results are read.
#include "probes/cuda/number_type.h"
#include "tests/probes/null_device/null_device.h"

#include <cublasLt.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace null = fabricast::null_device;
using fabricast::probe::NumberType;

namespace {

struct Matrix {
    cudaDataType_t type = CUDA_R_32F;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;
    std::int32_t batch = 1;
    std::int64_t stride = 0;
};

struct Multiply {
    cublasOperation_t onA = CUBLAS_OP_N;
    cublasOperation_t onB = CUBLAS_OP_N;
};

/// One product as it was asked for; D = A·B + beta·D, columns first.
struct Product {
    Multiply how;
    Matrix a, b, d;
    const char* left = nullptr;
    const char* right = nullptr;
    char* result = nullptr;
    float beta = 0.0F;

    [[nodiscard]] std::int64_t inner() const { return how.onA == CUBLAS_OP_N ? a.columns : a.rows; }
    [[nodiscard]] double flop() const {
        return 2.0 * static_cast<double>(d.rows) * static_cast<double>(d.columns) *
               static_cast<double>(inner()) * d.batch;
    }
};

NumberType typeOf(cudaDataType_t type) {
    return type == CUDA_R_16BF      ? NumberType::Bf16
           : type == CUDA_R_16F     ? NumberType::Fp16
           : type == CUDA_R_8F_E4M3 ? NumberType::Fp8
                                    : NumberType::Fp32;
}

double numberAt(const Matrix& matrix,
                const char* from,
                std::int64_t batch,
                std::int64_t row,
                std::int64_t column) {
    const NumberType type = typeOf(matrix.type);
    const auto at = static_cast<std::size_t>(batch * matrix.stride + column * matrix.leading + row);
    return readNumber(type, from + at * bytesOf(type));
}

void computeEntry(const Product& product,
                  std::int64_t batch,
                  std::int64_t row,
                  std::int64_t column) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < product.inner(); ++k) {
        const bool plainA = product.how.onA == CUBLAS_OP_N;
        const bool plainB = product.how.onB == CUBLAS_OP_N;
        sum += numberAt(product.a, product.left, batch, plainA ? row : k, plainA ? k : row) *
               numberAt(product.b, product.right, batch, plainB ? k : column, plainB ? column : k);
    }
    if (product.beta != 0.0F) {
        sum += static_cast<double>(product.beta) *
               numberAt(product.d, product.result, batch, row, column);
    }
    const NumberType type = typeOf(product.d.type);
    const auto at =
        static_cast<std::size_t>(batch * product.d.stride + column * product.d.leading + row);
    writeNumber(static_cast<float>(sum), type, product.result + at * bytesOf(type));
}

void computeAll(const Product& product) {
    for (std::int32_t batch = 0; batch < product.d.batch; ++batch) {
        for (std::int64_t column = 0; column < product.d.columns; ++column) {
            for (std::int64_t row = 0; row < product.d.rows; ++row) {
                computeEntry(product, batch, row, column);
            }
        }
    }
}

/// The entries of the first matrix whose bytes are read.
void computePart(const Product& product, const char* place, std::size_t bytes) {
    const auto width = static_cast<std::ptrdiff_t>(bytesOf(typeOf(product.d.type)));
    const char* const end = product.result + product.d.columns * product.d.leading * width;
    for (const char* at = std::max<const char*>(place, product.result);
         at < std::min(place + bytes, end);
         at += width) {
        const std::ptrdiff_t number = (at - product.result) / width;
        computeEntry(product, 0, number % product.d.leading, number / product.d.leading);
    }
}

std::string keyOf(const Product& product) {
    return "product " + std::to_string(reinterpret_cast<std::uintptr_t>(product.left)) + " " +
           std::to_string(reinterpret_cast<std::uintptr_t>(product.right)) + " " +
           std::to_string(reinterpret_cast<std::uintptr_t>(product.result));
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    delete reinterpret_cast<int*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor,
                                        cublasComputeType_t,
                                        cudaDataType_t) {
    *descriptor = reinterpret_cast<cublasLtMatmulDesc_t>(new Multiply);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
    delete reinterpret_cast<Multiply*>(descriptor);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value,
                                              std::size_t) {
    auto& multiply = *reinterpret_cast<Multiply*>(descriptor);
    if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) {
        multiply.onA = *static_cast<const cublasOperation_t*>(value);
    } else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) {
        multiply.onB = *static_cast<const cublasOperation_t*>(value);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                          cudaDataType_t type,
                                          std::uint64_t rows,
                                          std::uint64_t columns,
                                          std::int64_t leading) {
    *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Matrix{
        type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading});
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    delete reinterpret_cast<Matrix*>(layout);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value,
                                                std::size_t) {
    auto& matrix = *reinterpret_cast<Matrix*>(layout);
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) {
        matrix.batch = *static_cast<const std::int32_t*>(value);
    } else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) {
        matrix.stride = *static_cast<const std::int64_t*>(value);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new int(0));
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    delete reinterpret_cast<int*>(preference);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void*,
                                                    std::size_t) {
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t,
                                              cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t,
                                              int,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
    results[0] = {};
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*,
                                                    cublasLtMatmulAlgoConfigAttributes_t,
                                                    void* value,
                                                    std::size_t bytes,
                                                    std::size_t* written) {
    std::memset(value, 0, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t,
                              cublasLtMatmulDesc_t descriptor,
                              const void*,
                              const void* a,
                              cublasLtMatrixLayout_t layoutOfA,
                              const void* b,
                              cublasLtMatrixLayout_t layoutOfB,
                              const void* beta,
                              const void*,
                              cublasLtMatrixLayout_t,
                              void* d,
                              cublasLtMatrixLayout_t layoutOfD,
                              const cublasLtMatmulAlgo_t*,
                              void*,
                              std::size_t,
                              cudaStream_t stream) {
    const Product product = {*reinterpret_cast<const Multiply*>(descriptor),
                             *reinterpret_cast<const Matrix*>(layoutOfA),
                             *reinterpret_cast<const Matrix*>(layoutOfB),
                             *reinterpret_cast<const Matrix*>(layoutOfD),
                             static_cast<const char*>(a),
                             static_cast<const char*>(b),
                             static_cast<char*>(d),
                             *static_cast<const float*>(beta)};
    constexpr double kRate = 6e14;
    null::spend(stream, 3e-6 + product.flop() / kRate);
    // What goes on to a kernel is whole: the batches of attention.
    if (product.d.batch > 1) {
        null::defer(keyOf(product), [product] { computeAll(product); });
    } else {
        null::deferPart(keyOf(product), [product](const char* place, std::size_t bytes) {
            computePart(product, place, bytes);
        });
    }
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
