#include "probes/cuda/attention_kernels.h"

#if FABRICAST_HAS_CUDNN
#include "probes/cuda/planned_attention.h"

#include <optional>

namespace fabricast::probe {

struct FusedAttention::Parts {
    std::shared_ptr<cudnnContext> handle;
    PlannedAttention forward;
    std::optional<PlannedAttention> backward;
};

Answer<FusedAttention> FusedAttention::plan(cudaStream_t stream, const AttentionTensors& tensors) {
    const AttentionShape& shape = tensors.shape;
    cudnnHandle_t handle = nullptr;
    const Done created = dnnDone(cudnnCreate(&handle));
    if (!created) {
        return created.trouble();
    }
    FusedAttention made;
    made.parts_ = std::make_shared<Parts>();
    Parts& parts = *made.parts_;
    parts.handle = {handle, [](cudnnContext* one) { cudnnDestroy(one); }};
    Answer<PlannedAttention> forward =
        PlannedAttention::plan(handle, forwardGraph(shape), stream, tensors);
    if (!forward) {
        return Trouble{"forward: " + forward.trouble().why};
    }
    parts.forward = std::move(*forward);
    if (shape.backward) {
        Answer<PlannedAttention> backward =
            PlannedAttention::plan(handle, backwardGraph(shape), stream, tensors);
        if (!backward) {
            return Trouble{"backward: " + backward.trouble().why};
        }
        parts.backward = std::move(*backward);
    }
    return made;
}

Done FusedAttention::forward(cudaStream_t stream, const AttentionTensors& tensors) const {
    return parts_->forward.run(parts_->handle.get(), stream, tensors);
}

Done FusedAttention::backward(cudaStream_t stream, const AttentionTensors& tensors) const {
    return parts_->backward ? parts_->backward->run(parts_->handle.get(), stream, tensors)
                            : Done(Trouble{"backward was not planned"});
}

Answer<std::size_t> fusedEnginesOn(const std::string& device, const AttentionShape& shape) {
    DnnDescriptor described(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    described.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
                  CUDNN_TYPE_CHAR,
                  static_cast<std::int64_t>(device.size()),
                  device.data());
    const Done finished = described.finish();
    if (!finished) {
        return finished.trouble();
    }
    AttentionGraph graph = shape.backward ? backwardGraph(shape) : forwardGraph(shape);
    const Answer<std::vector<DnnDescriptor>> engines = graph.graph.engines(nullptr, &described);
    return engines ? Answer<std::size_t>(engines->size()) : engines.trouble();
}

}  // namespace fabricast::probe

#else

namespace fabricast::probe {

struct FusedAttention::Parts {};

Answer<FusedAttention> FusedAttention::plan(cudaStream_t, const AttentionTensors&) {
    return Trouble{"built without cuDNN"};
}

Done FusedAttention::forward(cudaStream_t, const AttentionTensors&) const {
    return Trouble{"built without cuDNN"};
}

Done FusedAttention::backward(cudaStream_t, const AttentionTensors&) const {
    return Trouble{"built without cuDNN"};
}

Answer<std::size_t> fusedEnginesOn(const std::string&, const AttentionShape&) {
    return Trouble{"built without cuDNN"};
}

}  // namespace fabricast::probe
#endif
