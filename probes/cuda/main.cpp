#include "probes/cuda/cuda_suites.h"
#include "probes/cuda/gpu_facts.h"
#include "probes/cuda/measure_attention.h"
#include "probes/cuda/measure_gemm.h"
#include "probes/cuda/measure_points.h"
#include "probes/record/probe_program.h"

#include <array>
#include <memory>
#include <span>

namespace fabricast::probe {
namespace {

/// One kind of point: its name, whether a point's settings are sound, and how it is measured.
struct CudaKind {
    const char* what;
    Done (*check)(const Point& point);
    Answer<Measurement> (*measure)(GpuBench& bench, const Point& point);
};

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

/// Trouble where there is no such kind.
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

/// What the command line asks for, and the GPU once it is taken.
struct CudaSession {
    int device = 0;
    bool evenIfBusy = false;
    std::optional<GpuBench> bench;

    Answer<bool> takeFlag(const std::string& flag, const std::string& value);
    Done open();
    [[nodiscard]] Answer<std::string> doctor() const;
};

Answer<bool> CudaSession::takeFlag(const std::string& flag, const std::string& value) {
    if (flag != "--device" && flag != "--even-if-busy") {
        return false;
    }
    const Answer<std::int64_t> number = parseWhole(value);
    const bool sound = number && *number >= 0 && *number < (flag == "--device" ? 1024 : 2);
    if (!sound) {
        return Trouble{
            "'" + value + "' is " +
            (flag == "--device" ? "no number of a GPU: the first is 0" : "neither 0 nor 1")};
    }
    if (flag == "--device") {
        device = static_cast<int>(*number);
    } else {
        evenIfBusy = *number == 1;
    }
    return true;
}

Done CudaSession::open() {
    const GpuBefore before = lookBefore(device);
    if (!before.busy.empty() && !evenIfBusy) {
        return Trouble{"GPU " + std::to_string(device) + " is busy: " + before.busy +
                       "; wait, choose another (--device), or measure --even-if-busy 1"};
    }
    const Answer<GpuFacts> gpu = takeGpu(device);
    if (!gpu) {
        return gpu.trouble();
    }
    const double after = before.nvml ? before.nvml->usedBytes() : -1.0;
    const double context = before.usedBytes >= 0.0 ? after - before.usedBytes : 0.0;
    const Answer<GpuTimer> timer = GpuTimer::make(*gpu, before.nvml);
    if (!timer) {
        return timer.trouble();
    }
    bench.emplace(*gpu, *timer, context);
    bench->evenIfBusy = evenIfBusy;
    return std::monostate();
}

Answer<std::string> CudaSession::doctor() const {
    const GpuBefore before = lookBefore(device);
    const Answer<GpuFacts> gpu = takeGpu(device);
    if (!gpu) {
        return gpu.trouble();
    }
    return gpuReport(*gpu, before.nvml, before.busy) + cudaVersions();
}

Done checkPoint(const Point& point) {
    const Answer<const CudaKind*> kind = cudaKindOf(point);
    return kind ? (*kind)->check(point) : Done(kind.trouble());
}

/// The probe of one GPU: kernels, copies, launches, memory.
ProbeProgram cudaProgram() {
    const auto session = std::make_shared<CudaSession>();
    ProbeProgram program;
    program.name = "fabricast-probe-cuda";
    program.purpose = "measures kernels, copies, launches and memory of one GPU";
    program.moreHelp =
        "  --device N             which GPU, counted from 0\n"
        "  --even-if-busy 1       measure although others compute there\n";
    program.versions = cudaVersions;
    program.doctor = [session] { return session->doctor(); };
    program.suite = cudaSuite;
    program.check = checkPoint;
    program.flag = [session](const std::string& flag, const std::string& value) {
        return session->takeFlag(flag, value);
    };
    program.open = [session] { return session->open(); };
    program.identity = [session] {
        return gpuIdentity(session->bench->gpu, session->bench->timer.nvml());
    };
    program.measure = [session](const Point& point) -> Answer<Measurement> {
        const Answer<const CudaKind*> kind = cudaKindOf(point);
        return kind ? (*kind)->measure(*session->bench, point)
                    : Answer<Measurement>(kind.trouble());
    };
    // What a fault leaves behind (an address that is none) fails every call from then on.
    program.survives = [] {
        cudaGetLastError();
        return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
    };
    program.endsInMidPoint = true;
    program.close = [session] { session->bench.reset(); };
    return program;
}

}  // namespace
}  // namespace fabricast::probe

int main(int argc, char** argv) {
    using namespace fabricast::probe;
    return runProbe(cudaProgram(), std::span<const char* const>(argv + 1, argv + argc));
}
