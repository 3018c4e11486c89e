#pragma once
#include "probes/cuda/gpu.h"
#include "probes/nvml/gpu_monitor.h"
#include "probes/record/run_points.h"
#include "probes/record/statistics.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace fabricast::probe {

/// Puts one piece of work on a stream; called with 0, 1, 2… so that it can take turns among
/// buffers.
using GpuWork = std::function<Done(cudaStream_t stream, std::size_t call)>;

/// How long work takes on the GPU itself: between two events, with as many calls between them as
/// make a fair stretch of time. The stream is held until the host has put all of them there, so
/// that what is timed never waits for the host.
class GpuTimer {
public:
    static Answer<GpuTimer> make(const GpuFacts& gpu, std::optional<GpuMonitor> nvml);

    /// Seconds of one call, sampled until the rule is satisfied, into the measurement, once the
    /// chip is warm; with clocks, power and throttling as they are in the same work right
    /// afterwards.
    Done sample(const SampleRule& rule, const GpuWork& work, Measurement& into);

    /// Seconds of one call in a batch of `calls`.
    Answer<double> batch(const GpuWork& work, std::size_t calls);

    /// Waits until the stream is empty; gives up on a GPU that never finishes.
    Done wait(const std::string& what) const { return waitFor(stream_, what); }
    static Done waitFor(cudaStream_t stream, const std::string& what);

    /// Whether the last batch began after one event and ended before another.
    [[nodiscard]] bool lastWithin(cudaEvent_t from, cudaEvent_t to) const;

    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    [[nodiscard]] const std::optional<GpuMonitor>& nvml() const { return nvml_; }

    /// What was seen of the GPU since the last time it was asked, as facts and words.
    void describe(Measurement& into);
    /// Looks at clocks and power now, unless it was done a moment ago.
    void look();

private:
    Done warmUp(const GpuWork& work, std::size_t calls);
    Done lookAtWork(const GpuWork& work, double each);

    std::optional<GpuMonitor> nvml_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
    std::size_t calls_ = 0;        ///< so far, for the turns
    double enqueueSeconds_ = 0.0;  ///< that the host took for one call, last time
    double lookedAt_ = -1.0;
    std::vector<GpuState> states_;
};

/// Seconds of a clock that never goes back.
double secondsNow();

}  // namespace fabricast::probe
