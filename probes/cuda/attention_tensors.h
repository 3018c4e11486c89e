#pragma once
#include "probes/cuda/gpu_memory.h"
#include "probes/cuda/measure_attention.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast::probe {

/// Bytes of so many numbers in 16 bits.
std::size_t bytesOfHalves(std::int64_t numbers);

/// What attention reads and writes, random at first: heads before tokens, in bf16.
struct AttentionTensors {
    AttentionShape shape;
    DeviceMemory queries, keys, values, outputs;
    DeviceMemory statistics;  ///< of each query the logarithm of its sum of powers, in fp32
    DeviceMemory gradient;    ///< of the outputs
    DeviceMemory queriesGradient, keysGradient, valuesGradient;

    static Answer<AttentionTensors> make(const AttentionShape& shape);
    static double bytesFor(const AttentionShape& shape);

    /// How many of some results are not what the host makes of the same queries, keys and values:
    /// of the outputs, or backward of the three gradients.
    [[nodiscard]] Answer<double> wrong() const;
};

/// One query, and the keys and values of its head, row after row.
struct AttentionRow {
    const std::vector<double>& query;
    const std::vector<double>& keys;
    const std::vector<double>& values;
    std::int64_t reach = 0;                         ///< how many keys it sees
    const std::vector<double>* gradient = nullptr;  ///< of its output
};

/// The query's output, or with a gradient the query's own gradient, in double precision.
std::vector<double> attentionRow(const AttentionRow& row);

/// What a query adds to the gradients of a key and of its value.
struct KeyGradients {
    std::vector<double> key, value;
};
/// `row` has a gradient and reaches as far as the key.
void addKeyGradients(const AttentionRow& row, std::int64_t key, KeyGradients& sums);

}  // namespace fabricast::probe
