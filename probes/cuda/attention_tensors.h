#pragma once
#include "probes/cuda/gpu_memory.h"
#include "probes/cuda/measure_attention.h"

namespace fabricast::probe {

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

}  // namespace fabricast::probe
