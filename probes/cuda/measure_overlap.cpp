#include "probes/cuda/kernels.h"
#include "probes/cuda/measure_points.h"
#include "probes/cuda/planned_gemm.h"
#include "probes/record/statistics.h"

#include <algorithm>
#include <cmath>

namespace fabricast::probe {

namespace {

/// Far more than the L2 cache, which a collective's data does not lie in either.
std::size_t copyBytes(const GpuFacts& gpu) {
    constexpr std::size_t kLeast = std::size_t{64} << 20U;
    return std::max(kLeast, aligned(4 * gpu.cache));
}

/// The stream on which the copy runs, and when it began and ended.
class CopyAside {
public:
    CopyAside() = default;
    CopyAside(const CopyAside&) = delete;
    CopyAside& operator=(const CopyAside&) = delete;
    ~CopyAside() {
        if (stream_ != nullptr) {
            cudaStreamDestroy(stream_);
        }
        for (cudaEvent_t event : {began, ended}) {
            if (event != nullptr) {
                cudaEventDestroy(event);
            }
        }
    }

    Done make(const GpuFacts& gpu, int blocks) {
        blocks_ = blocks;
        Answer<DeviceMemory> from = deviceMemory(copyBytes(gpu));
        Answer<DeviceMemory> to = deviceMemory(copyBytes(gpu));
        if (!from || !to) {
            return from ? to.trouble() : from.trouble();
        }
        from_ = std::move(*from);
        to_ = std::move(*to);
        // What moves is to go ahead of a product that fills the chip.
        int least = 0;
        int greatest = 0;
        cudaDeviceGetStreamPriorityRange(&least, &greatest);
        Done done = cudaDone(
            cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "a stream");
        done = done ? cudaDone(cudaEventCreate(&began), "an event") : done;
        return done ? cudaDone(cudaEventCreate(&ended), "an event") : done;
    }

    Done start(int rounds) const {
        Done done = cudaDone(cudaEventRecord(began, stream_), "an event");
        copyWithBlocks(
            stream_, to_.get(), from_.get(), static_cast<long>(from_.bytes()), blocks_, rounds);
        return done ? cudaDone(cudaEventRecord(ended, stream_), "an event") : done;
    }

    /// Seconds of a copy that was started; waits for it.
    Answer<double> seconds(const GpuTimer& timer) const {
        Done done = timer.waitFor(stream_, "the copy");
        float milliseconds = 0.0F;
        done =
            done ? cudaDone(cudaEventElapsedTime(&milliseconds, began, ended), "the time") : done;
        return done ? Answer<double>(static_cast<double>(milliseconds) / 1e3) : done.trouble();
    }

    /// What one round reads and writes.
    [[nodiscard]] double bytes() const { return 2.0 * static_cast<double>(from_.bytes()); }

