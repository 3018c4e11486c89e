#include "probes/cuda/kernels.h"

namespace fabricast::probe {

namespace {

__device__ long nanosecondsNow() {
    long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void hold(long nanoseconds) {
    const long begin = nanosecondsNow();
    while (nanosecondsNow() - begin < nanoseconds) {
        __nanosleep(200);
    }
}

__global__ void nothing() {}

__global__ void copyRounds(uint4* to, const uint4* from, long count, int rounds) {
    const long step = static_cast<long>(gridDim.x) * blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        for (long at = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; at < count;
             at += step) {
            __stcs(to + at, __ldcs(from + at));
        }
    }
}

}  // namespace

void holdStream(cudaStream_t stream, long nanoseconds) {
    hold<<<1, 1, 0, stream>>>(nanoseconds);
}

void launchNothing(cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
}

void copyWithBlocks(
    cudaStream_t stream, void* to, const void* from, long bytes, int blocks, int rounds) {
    constexpr int kThreads = 512;
    copyRounds<<<blocks, kThreads, 0, stream>>>(static_cast<uint4*>(to),
                                                static_cast<const uint4*>(from),
                                                bytes / static_cast<long>(sizeof(uint4)),
                                                rounds);
}

}  // namespace fabricast::probe
