#include "probes/cuda/measure_gemm.h"

#include <algorithm>
#include <cmath>

namespace fabricast::probe {

namespace {

std::size_t setBytes(const GemmShape& shape) {
    return aligned(shape.inputBytes()) + aligned(shape.weightBytes()) +
           aligned(shape.resultBytes());
}

/// Enough that none of a set is in the cache when its turn comes again.
std::size_t setsFor(const GpuFacts& gpu, const GemmShape& shape, std::int64_t least) {
    return std::max(setsBeyondCache(gpu, setBytes(shape)), static_cast<std::size_t>(least));
}

/// Where the host reads a row of the input, a column of the weight: first number, step.
struct Lane {
    std::size_t first;
    std::size_t step;
};

Lane inputLane(const GemmShape& shape, std::int64_t row) {
    return shape.inputTransposed()
               ? Lane{static_cast<std::size_t>(row), static_cast<std::size_t>(shape.m)}
               : Lane{static_cast<std::size_t>(row * shape.k), 1};
}

Lane weightLane(const GemmShape& shape, std::int64_t column) {
    return shape.weightTransposed()
               ? Lane{static_cast<std::size_t>(column * shape.k), 1}
               : Lane{static_cast<std::size_t>(column), static_cast<std::size_t>(shape.n)};
}

Answer<std::vector<double>> laneNumbers(const GemmShape& shape, const void* matrix, Lane lane) {
    const char* const first = static_cast<const char*>(matrix) + lane.first * bytesOf(shape.type);
    return numbersAt(first, shape.type, static_cast<std::size_t>(shape.k), lane.step);
}

/// The sum of products on the host, and how far the GPU may be from it: the result's own rounding,
/// and that of sums of rounded products.
struct Expected {
    double value = 0.0;
    double slack = 0.0;
};

Expected expectedOf(const GemmShape& shape,
                    int splits,
                    const std::vector<double>& row,
                    const std::vector<double>& column) {
    double sum = 0.0;
    double size = 0.0;
    double squares = 0.0;
    for (std::size_t at = 0; at < row.size(); ++at) {
        sum += row[at] * column[at];
        size += std::abs(row[at] * column[at]);
        squares += row[at] * column[at] * row[at] * column[at];
    }
    // Fp8 multipliers add up with fewer bits than fp32 has; tf32 rounds its operands.
    const double inner = shape.type == NumberType::Tf32  ? std::ldexp(1.0, -10)
                         : shape.type == NumberType::Fp8 ? std::ldexp(1.0, -10)
                                                         : std::ldexp(1.0, -16);
    const double parts = splits > 1 ? splits * std::ldexp(1.0, -8) * std::sqrt(squares) : 0.0;
    return {sum, 2.0 * roundingOf(shape.resultType()) * std::abs(sum) + inner * size + parts};
}

}  // namespace

double GemmOperands::bytesFor(const GpuFacts& gpu, const GemmShape& shape, std::int64_t leastSets) {
    return static_cast<double>(setBytes(shape)) *
           static_cast<double>(setsFor(gpu, shape, leastSets));
}

Answer<GemmOperands> GemmOperands::make(const GpuFacts& gpu,
                                        const GemmShape& shape,
                                        std::int64_t leastSets) {
    GemmOperands operands;
    operands.shape_ = shape;
    operands.sets_ = setsFor(gpu, shape, leastSets);
    Answer<DeviceMemory> inputs = deviceMemory(operands.sets_ * aligned(shape.inputBytes()));
    Answer<DeviceMemory> weights = deviceMemory(operands.sets_ * aligned(shape.weightBytes()));
    Answer<DeviceMemory> results = deviceMemory(operands.sets_ * aligned(shape.resultBytes()));
    for (const Answer<DeviceMemory>* memory : {&inputs, &weights, &results}) {
        if (!*memory) {
            return memory->trouble();
        }
    }
    Done done = fillRandom(*inputs, shape.type, 1);
    done = done ? fillRandom(*weights, shape.type, 2) : done;
    done = done ? cudaDone(cudaMemset(results->get(), 0, results->bytes()), "results") : done;
    done = done ? cudaDone(cudaDeviceSynchronize(), "results") : done;
    if (!done) {
        return done.trouble();
    }
    operands.inputs_ = std::move(*inputs);
    operands.weights_ = std::move(*weights);
    operands.results_ = std::move(*results);
    return operands;
}

const void* GemmOperands::input(std::size_t call) const {
    return inputs_.at(call % sets_ * aligned(shape_.inputBytes()));
}

const void* GemmOperands::weight(std::size_t call) const {
    return weights_.at(call % sets_ * aligned(shape_.weightBytes()));
}

void* GemmOperands::result(std::size_t call) const {
    return results_.at(call % sets_ * aligned(shape_.resultBytes()));
}

Answer<double> wrongEntries(
    const GemmShape& shape, int splits, const void* input, const void* weight, const void* result) {
    constexpr std::int64_t kEntries = 16;
    double wrong = 0.0;
    for (std::int64_t entry = 0; entry < kEntries; ++entry) {
        // Spread over the matrix, the corners among them.
        const std::int64_t row = (shape.m - 1) * entry / (kEntries - 1);
        const std::int64_t column = (shape.n - 1) * (entry * 7 % kEntries) / (kEntries - 1);
        const auto place = static_cast<std::size_t>(row * shape.n + column);
        const NumberType type = shape.resultType();
        const Answer<std::vector<double>> a = laneNumbers(shape, input, inputLane(shape, row));
        const Answer<std::vector<double>> b = laneNumbers(shape, weight, weightLane(shape, column));
        const Answer<std::vector<double>> got =
            numbersAt(static_cast<const char*>(result) + place * bytesOf(type), type, 1, 1);
        for (const Answer<std::vector<double>>* numbers : {&a, &b, &got}) {
            if (!*numbers) {
                return numbers->trouble();
            }
        }
        const Expected expected = expectedOf(shape, splits, *a, *b);
        const bool right = std::abs(got->front() - expected.value) <= expected.slack;
        wrong += right && expected.value != 0.0 ? 0.0 : 1.0;
    }
    return wrong;
}

}  // namespace fabricast::probe
