#include "probes/cuda/measure_points.h"
#include "probes/cuda/planned_gemm.h"

namespace fabricast::probe {

namespace {

constexpr int kCalls = 20;

/// Two events around a loop, on a stream that the host fills as fast as it can.
Answer<double> loopSeconds(cudaStream_t stream, const std::function<Done()>& once) {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    Done done = cudaDone(cudaEventCreate(&begin), "an event");
    done = done ? cudaDone(cudaEventCreate(&end), "an event") : done;
    done = done ? cudaDone(cudaEventRecord(begin, stream), "an event") : done;
    for (int call = 0; done && call < kCalls; ++call) {
        done = once();
    }
    done = done ? cudaDone(cudaEventRecord(end, stream), "an event") : done;
    done = done ? GpuTimer::waitFor(stream, "a plain loop") : done;
    float milliseconds = 0.0F;
    done = done ? cudaDone(cudaEventElapsedTime(&milliseconds, begin, end), "the time") : done;
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return done ? Answer<double>(static_cast<double>(milliseconds) / 1e3 / kCalls) : done.trouble();
}

Answer<Measurement> loopMeasured(GpuBench& bench,
                                 const Point& point,
                                 double bytes,
                                 const std::function<Done()>& once) {
    constexpr int kWarmUps = 2;
    Answer<std::vector<double>> samples =
        sampled(bench.rule, kWarmUps, [&] { return loopSeconds(bench.timer.stream(), once); });
    if (!samples) {
        return samples.trouble();
    }
    Measurement measurement;
    measurement.point = point;
    measurement.samples = std::move(*samples);
    measurement.facts["bytes"] = bytes;
    return measurement;
}

Answer<Measurement> plainGemm(GpuBench& bench, const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    const Answer<PlannedGemm> planned = shape ? planGemm(bench, *shape) : shape.trouble();
    if (!planned) {
        return planned.trouble();
    }
    if (!planned->refusal.empty()) {
        return refusedPoint(point, planned->refusal);
    }
    Answer<Measurement> measurement = loopMeasured(
        bench, point, shape->bytes(), [&] { return planned->run(bench.timer.stream(), 0); });
    if (measurement) {
        measurement->facts["flop"] = shape->flop();
        measurement->words["algorithm"] = planned->product->algorithm();
    }
    return measurement;
}

Answer<Measurement> plainCopy(GpuBench& bench, const Point& point) {
    const Answer<std::int64_t> bytes = sizeOf(point, "bytes");
    if (!bytes) {
        return bytes.trouble();
    }
    const auto size = static_cast<std::size_t>(*bytes);
    const std::string refusal = GpuBench::tooLarge(2.0 * static_cast<double>(size));
    if (!refusal.empty()) {
        return refusedPoint(point, refusal);
    }
    const Answer<DeviceMemory> from = deviceMemory(size);
    const Answer<DeviceMemory> to = deviceMemory(size);
    const Done filled = from ? fillRandom(*from, NumberType::Bf16, 1) : Done(from.trouble());
    if (!to || !filled) {
        return to ? filled.trouble() : to.trouble();
    }
    return loopMeasured(bench, point, 2.0 * static_cast<double>(size), [&] {
        return cudaDone(
            cudaMemcpyAsync(
                to->get(), from->get(), size, cudaMemcpyDeviceToDevice, bench.timer.stream()),
            "a copy");
    });
}

}  // namespace

Done checkPlain(const Point& point) {
    const Answer<std::string> of = choiceOf(point, "of", {"gemm", "copy"});
    if (!of) {
        return of.trouble();
    }
    if (*of == "gemm") {
        const Answer<GemmShape> shape = gemmShapeOf(point);
        return shape ? Done(std::monostate()) : shape.trouble();
    }
    const Done known = onlySettings(point);
    const Answer<std::int64_t> bytes = sizeOf(point, "bytes");
    return !known || bytes ? known : Done(bytes.trouble());
}

Answer<Measurement> measurePlain(GpuBench& bench, const Point& point) {
    return wordOr(point, "of", "") == "gemm" ? plainGemm(bench, point) : plainCopy(bench, point);
}

}  // namespace fabricast::probe
