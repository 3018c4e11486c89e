#pragma once
#include "probes/cuda/adam_ops.h"
#include "probes/cuda/element_ops.h"
#include "probes/cuda/softmax_ops.h"

#include <cuda_runtime_api.h>

namespace fabricast::probe {

/// Runs op(0), op(1)… op(count − 1) on the GPU, for the operations of
/// element_ops.h and adam_ops.h.
template <class Op>
void launchElements(cudaStream_t stream, const Op& op, long count);

/// Runs an operation of row_ops.h or softmax_ops.h on each row, a thread block for each.
template <class Op>
void launchRows(cudaStream_t stream, const Op& op, long rows);

}  // namespace fabricast::probe
