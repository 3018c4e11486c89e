#include "probes/cuda/planned_gemm.h"

namespace fabricast::probe {

Answer<PlannedGemm> planGemm(GpuBench& bench, const GemmShape& shape, std::int64_t leastSets) {
    PlannedGemm planned;
    planned.shape = shape;
    planned.refusal = gemmRefusal(bench.gpu, shape);
    if (planned.refusal.empty()) {
        planned.refusal = GpuBench::tooLarge(GemmOperands::bytesFor(bench.gpu, shape, leastSets));
    }
    if (!planned.refusal.empty()) {
        return planned;
    }
    const Answer<const LtHome*> lt = bench.lt();
    if (!lt) {
        return lt.trouble();
    }
    planned.lt = *lt;
    const Answer<LtProduct> product = LtProduct::plan(**lt, shape);
    if (!product) {
        planned.refusal = product.trouble().why;
        return planned;
    }
    planned.product = *product;
    Answer<GemmOperands> operands = GemmOperands::make(bench.gpu, shape, leastSets);
    if (!operands) {
        return operands.trouble();
    }
    planned.operands = std::move(*operands);
    return planned;
}

Answer<double> wrongOnce(const GpuTimer& timer, const PlannedGemm& planned) {
    void* const result = planned.operands->result(0);
    Done done = cudaDone(cudaMemsetAsync(result, 0, planned.shape.resultBytes(), timer.stream()),
                         "an empty result");
    done = done ? planned.run(timer.stream(), 0) : done;
    done = done ? timer.wait("the matrix multiply") : done;
    if (!done) {
        return done.trouble();
    }
    return wrongEntries(planned.shape,
                        planned.product->splits(),
                        planned.operands->input(0),
                        planned.operands->weight(0),
                        result);
}

}  // namespace fabricast::probe
