#pragma once
#include "probes/cuda/gpu_bench.h"

#include <functional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// What a memory operation is asked for.
struct MemoryShape {
    std::string op;
    long rows = 1;
    long width = 8;  ///< numbers of a row of the result
    long dim = 8;    ///< rope: of a head

    [[nodiscard]] double numbers() const {
        return static_cast<double>(rows) * static_cast<double>(width);
    }
    /// Bytes that must be read and written at least.
    [[nodiscard]] double bytes() const;
    /// Numbers of the first operand for each of the result.
    [[nodiscard]] long operandsPerResult() const { return op == "swiglu" ? 2 : 1; }
    [[nodiscard]] NumberType operandType() const {
        return op == "cast" ? NumberType::Fp32 : NumberType::Bf16;
    }
};

/// The arrays of one operation, in as many sets as keep the L2 cache from helping.
class MemoryWork {
public:
    static Answer<MemoryWork> make(const GpuFacts& gpu, const MemoryShape& shape);
    static double bytesFor(const GpuFacts& gpu, const MemoryShape& shape);

    [[nodiscard]] std::size_t sets() const { return sets_; }
    /// Runs it on the set whose turn it is.
    void run(cudaStream_t stream, std::size_t call) const;

    /// How many of some results of the first set are not what the host makes of its operands.
    [[nodiscard]] Answer<double> wrong() const;

private:
    [[nodiscard]] const void* first(std::size_t call) const;
    [[nodiscard]] const void* second(std::size_t call) const;
    [[nodiscard]] void* result(std::size_t call) const;
    [[nodiscard]] Answer<std::vector<double>> expectedRow(long row) const;

    MemoryShape shape_;
    std::size_t sets_ = 1;
    DeviceMemory first_;
    DeviceMemory second_;  ///< the other addend, or the norm's weights
    DeviceMemory results_;
    DeviceMemory turns_;  ///< rope's cosines and sines
    DeviceMemory order_;  ///< permute's rows; cross entropy's right numbers
    std::vector<int> orderHere_;
    std::vector<float> turnsHere_;
};

}  // namespace fabricast::probe
