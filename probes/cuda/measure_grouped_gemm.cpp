#include "probes/cuda/expert_streams.h"
#include "probes/cuda/planned_gemm.h"

namespace fabricast::probe {

namespace {

/// What a router that is in balance gives each expert.
struct ExpertsShape {
    GemmShape one;  ///< of the experts that have the most tokens
    std::int64_t experts = 1;
    std::int64_t tokens = 1;
    std::string how;  ///< streams, loop or grouped
};

Answer<ExpertsShape> expertsOf(const Point& point) {
    const Done known = onlySettings(point);
    if (!known) {
        return known.trouble();
    }
    ExpertsShape shape;
    for (const auto& [name, size] :
         {std::pair{"experts", &shape.experts}, std::pair{"tokens", &shape.tokens}}) {
        const Answer<std::int64_t> whole = sizeOf(point, name);
        if (!whole) {
            return whole.trouble();
        }
        *size = *whole;
    }
    const Answer<std::string> how = choiceOf(point, "how", {"streams", "loop", "grouped"}, false);
    if (!how) {
        return how.trouble();
    }
    shape.how = *how;
    if (shape.tokens < shape.experts) {
        return Trouble{"grouped_gemm: fewer tokens than experts"};
    }
    // The token count is m, n or k of each product, by the pass.
    Point one = point;
    one.what = "gemm";
    one.settings.erase("experts");
    one.settings.erase("tokens");
    one.settings.erase("how");
    const std::int64_t rows = (shape.tokens + shape.experts - 1) / shape.experts;
    one.settings["m"] = std::to_string(rows);
    const Answer<GemmShape> product = gemmShapeOf(one);
    if (!product) {
        return product.trouble();
    }
    shape.one = *product;
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

/// The products of all experts as one piece of work, and what that is called.
struct ExpertsWork {
    GpuWork run;
    std::string algorithm;
};

ExpertsWork loopOf(const PlannedGemm& planned, std::size_t experts) {
    const auto run = [&planned, experts](cudaStream_t stream, std::size_t call) {
        Done done = std::monostate();
        for (std::size_t expert = 0; done && expert < experts; ++expert) {
            done = planned.run(stream, call * experts + expert);
        }
        return done;
    };
    return {run, "loop of " + planned.product->algorithm()};
}

/// Trouble where this machine cannot do it so.
Answer<ExpertsWork> workOf(const PlannedGemm& planned, const ExpertsShape& shape) {
    const auto experts = static_cast<std::size_t>(shape.experts);
    if (shape.how == "loop") {
        return loopOf(planned, experts);
    }
    if (shape.how == "grouped") {
        const Answer<GroupedProduct> product = GroupedProduct::make(planned, experts);
        return product ? Answer(ExpertsWork{
                             [product = *product](cudaStream_t stream, std::size_t call) {
                                 return product.run(stream, call);
                             },
                             "cublas grouped"})
                       : product.trouble();
    }
    const Answer<ExpertStreams> streams = ExpertStreams::make(*planned.lt);
    if (!streams) {
        return streams.trouble();
    }
    const auto run = [streams = *streams, &planned, experts](cudaStream_t stream,
                                                             std::size_t call) {
        return streams.run(stream, planned, experts, call);
    };
    return ExpertsWork{
        run,
        std::to_string(ExpertStreams::kStreams) + " streams of " + planned.product->algorithm()};
}

/// Runs it once into empty results, and counts the wrong ones of some entries of the first and the
/// last expert's.
Answer<double> wrongOf(const GpuTimer& timer,
                       const PlannedGemm& planned,
                       const GpuWork& work,
                       std::size_t experts) {
    Done done = std::monostate();
    for (std::size_t expert = 0; done && expert < experts; ++expert) {
        done = cudaDone(
            cudaMemsetAsync(
                planned.operands->result(expert), 0, planned.shape.resultBytes(), timer.stream()),
            "an empty result");
    }
    done = done ? work(timer.stream(), 0) : done;
    done = done ? timer.wait("the experts' multiplies") : done;
    double wrong = 0.0;
    for (const std::size_t expert : {std::size_t{0}, experts - 1}) {
        const Answer<double> some = done ? wrongEntries(planned.shape,
                                                        planned.product->splits(),
                                                        planned.operands->input(expert),
                                                        planned.operands->weight(expert),
                                                        planned.operands->result(expert))
                                         : done.trouble();
        if (!some) {
            return some.trouble();
        }
        wrong += *some;
    }
    return wrong;
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
    const Answer<ExpertsWork> work = workOf(*planned, *shape);
    // What cuBLAS knows no grouped product for it says when it is called.
    const Done tried = work ? work->run(bench.timer.stream(), 0) : Done(work.trouble());
    if (!tried && shape->how == "grouped") {
        return refusedPoint(point, tried.trouble().why);
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = tried ? bench.timer.sample(bench.rule, work->run, measurement) : tried;
    const Answer<double> wrong =
        done ? wrongOf(bench.timer, *planned, work->run, static_cast<std::size_t>(shape->experts))
             : done.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    const auto experts = static_cast<double>(shape->experts);
    measurement.facts["wrong"] = *wrong;
    measurement.facts["flop"] = shape->one.flop() * experts;
    measurement.facts["bytes"] = shape->one.bytes() * experts;
    measurement.words["algorithm"] = work->algorithm;
    return measurement;
}

}  // namespace fabricast::probe
