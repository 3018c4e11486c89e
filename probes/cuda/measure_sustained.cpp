#include "probes/cuda/measure_points.h"
#include "probes/cuda/planned_gemm.h"
#include "probes/record/run_points.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kLongest = 3600;

/// Batches back to back for so many seconds. The first half warms the chip and is not kept.
Done keepGoing(GpuBench& bench, const GpuWork& work, double seconds, Measurement& into) {
    constexpr double kBatch = 0.05;
    const Answer<double> once = bench.timer.batch(work, 2);
    if (!once) {
        return once.trouble();
    }
    const auto calls =
        static_cast<std::size_t>(std::clamp(kBatch / std::max(*once, 1e-6), 1.0, 20000.0));
    const double begin = secondsNow();
    double busy = 0.0;  // by the GPU's own clock, which ends it where that one runs ahead
    const auto gone = [&] { return std::max(secondsNow() - begin, busy); };
    double joules = -1.0;
    double since = 0.0;
    const double half = seconds / 2.0;
    Measurement warming;
    while (!interrupted() && gone() < seconds) {
        const Answer<double> each = bench.timer.batch(work, calls);
        if (!each) {
            return each.trouble();
        }
        busy += *each * static_cast<double>(calls);
        if (gone() < half) {
            continue;
        }
        if (into.samples.empty()) {
            bench.timer.describe(warming);
            joules = bench.timer.nvml() ? bench.timer.nvml()->joules() : -1.0;
            since = secondsNow();
        }
        into.samples.push_back(*each);
    }
    bench.timer.describe(into);
    const double after = bench.timer.nvml() ? bench.timer.nvml()->joules() : -1.0;
    const double window = secondsNow() - since;
    if (joules >= 0.0 && after > joules && window > 1.0) {
        into.facts["mean_power_w"] = (after - joules) / window;
    }
    return std::monostate();
}

}  // namespace

Done checkSustained(const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    const Answer<std::int64_t> seconds = sizeOf(point, "seconds", kLongest);
    return !shape ? Done(shape.trouble()) : seconds ? Done(std::monostate()) : seconds.trouble();
}

Answer<Measurement> measureSustained(GpuBench& bench, const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    const Answer<std::int64_t> seconds = sizeOf(point, "seconds", kLongest);
    if (!shape || !seconds) {
        return shape ? seconds.trouble() : shape.trouble();
    }
    const Answer<PlannedGemm> planned = planGemm(bench, *shape);
    if (!planned || !planned->refusal.empty()) {
        return planned ? Answer<Measurement>(refusedPoint(point, planned->refusal))
                       : Answer<Measurement>(planned.trouble());
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = keepGoing(
        bench,
        [&](cudaStream_t stream, std::size_t call) { return planned->run(stream, call); },
        static_cast<double>(*seconds),
        measurement);
    if (!done) {
        return done.trouble();
    }
    measurement.facts["flop"] = shape->flop();
    measurement.facts["bytes"] = shape->bytes();
    measurement.words["algorithm"] = planned->product->algorithm();
    return measurement;
}

}  // namespace fabricast::probe
