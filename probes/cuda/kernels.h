#pragma once
#include <cuda_runtime_api.h>

namespace fabricast::probe {

/// Keeps a stream busy for this long, with one thread that looks at the clock.
void holdStream(cudaStream_t stream, long nanoseconds);

/// A kernel that does nothing.
void launchNothing(cudaStream_t stream);

/// Copies `bytes` (a multiple of 16) again and again with this many thread blocks, about as many
/// times as `rounds` says: what a collective does to the rest of the GPU.
void copyWithBlocks(
    cudaStream_t stream, void* to, const void* from, long bytes, int blocks, int rounds);

}  // namespace fabricast::probe
