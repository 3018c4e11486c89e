#pragma once
#include "planner/spec/cluster_spec.h"

#include <cstdint>

namespace fabricast {

/// Threads that a GPU's multiprocessors hold at once, all together; 0: not known.
std::int64_t residentThreads(const GpuSpec& gpu);

/// This is the memory in which PyTorch puts parts of a sum over rows together (the gradient of a
/// bias, or of a norm's weight), where blocks of threads share the rows of a column: a number for
/// each column, block and thread. 0 where none do, or the GPU is not known.
///     rowSumBytes(tokens, outputs, residentThreads(gpu))
std::int64_t rowSumBytes(std::int64_t rows, std::int64_t columns, std::int64_t threads);

}  // namespace fabricast
