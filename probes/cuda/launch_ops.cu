#include "probes/cuda/launch_ops.h"

namespace fabricast::probe {

namespace {

constexpr int kElementThreads = 256;
constexpr int kRowThreads = 256;
constexpr int kWarp = 32;

}  // namespace

// The names of both kernels hold those of their operations, by which a test knows them.
template <class Op>
__global__ void overElements(Op op, long count) {
    const long at = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < count) {
        op(at);
    }
}

template <class Op>
__global__ void overRows(Op op, long) {
    __shared__ RowSeen warps[kRowThreads / kWarp];
    const long row = blockIdx.x;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    bool any = false;
    RowSeen seen = {0.0F, 0.0F};
    for (long pack = threadIdx.x; pack < op.packs; pack += kRowThreads) {
        const RowSeen more = op.see(row, pack);
        seen = any ? Op::join(seen, more) : more;
        any = true;
    }
    if (!any) {
        seen = rowNothing();
    }
    for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) {
        const RowSeen other = {__shfl_down_sync(0xFFFFFFFFU, seen.largest, lanes),
                               __shfl_down_sync(0xFFFFFFFFU, seen.sum, lanes)};
        seen = Op::join(seen, other);
    }
    if (threadIdx.x % kWarp == 0) {
        warps[warp] = seen;
    }
    __syncthreads();
    RowSeen all = warps[0];
    for (int other = 1; other < kRowThreads / kWarp; ++other) {
        all = Op::join(all, warps[other]);
    }
    for (long pack = threadIdx.x; pack < op.packs; pack += kRowThreads) {
        op.write(row, pack, all);
    }
}

template <class Op>
void launchElements(cudaStream_t stream, const Op& op, long count) {
    const auto blocks = static_cast<unsigned>((count + kElementThreads - 1) / kElementThreads);
    overElements<<<blocks, kElementThreads, 0, stream>>>(op, count);
}

template <class Op>
void launchRows(cudaStream_t stream, const Op& op, long rows) {
    overRows<<<static_cast<unsigned>(rows), kRowThreads, 0, stream>>>(op, rows);
}

template void launchElements(cudaStream_t, const CopyPacks&, long);
template void launchElements(cudaStream_t, const AddPacks&, long);
template void launchElements(cudaStream_t, const SwigluPacks&, long);
template void launchElements(cudaStream_t, const RopePacks&, long);
template void launchElements(cudaStream_t, const CastPacks&, long);
template void launchElements(cudaStream_t, const PermutePacks&, long);
template void launchElements(cudaStream_t, const AdamFlat&, long);
template void launchElements(cudaStream_t, const AdamList&, long);
template void launchRows(cudaStream_t, const NormRows&, long);
template void launchRows(cudaStream_t, const SoftmaxRows&, long);
template void launchRows(cudaStream_t, const SoftmaxGradientRows&, long);

}  // namespace fabricast::probe
