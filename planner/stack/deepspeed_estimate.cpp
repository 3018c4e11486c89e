#include "planner/stack/deepspeed_estimate.h"

#include "planner/base/checked.h"

#include <algorithm>

namespace fabricast {
namespace {

Result<void> checkQuestion(const DeepspeedQuestion& question) {
    const bool sensible = question.parameters >= 0 && question.largestLayer >= 0 &&
                          question.gpusPerNode >= 1 && question.nodes >= 1;
    if (sensible) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "",
                "DeepSpeed's estimate needs a number of parameters and at least one GPU");
}

/// Host memory with DeepSpeed's additional_buffer_factor of 1.5.
Result<Bytes> withBuffers(Checked bytes, std::int64_t nodes) {
    FABRICAST_ASSIGN(const std::int64_t tripled, (bytes * 3).result("parameters", "bytes"));
    return Bytes(tripled / (2 * nodes));
}

Result<std::int64_t> gpuCount(const DeepspeedQuestion& question) {
    return (Checked(question.gpusPerNode) * question.nodes).result("gpus", "GPUs");
}

/// `perParameter` bytes of every parameter, split over all GPUs.
Result<Bytes> split(const DeepspeedQuestion& question, std::int64_t perParameter) {
    FABRICAST_ASSIGN(const std::int64_t gpus, gpuCount(question));
    FABRICAST_ASSIGN(const std::int64_t bytes,
                     (Checked(question.parameters) * perParameter).result("parameters", "bytes"));
    return Bytes(bytes / gpus);
}

/// Without zero.Init every process of a node builds the whole fp32 model first.
Result<Bytes> hostStage3(const DeepspeedQuestion& question) {
    const Checked build = Checked(question.gpusPerNode) * 4;
    if (!question.offloadOptimizer) {
        const std::int64_t built = question.zeroInit ? question.largestLayer : question.parameters;
        return withBuffers(build * built, 1);
    }
    const std::int64_t perParameter = question.offloadParameters ? 18 : 16;
    FABRICAST_ASSIGN(const Bytes kept,
                     withBuffers(Checked(question.parameters) * perParameter, question.nodes));
    if (question.zeroInit) {
        return kept;
    }
    FABRICAST_ASSIGN(const Bytes whole, withBuffers(build * question.parameters, 1));
    return std::max(kept, whole);
}

}  // namespace

// host 1.5 · P · max(4 G, 16), GPU 2 P;  without offload host 1.5 · 4 P · GPUs per node,
// GPU 2 P + 18 P / G
Result<DeepspeedEstimate> deepspeedEstimateStage2(const DeepspeedQuestion& question) {
    FABRICAST_TRY(checkQuestion(question));
    FABRICAST_ASSIGN(const std::int64_t gpus, gpuCount(question));
    FABRICAST_ASSIGN(const std::int64_t weights,
                     (Checked(question.parameters) * 2).result("parameters", "bytes"));
    DeepspeedEstimate estimate{.gpu = Bytes(weights)};
    if (question.offloadOptimizer) {
        const Checked perParameter = gpus >= 4 ? Checked(gpus) * 4 : Checked(16);
        FABRICAST_ASSIGN(estimate.host, withBuffers(perParameter * question.parameters, 1));
        return estimate;
    }
    FABRICAST_ASSIGN(estimate.host,
                     withBuffers(Checked(question.gpusPerNode) * 4 * question.parameters, 1));
    FABRICAST_ASSIGN(const Bytes states, split(question, 18));
    estimate.gpu += states;
    return estimate;
}

// GPU 4 L + 18 P / G, with the optimizer offloaded 4 L + 2 P / G, with parameters too 4 L
Result<DeepspeedEstimate> deepspeedEstimateStage3(const DeepspeedQuestion& question) {
    FABRICAST_TRY(checkQuestion(question));
    FABRICAST_ASSIGN(const std::int64_t layer,
                     (Checked(question.largestLayer) * 4).result("largest layer", "bytes"));
    DeepspeedEstimate estimate{.gpu = Bytes(layer), .largestLayer = Bytes(layer)};
    FABRICAST_ASSIGN(estimate.host, hostStage3(question));
    const bool nothingLeft = question.offloadOptimizer && question.offloadParameters;
    if (!nothingLeft) {
        FABRICAST_ASSIGN(const Bytes states, split(question, question.offloadOptimizer ? 2 : 18));
        estimate.gpu += states;
    }
    return estimate;
}

}  // namespace fabricast
