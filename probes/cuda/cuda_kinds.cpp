#include "probes/cuda/cuda_kinds.h"

#include "probes/cuda/measure_attention.h"
#include "probes/cuda/measure_gemm.h"
#include "probes/cuda/measure_points.h"

#include <array>

namespace fabricast::probe {

std::span<const CudaKind> cudaKinds() {
    static constexpr std::array kKinds = {
        CudaKind{"gemm", checkGemm, measureGemm},
        CudaKind{"grouped_gemm", checkGroupedGemm, measureGroupedGemm},
        CudaKind{"attention", checkAttention, measureAttention},
        CudaKind{"memory", checkMemory, measureMemory},
        CudaKind{"adam", checkAdam, measureAdam},
        CudaKind{"transfer", checkTransfer, measureTransfer},
        CudaKind{"launch", checkLaunch, measureLaunch},
        CudaKind{"footprint", checkFootprint, measureFootprint},
        CudaKind{"overlap", checkOverlap, measureOverlap},
        CudaKind{"sustained", checkSustained, measureSustained},
        CudaKind{"plain", checkPlain, measurePlain},
    };
    return kKinds;
}

Answer<const CudaKind*> cudaKindOf(const Point& point) {
    std::string names;
    for (const CudaKind& kind : cudaKinds()) {
        if (point.what == kind.what) {
            return &kind;
        }
        names += (names.empty() ? "" : ", ") + std::string(kind.what);
    }
    return Trouble{"'" + point.what + "' is nothing that this probe measures; it measures " +
                   names};
}

}  // namespace fabricast::probe
