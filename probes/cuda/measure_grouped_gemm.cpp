#include "probes/cuda/planned_gemm.h"

namespace fabricast::probe {

namespace {

/// What a router that is in balance gives each expert.
struct ExpertsShape {
    GemmShape one;  ///< of the experts that have the most tokens
    std::int64_t experts = 1;
    std::int64_t tokens = 1;
};

Answer<ExpertsShape> expertsOf(const Point& point) {
    ExpertsShape shape;
    for (const auto& [name, size] :
         {std::pair{"experts", &shape.experts}, std::pair{"tokens", &shape.tokens}}) {
        const Answer<std::int64_t> whole = sizeOf(point, name);
        if (!whole) {
            return whole.trouble();
        }
        *size = *whole;
    }
    if (shape.tokens < shape.experts) {
        return Trouble{"grouped_gemm: fewer tokens than experts"};
    }
    // The token count is m, n or k of each product, by the pass.
    Point one = point;
    one.settings.erase("experts");
    one.settings.erase("tokens");
    const std::int64_t rows = (shape.tokens + shape.experts - 1) / shape.experts;
    one.settings["m"] = std::to_string(rows);
    const Answer<GemmShape> product = gemmShapeOf(one);
    if (!product) {
        return product.trouble();
    }
    shape.one = *product;
    if (point.settings.contains("m")) {
        return Trouble{"grouped_gemm has no setting 'm'; it has experts, tokens, n, k"};
    }
    if (shape.one.layout == "nt") {
        // The weight's gradient sums over the tokens: D[n,k] of each expert.
        shape.one.m = shape.one.n;
        shape.one.n = shape.one.k;
        shape.one.k = rows;
    } else if (shape.one.layout == "nn") {
        std::swap(shape.one.n, shape.one.k);
    }
    return shape;
}

/// One product on each expert's operands, as a loop over experts launches them.
Done runExperts(cudaStream_t stream,
                const PlannedGemm& planned,
                std::size_t experts,
                std::size_t call) {
    Done done = std::monostate();
    for (std::size_t expert = 0; done && expert < experts; ++expert) {
        done = planned.run(stream, call * experts + expert);
    }
    return done;
}

}  // namespace

Done checkGroupedGemm(const Point& point) {
    const Answer<ExpertsShape> shape = expertsOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureGroupedGemm(GpuBench& bench, const Point& point) {
    const Answer<ExpertsShape> shape = expertsOf(point);
    if (!shape) {
        return shape.trouble();
    }
    const Answer<PlannedGemm> planned = planGemm(bench, shape->one, shape->experts);
    if (!planned || !planned->refusal.empty()) {
        return planned ? Answer<Measurement>(refusedPoint(point, planned->refusal))
                       : Answer<Measurement>(planned.trouble());
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = bench.timer.sample(
        bench.rule,
        [&, experts = static_cast<std::size_t>(shape->experts)](cudaStream_t stream,
                                                                std::size_t call) {
            return runExperts(stream, *planned, experts, call);
        },
        measurement);
    const auto last = static_cast<std::size_t>(shape->experts - 1);
    const Answer<double> wrong = done ? wrongOnce(bench.timer, *planned, last) : done.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    const auto experts = static_cast<double>(shape->experts);
    measurement.facts["wrong"] = *wrong;
    measurement.facts["flop"] = shape->one.flop() * experts;
    measurement.facts["bytes"] = shape->one.bytes() * experts;
    measurement.words["algorithm"] = "loop of " + planned->product->algorithm();
    return measurement;
}

}  // namespace fabricast::probe
