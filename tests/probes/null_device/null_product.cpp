// Products are computed when their results are read.
#include "tests/probes/null_device/null_product.h"

#include "probes/cuda/gemm_shape.h"
#include "tests/probes/null_device/null_device.h"

#include <algorithm>
#include <array>
#include <string>

namespace fabricast::null_device {

using probe::NumberType;

namespace {

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

double roundedToBf16(double value) {
    std::array<char, 2> bits{};
    writeNumber(static_cast<float>(value), NumberType::Bf16, bits.data());
    return readNumber(NumberType::Bf16, bits.data());
}

void computeEntry(const Product& product,
                  std::int64_t batch,
                  std::int64_t row,
                  std::int64_t column) {
    double sum = 0.0;
    double part = 0.0;
    const std::int64_t parts = splits();
    const std::int64_t each = (product.inner() + parts - 1) / parts;
    for (std::int64_t k = 0; k < product.inner(); ++k) {
        const bool plainA = product.how.onA == CUBLAS_OP_N;
        const bool plainB = product.how.onB == CUBLAS_OP_N;
        part += numberAt(product.a, product.left, batch, plainA ? row : k, plainA ? k : row) *
                numberAt(product.b, product.right, batch, plainB ? k : column, plainB ? column : k);
        if (parts == 1 || k % each == each - 1 || k + 1 == product.inner()) {
            sum += parts == 1 ? part : roundedToBf16(part);
            part = 0.0;
        }
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

int splits() {
    return static_cast<int>(setting("FABRICAST_NULL_LT_SPLIT", 1));
}

double multiply(const Product& product) {
    // What reaches a kernel is whole: the batches of attention.
    if (product.d.batch > 1) {
        defer(keyOf(product), [product] { computeAll(product); });
    } else {
        deferPart(keyOf(product), [product](const char* place, std::size_t bytes) {
            computePart(product, place, bytes);
        });
    }
    constexpr double kRate = 6e14;
    return product.flop() / (product.how.fast ? 2.0 * kRate : kRate);
}

}  // namespace fabricast::null_device
