#include "probes/cuda/measure_points.h"
#include "probes/cuda/memory_work.h"
#include "probes/cuda/pack.h"

namespace fabricast::probe {

namespace {

/// "copy bytes=1G" is one long row.
Answer<MemoryShape> copyShape(const Point& point) {
    const Done known = onlySettings(point);
    const Answer<std::int64_t> bytes = sizeOf(point, "bytes");
    if (!known || !bytes) {
        return known ? bytes.trouble() : known.trouble();
    }
    if (*bytes % static_cast<std::int64_t>(sizeof(Pack)) != 0) {
        return Trouble{"bytes must be a multiple of 16"};
    }
    MemoryShape shape;
    shape.op = "copy";
    // Rows of one pack: the check reads some of them.
    shape.width = Pack::kNumbers;
    shape.rows = *bytes / static_cast<std::int64_t>(sizeof(Pack));
    return shape;
}

Answer<MemoryShape> memoryShapeOf(const Point& point) {
    const Answer<std::string> op = choiceOf(
        point, "op", {"copy", "norm", "swiglu", "rope", "add", "cross_entropy", "cast", "permute"});
    if (!op || *op == "copy") {
        return op ? copyShape(point) : op.trouble();
    }
    MemoryShape shape;
    shape.op = *op;
    const Done known = onlySettings(point);
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    const Answer<std::int64_t> rows = sizeOf(point, "rows", kMost);
    const Answer<std::int64_t> width = sizeOf(point, "width", kMost);
    const Answer<std::int64_t> dim =
        *op == "rope" ? sizeOf(point, "dim", kMost) : Answer<std::int64_t>(Pack::kNumbers);
    for (const Answer<std::int64_t>* size : {&rows, &width, &dim}) {
        if (!known || !*size) {
            return known ? size->trouble() : known.trouble();
        }
    }
    if (*width % Pack::kNumbers != 0 || *dim % Pack::kNumbers != 0 || *width % *dim != 0) {
        return Trouble{*op == "rope" ? "width must be a multiple of dim, and dim of 8"
                                     : "width must be a multiple of 8"};
    }
    shape.rows = *rows;
    shape.width = *width;
    shape.dim = *dim;
    return shape;
}

}  // namespace

Done checkMemory(const Point& point) {
    const Answer<MemoryShape> shape = memoryShapeOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureMemory(GpuBench& bench, const Point& point) {
    const Answer<MemoryShape> shape = memoryShapeOf(point);
    if (!shape) {
        return shape.trouble();
    }
    const std::string refusal = GpuBench::tooLarge(MemoryWork::bytesFor(bench.gpu, *shape));
    if (!refusal.empty()) {
        return refusedPoint(point, refusal);
    }
    const Answer<MemoryWork> work = MemoryWork::make(bench.gpu, *shape);
    if (!work) {
        return work.trouble();
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t call) {
            work->run(stream, call);
            return cudaDone(cudaGetLastError(), "the kernel");
        },
        measurement);
    if (!done) {
        return done.trouble();
    }
    work->run(bench.timer.stream(), 0);
    const Done waited = bench.timer.wait("the kernel");
    const Answer<double> wrong = waited ? work->wrong() : waited.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    measurement.facts["wrong"] = *wrong;
    measurement.facts["sets"] = static_cast<double>(work->sets());
    measurement.facts["bytes"] = shape->bytes();
    measurement.words["algorithm"] = "own kernel";
    return measurement;
}

}  // namespace fabricast::probe