    cudaEvent_t began = nullptr;
    cudaEvent_t ended = nullptr;

private:
    DeviceMemory from_;
    DeviceMemory to_;
    cudaStream_t stream_ = nullptr;
    int blocks_ = 1;
};

Answer<int> blocksOf(const Point& point) {
    constexpr std::int64_t kMost = 128;
    const Answer<std::int64_t> blocks = sizeOf(point, "ctas", kMost);
    return blocks ? Answer<int>(static_cast<int>(*blocks)) : blocks.trouble();
}

/// What one batch beside the copy gave: the product's time, the copy's, and whether the copy ran
/// from before the first product to after the last.
struct Beside {
    double product = 0.0;
    double copy = 0.0;
    bool covered = false;
};

Answer<Beside> besideOnce(
    GpuBench& bench, const CopyAside& aside, const GpuWork& work, std::size_t calls, int rounds) {
    const Done started = aside.start(rounds);
    const Answer<double> product = started ? bench.timer.batch(work, calls) : started.trouble();
    const Answer<double> copy = product ? aside.seconds(bench.timer) : product.trouble();
    if (!copy) {
        return copy.trouble();
    }
    return Beside{*product, *copy, bench.timer.lastWithin(aside.began, aside.ended)};
}

/// Seconds of one round while nothing else runs: the first rounds load code and warm the chip.
Answer<double> aloneOnce(const GpuBench& bench, const CopyAside& aside) {
    constexpr int kRounds = 4;
    constexpr int kWarmUps = 3;
    const Answer<std::vector<double>> seconds =
        sampled(bench.rule, kWarmUps, [&]() -> Answer<double> {
            const Done started = aside.start(kRounds);
            return started ? aside.seconds(bench.timer) : started.trouble();
        });
    if (!seconds || seconds->empty()) {
        return seconds ? Trouble{"interrupted"} : seconds.trouble();
    }
    return median(*seconds) / kRounds;
}

/// Samples of the product while the copy runs. The copy is made longer until it covers a batch.
Done sampleBeside(
    GpuBench& bench, const CopyAside& aside, const GpuWork& work, double alone, Measurement& into) {
    constexpr double kBatch = 2e-3;
    const auto calls = static_cast<std::size_t>(std::clamp(kBatch / alone, 1.0, 100.0));
    const Answer<double> round = aloneOnce(bench, aside);
    if (!round) {
        return round.trouble();
    }
    const double wanted = 2.0 * alone * static_cast<double>(calls) / *round;
    int rounds = static_cast<int>(std::clamp(std::ceil(wanted), 1.0, 1e6));
    double copied = 0.0;
    int uncovered = 0;
    Answer<std::vector<double>> samples = sampled(bench.rule, 2, [&]() -> Answer<double> {
        for (;;) {
            const Answer<Beside> beside = besideOnce(bench, aside, work, calls, rounds);
            if (!beside) {
                return beside.trouble();
            }
            if (beside->covered) {
                copied = aside.bytes() * rounds / beside->copy;
                return beside->product;
            }
            constexpr int kTries = 12;
            if (++uncovered > kTries) {
                return Trouble{"the copy never ran beside the product"};
            }
            rounds *= 2;
        }
    });
    if (!samples) {
        return samples.trouble();
    }
    into.samples = std::move(*samples);
    into.facts["copy_bytes_per_s"] = copied;
    into.facts["copy_alone_bytes_per_s"] = aside.bytes() / *round;
    return std::monostate();
}

}  // namespace

Done checkOverlap(const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    const Answer<int> blocks = blocksOf(point);
    return !shape ? Done(shape.trouble()) : blocks ? Done(std::monostate()) : blocks.trouble();
}

Answer<Measurement> measureOverlap(GpuBench& bench, const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    const Answer<int> blocks = blocksOf(point);
    if (!shape || !blocks) {
        return shape ? blocks.trouble() : shape.trouble();
    }
    const Answer<PlannedGemm> planned = planGemm(bench, *shape);
    if (!planned || !planned->refusal.empty()) {
        return planned ? Answer<Measurement>(refusedPoint(point, planned->refusal))
                       : Answer<Measurement>(planned.trouble());
    }
    CopyAside aside;
    Done done = aside.make(bench.gpu, *blocks);
    const GpuWork work = [&](cudaStream_t stream, std::size_t call) {
        return planned->run(stream, call);
    };
    Measurement alone;
    Measurement measurement;
    measurement.point = point;
    done = done ? bench.timer.sample(bench.rule, work, alone) : done;
    if (!done || alone.samples.empty()) {
        return done ? Answer<Measurement>(measurement) : Answer<Measurement>(done.trouble());
    }
    const double seconds = median(alone.samples);
    done = sampleBeside(bench, aside, work, seconds, measurement);
    if (!done) {
        return done.trouble();
    }
    bench.timer.describe(measurement);
    measurement.facts["alone_s"] = seconds;
    measurement.facts["flop"] = shape->flop();
    measurement.facts["bytes"] = shape->bytes();
    measurement.words["algorithm"] = planned->product->algorithm();
    return measurement;
}

}  // namespace fabricast::probe
