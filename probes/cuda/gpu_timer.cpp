#include "probes/cuda/gpu_timer.h"

#include "probes/cuda/kernels.h"
#include "probes/record/statistics.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace fabricast::probe {

namespace {

constexpr double kBatchSeconds = 400e-6;  ///< of one sample, long against an event's resolution
constexpr std::size_t kMostCalls = 100;
constexpr double kMostHold = 0.02;  ///< for the host to enqueue a batch
constexpr double kLookEvery = 0.01;
constexpr double kDeadline = 60.0;  ///< for one batch

template <class Field>
double medianOf(const std::vector<GpuState>& states, Field field) {
    std::vector<double> values;
    for (const GpuState& state : states) {
        values.push_back(static_cast<double>(state.*field));
    }
    return median(values);
}

}  // namespace

double secondsNow() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
}

Answer<GpuTimer> GpuTimer::make(const GpuFacts& gpu, std::optional<GpuMonitor> nvml) {
    GpuTimer timer;
    timer.nvml_ = nvml;
    Done done = cudaDone(cudaSetDevice(gpu.device), "the GPU");
    done = done ? cudaDone(cudaStreamCreateWithFlags(&timer.stream_, cudaStreamNonBlocking),
                           "a stream")
                : done;
    done = done ? cudaDone(cudaEventCreate(&timer.begin_), "an event") : done;
    done = done ? cudaDone(cudaEventCreate(&timer.end_), "an event") : done;
    return done ? Answer<GpuTimer>(timer) : done.trouble();
}

Done GpuTimer::waitFor(cudaStream_t stream, const std::string& what) {
    const double begin = secondsNow();
    for (;;) {
        const cudaError_t state = cudaStreamQuery(stream);
        if (state != cudaErrorNotReady) {
            return cudaDone(state, what);
        }
        cudaGetLastError();  // "not ready" is kept as an error otherwise
        if (secondsNow() - begin > kDeadline) {
            giveUpOnGpu(what);
        }
        usleep(20);
    }
}

bool GpuTimer::lastWithin(cudaEvent_t from, cudaEvent_t to) const {
    float before = 0.0F;
    float after = 0.0F;
    return cudaEventElapsedTime(&before, from, begin_) == cudaSuccess && before >= 0.0F &&
           cudaEventElapsedTime(&after, end_, to) == cudaSuccess && after >= 0.0F;
}

Answer<double> GpuTimer::batch(const GpuWork& work, std::size_t calls) {
    constexpr double kSpare = 30e-6;
    const double hold = kSpare + 1.5 * enqueueSeconds_ * static_cast<double>(calls);
    holdStream(stream_, static_cast<long>(1e9 * std::min(hold, kMostHold)));
    Done done = cudaDone(cudaEventRecord(begin_, stream_), "an event");
    const double begin = secondsNow();
    for (std::size_t call = 0; done && call < calls; ++call) {
        done = work(stream_, calls_++);
    }
    enqueueSeconds_ = (secondsNow() - begin) / static_cast<double>(calls);
    done = done ? cudaDone(cudaEventRecord(end_, stream_), "an event") : done;
    if (!done) {
        return done.trouble();
    }
    look();
    done = wait("timed work");
    float milliseconds = 0.0F;
    done = done ? cudaDone(cudaEventElapsedTime(&milliseconds, begin_, end_), "the time") : done;
    if (!done) {
        return done.trouble();
    }
    return static_cast<double>(milliseconds) / 1e3 / static_cast<double>(calls);
}

Done GpuTimer::sample(const SampleRule& rule, const GpuWork& work, Measurement& into) {
    // The first call loads code; the second says how many make a stretch.
    Answer<double> first = batch(work, 1);
    first = first ? batch(work, 2) : first;
    if (!first) {
        return first.trouble();
    }
    const double each = std::max(*first, 1e-7);
    const auto calls = static_cast<std::size_t>(
        std::clamp(std::ceil(kBatchSeconds / each), 1.0, static_cast<double>(kMostCalls)));
    const Done warm = warmUp(work, calls);
    Answer<std::vector<double>> samples = warm
                                              ? sampled(rule, 0, [&] { return batch(work, calls); })
                                              : Answer<std::vector<double>>(warm.trouble());
    const Done seen = samples ? lookAtWork(work, each) : Done(samples.trouble());
    if (!seen) {
        return seen;
    }
    into.samples = std::move(*samples);
    into.facts["calls_per_sample"] = static_cast<double>(calls);
    describe(into);
    return std::monostate();
}

/// A chip that was idle takes tens of milliseconds to raise its clock.
Done GpuTimer::warmUp(const GpuWork& work, std::size_t calls) {
    constexpr double kWarmSeconds = 0.05;
    const double begin = secondsNow();
    double busy = 0.0;  // by the GPU's own clock
    while (std::max(busy, secondsNow() - begin) < kWarmSeconds) {
        const Answer<double> each = batch(work, calls);
        if (!each) {
            return each.trouble();
        }
        busy += *each * static_cast<double>(calls);
    }
    return std::monostate();
}

/// A sample is over before NVML has answered, so it looks at work that lasts, and is not recorded.
Done GpuTimer::lookAtWork(const GpuWork& work, double each) {
    constexpr double kLookSeconds = 0.03;
    constexpr double kMostLookedAt = 5000.0;
    const auto calls =
        static_cast<std::size_t>(std::clamp(std::ceil(kLookSeconds / each), 1.0, kMostLookedAt));
    states_.clear();
    lookedAt_ = -1.0;
    Done done = std::monostate();
    for (std::size_t call = 0; done && call < calls; ++call) {
        done = work(stream_, calls_++);
    }
    for (bool works = true; done && works && nvml_;) {
        look();
        works = cudaStreamQuery(stream_) == cudaErrorNotReady;
        usleep(works ? 1000 : 0);
    }
    cudaGetLastError();  // "not ready" is kept as an error otherwise
    return done ? wait("work that is looked at") : done;
}

void GpuTimer::look() {
    if (!nvml_ || secondsNow() - lookedAt_ < kLookEvery) {
        return;
    }
    lookedAt_ = secondsNow();
    states_.push_back(nvml_->state());
}

void GpuTimer::describe(Measurement& into) {
    if (states_.empty()) {
        return;
    }
    std::uint64_t throttled = 0;
    for (const GpuState& state : states_) {
        throttled |= state.throttled;
    }
    into.facts["clock_mhz"] = medianOf(states_, &GpuState::clockMhz);
    into.facts["memory_clock_mhz"] = medianOf(states_, &GpuState::memoryClockMhz);
    into.facts["power_w"] = medianOf(states_, &GpuState::watts);
    into.facts["temperature_c"] = medianOf(states_, &GpuState::temperature);
    const std::string words = throttleWords(throttled);
    if (!words.empty()) {
        into.words["throttled"] = words;
    }
    states_.clear();
}

}  // namespace fabricast::probe
