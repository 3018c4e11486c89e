#pragma once
#include <cublasLt.h>

#include <cstdint>

namespace fabricast::null_device {

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
    bool fast = false;  ///< twice as fast
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

/// Parts along k that a product is made of (FABRICAST_NULL_LT_SPLIT).
int splits();

/// Computes it when the result is read; the seconds that it takes.
double multiply(const Product& product);

}  // namespace fabricast::null_device
