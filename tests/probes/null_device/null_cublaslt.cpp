// cuBLASLt: its descriptors are kept.
#include "tests/probes/null_device/null_device.h"
#include "tests/probes/null_device/null_product.h"

#include <cublasLt.h>

#include <cstring>

namespace null = fabricast::null_device;

using null::Matrix;
using null::Multiply;
using null::Product;

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
    } else if (attribute == CUBLASLT_MATMUL_DESC_FAST_ACCUM) {
        multiply.fast = *static_cast<const std::int8_t*>(value) != 0;
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
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value,
                                                    std::size_t bytes,
                                                    std::size_t* written) {
    std::memset(value, 0, bytes);
    if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM) {
        *static_cast<std::int32_t*>(value) = null::splits();
    }
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
    if (reinterpret_cast<const Matrix*>(layoutOfD)->columns ==
        null::setting("FABRICAST_NULL_LT_FAILS", -1)) {
        if (null::setting("FABRICAST_NULL_LT_BREAKS", 0) != 0) {
            null::breakDown();
        }
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    const Product product = {*reinterpret_cast<const Multiply*>(descriptor),
                             *reinterpret_cast<const Matrix*>(layoutOfA),
                             *reinterpret_cast<const Matrix*>(layoutOfB),
                             *reinterpret_cast<const Matrix*>(layoutOfD),
                             static_cast<const char*>(a),
                             static_cast<const char*>(b),
                             static_cast<char*>(d),
                             *static_cast<const float*>(beta)};
    null::spend(stream, 3e-6 + null::multiply(product));
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
