#include "probes/cuda/measure_gemm.h"
#include "probes/cuda/measure_points.h"

#include <algorithm>

#if FABRICAST_HAS_CUDNN
#include <cudnn.h>
#endif

namespace fabricast::probe {

namespace {

double freeBytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? static_cast<double>(free) : 0.0;
}

Measurement bytesMeasured(const Point& point, double bytes) {
    return {.point = point, .unit = "B", .samples = {bytes}};
}

/// The library and its first kernel, without the scratch memory that frameworks give it.
Answer<Measurement> ltFootprint(GpuBench& bench, const Point& point) {
    if (bench.ltIsOpen()) {
        return refusedPoint(point, "cuBLASLt was used before: measure this first, or alone");
    }
    GemmShape shape;
    shape.m = shape.n = shape.k = 1024;
    const double before = freeBytes();
    const Answer<const LtHome*> lt = bench.lt();
    if (!lt) {
        return lt.trouble();
    }
    const Answer<LtProduct> product = LtProduct::plan(**lt, shape);
    const Answer<GemmOperands> operands = GemmOperands::make(bench.gpu, shape);
    if (!product || !operands) {
        return product ? operands.trouble() : product.trouble();
    }
    Done done = product->run(
        **lt, bench.timer.stream(), operands->input(0), operands->weight(0), operands->result(0));
    done = done ? bench.timer.wait("the matrix multiply") : done;
    if (!done) {
        return done.trouble();
    }
    const double own =
        GemmOperands::bytesFor(bench.gpu, shape) + static_cast<double>((*lt)->workspace.bytes());
    Measurement measurement = bytesMeasured(point, std::max(before - freeBytes() - own, 0.0));
    measurement.facts["workspace_bytes"] = static_cast<double>((*lt)->workspace.bytes());
    return measurement;
}

Answer<Measurement> dnnFootprint(const Point& point) {
#if FABRICAST_HAS_CUDNN
    const double before = freeBytes();
    cudnnHandle_t handle = nullptr;
    const cudnnStatus_t status = cudnnCreate(&handle);
    if (status != CUDNN_STATUS_SUCCESS) {
        return refusedPoint(point, std::string("cuDNN: ") + cudnnGetErrorString(status));
    }
    const double taken = before - freeBytes();
    cudnnDestroy(handle);
    return bytesMeasured(point, std::max(taken, 0.0));
#else
    return refusedPoint(point, "built without cuDNN");
#endif
}

}  // namespace

Done checkFootprint(const Point& point) {
    const Done known = onlySettings(point);
    const Answer<std::string> of = choiceOf(point, "of", {"context", "cublaslt", "cudnn"});
    return !known || of ? known : Done(of.trouble());
}

Answer<Measurement> measureFootprint(GpuBench& bench, const Point& point) {
    const std::string of = wordOr(point, "of", "");
    if (of == "context") {
        return bench.contextBytes > 0.0
                   ? Answer<Measurement>(bytesMeasured(point, bench.contextBytes))
                   : Answer<Measurement>(
                         refusedPoint(point, "NVML does not say how much memory was used before"));
    }
    return of == "cublaslt" ? ltFootprint(bench, point) : dnnFootprint(point);
}

}  // namespace fabricast::probe
