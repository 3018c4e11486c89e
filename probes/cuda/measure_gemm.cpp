#include "probes/cuda/measure_gemm.h"

#include "probes/cuda/planned_gemm.h"

namespace fabricast::probe {

Answer<GemmShape> gemmShapeOf(const Point& point) {
    const Done known = onlySettings(point);
    if (!known) {
        return known.trouble();
    }
    const Answer<std::string> dtype =
        choiceOf(point, "dtype", {"bf16", "fp16", "tf32", "fp32", "fp8"});
    const Answer<std::string> layout = choiceOf(point, "layout", {"tn", "nn", "nt"}, false);
    const Answer<std::string> accumulate = choiceOf(point, "accumulate", {"0", "1"}, false);
    const Answer<std::string> fast = choiceOf(point, "fast_accum", {"0", "1"}, false);
    for (const Answer<std::string>* word : {&dtype, &layout, &accumulate, &fast}) {
        if (!*word) {
            return word->trouble();
        }
    }
    GemmShape shape;
    shape.type = *numberTypeOf(*dtype);
    shape.layout = *layout;
    shape.accumulate = *accumulate == "1";
    shape.fastSums = *fast == "1";
    if (shape.fastSums && shape.type != NumberType::Fp8) {
        return Trouble{"fast_accum=1 is for dtype=fp8"};
    }
    for (const auto& [name, size] :
         {std::pair{"m", &shape.m}, std::pair{"n", &shape.n}, std::pair{"k", &shape.k}}) {
        constexpr std::int64_t kMost = std::int64_t{1} << 24;
        const Answer<std::int64_t> whole = sizeOf(point, name, kMost);
        if (!whole) {
            return whole.trouble();
        }
        *size = *whole;
    }
    return shape;
}

std::string gemmRefusal(const GpuFacts& gpu, const GemmShape& shape) {
    const std::string chip = "sm_" + std::to_string(gpu.capability);
    constexpr int kFirstFp8 = 89;
    constexpr int kFirstFreeLayout = 100;
    if (shape.type == NumberType::Fp8 && gpu.capability < kFirstFp8) {
        return "no fp8 on " + chip;
    }
    if (shape.type == NumberType::Fp8 && gpu.capability < kFirstFreeLayout &&
        shape.layout != "tn") {
        return "fp8 only as layout=tn on " + chip;
    }
    return GpuBench::tooLarge(GemmOperands::bytesFor(gpu, shape));
}

Done checkGemm(const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureGemm(GpuBench& bench, const Point& point) {
    const Answer<GemmShape> shape = gemmShapeOf(point);
    if (!shape) {
        return shape.trouble();
    }
    const Answer<PlannedGemm> planned = planGemm(bench, *shape);
    if (!planned || !planned->refusal.empty()) {
        return planned ? Answer<Measurement>(refusedPoint(point, planned->refusal))
                       : Answer<Measurement>(planned.trouble());
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t call) { return planned->run(stream, call); },
        measurement);
    const Answer<double> wrong = done ? wrongOnce(bench.timer, *planned) : done.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    measurement.facts["wrong"] = *wrong;
    measurement.facts["sets"] = static_cast<double>(planned->operands->sets());
    measurement.facts["flop"] = shape->flop();
    measurement.facts["bytes"] = shape->bytes();
    measurement.words["algorithm"] = planned->product->algorithm();
    return measurement;
}

}  // namespace fabricast::probe
