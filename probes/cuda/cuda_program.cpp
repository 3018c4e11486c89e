#include "probes/cuda/cuda_program.h"

#include "probes/cuda/cuda_kinds.h"
#include "probes/cuda/cuda_suites.h"
#include "probes/cuda/gpu_health.h"

#include <array>
#include <memory>

namespace fabricast::probe {

namespace {

/// What the command line asks for, and the GPU once it is taken.
struct CudaSession {
    int device = 0;
    bool evenIfBusy = false;
    std::optional<GpuBench> bench;

    Answer<bool> takeFlag(const std::string& flag, const std::string& value);
    Done open();
    [[nodiscard]] Answer<std::string> doctor() const;
};

std::optional<Nvml> nvmlOf(const GpuFacts& gpu) {
    const Answer<Nvml> nvml = Nvml::open(gpu.bus);
    return nvml ? std::optional(*nvml) : std::nullopt;
}

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

/// What is in use of a GPU's memory before anybody took it; negative where NVML does not say.
double usedBefore(int device) {
    std::array<char, 32> bus{};
    if (cudaDeviceGetPCIBusId(bus.data(), int{bus.size()}, device) != cudaSuccess) {
        cudaGetLastError();
        return -1.0;
    }
    const Answer<Nvml> nvml = Nvml::open(bus.data());
    return nvml ? nvml->usedBytes() : -1.0;
}

Done CudaSession::open() {
    const double before = usedBefore(device);
    const Answer<GpuFacts> gpu = takeGpu(device);
    if (!gpu) {
        return gpu.trouble();
    }
    const std::optional<Nvml> nvml = nvmlOf(*gpu);
    const double after = nvml ? nvml->usedBytes() : -1.0;
    const std::string busy = evenIfBusy ? "" : whoElse(nvml);
    if (!busy.empty()) {
        return Trouble{"GPU " + std::to_string(device) + " is busy: " + busy +
                       "; wait, choose another (--device), or measure --even-if-busy 1"};
    }
    const Answer<GpuTimer> timer = GpuTimer::make(*gpu, nvml);
    if (!timer) {
        return timer.trouble();
    }
    bench.emplace(*gpu, *timer, before >= 0.0 && after > before ? after - before : 0.0);
    return std::monostate();
}

Answer<std::string> CudaSession::doctor() const {
    const Answer<GpuFacts> gpu = takeGpu(device);
    if (!gpu) {
        return gpu.trouble();
    }
    return gpuReport(*gpu, nvmlOf(*gpu)) + cudaVersions();
}

Done checkPoint(const Point& point) {
    const Answer<const CudaKind*> kind = cudaKindOf(point);
    return kind ? (*kind)->check(point) : Done(kind.trouble());
}

}  // namespace

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
    program.close = [session] { session->bench.reset(); };
    return program;
}

}  // namespace fabricast::probe
