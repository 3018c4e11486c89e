// cuBLAS, for its grouped product. Each group has one.
#include "tests/probes/null_device/null_device.h"
#include "tests/probes/null_device/null_product.h"

#include <cublas_v2.h>

namespace null = fabricast::null_device;

namespace {

struct Handle {
    cudaStream_t stream = nullptr;
};

/// A matrix that is rows by columns once `operation` has turned it.
null::Matrix matrixOf(
    cudaDataType_t type, cublasOperation_t operation, int rows, int columns, int leading) {
    const bool plain = operation == CUBLAS_OP_N;
    return {type, plain ? rows : columns, plain ? columns : rows, leading};
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    *handle = reinterpret_cast<cublasHandle_t>(new Handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    delete reinterpret_cast<Handle*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    reinterpret_cast<Handle*>(handle)->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle,
                                          const cublasOperation_t onA[],
                                          const cublasOperation_t onB[],
                                          const int m[],
                                          const int n[],
                                          const int k[],
                                          const void*,
                                          const void* const a[],
                                          cudaDataType_t typeOfA,
                                          const int leadingOfA[],
                                          const void* const b[],
                                          cudaDataType_t typeOfB,
                                          const int leadingOfB[],
                                          const void* beta,
                                          void* const c[],
                                          cudaDataType_t typeOfC,
                                          const int leadingOfC[],
                                          int groups,
                                          const int sizes[],
                                          cublasComputeType_t) {
    // As its documentation lists them: no result of another type, and no fp8.
    if (typeOfA != typeOfC || typeOfB != typeOfC || typeOfA == CUDA_R_8F_E4M3) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    double seconds = 3e-6;
    for (int group = 0; group < groups; ++group) {
        if (sizes[group] != 1) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
        seconds +=
            null::multiply({{onA[group], onB[group]},
                            matrixOf(typeOfA, onA[group], m[group], k[group], leadingOfA[group]),
                            matrixOf(typeOfB, onB[group], k[group], n[group], leadingOfB[group]),
                            {typeOfC, m[group], n[group], leadingOfC[group]},
                            static_cast<const char*>(a[group]),
                            static_cast<const char*>(b[group]),
                            static_cast<char*>(c[group]),
                            static_cast<const float*>(beta)[group]});
    }
    null::spend(reinterpret_cast<Handle*>(handle)->stream, seconds);
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
