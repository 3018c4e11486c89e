#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_kernel.h"

namespace fabricast::probe {

namespace {

constexpr cudnnBackendAttributeType_t kDescriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;

/// The first engine that becomes a plan, and the plan.
Answer<std::vector<DnnDescriptor>> firstPlan(cudnnHandle_t handle,
                                             const std::vector<DnnDescriptor>& engines) {
    Done done = Trouble{"cuDNN has no engine"};
    for (const DnnDescriptor& engine : engines) {
        void* const held = engine.get();
        DnnDescriptor planned(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        planned.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
        planned.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, kDescriptor, 1, &held);
        done = planned.finish();
        if (done) {
            return std::vector{engine, planned};
        }
    }
    return done.trouble();
}

Answer<std::size_t> workspaceOf(const DnnDescriptor& plan) {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    const Done done = dnnDone(cudnnBackendGetAttribute(
        plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes));
    return done ? Answer<std::size_t>(static_cast<std::size_t>(bytes)) : done.trouble();
}

/// Numbers of tensors and where each is.
struct Pointers {
    std::vector<std::int64_t> ids;
    std::vector<const void*> places;

    void add(DnnGraph::Tensor tensor, const void* place) {
        ids.push_back(DnnGraph::idOf(tensor));
        places.push_back(place);
    }
};

}  // namespace

Done dnnDone(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS
               ? Done(std::monostate())
               : Done(Trouble{std::string("cuDNN: ") + cudnnGetErrorString(status)});
}

Answer<AttentionKernel> AttentionKernel::plan(cudnnHandle_t handle, AttentionGraph graph) {
    AttentionKernel made;
    made.graph_ = std::move(graph);
    const Answer<std::vector<DnnDescriptor>> engines = made.graph_.graph.engines(handle, nullptr);
    const auto planned = engines ? firstPlan(handle, *engines) : engines.trouble();
    const Answer<std::size_t> bytes = planned ? workspaceOf(planned->back()) : planned.trouble();
    if (!bytes) {
        return bytes.trouble();
    }
    made.planned_ = *planned;
    constexpr std::size_t kSome = 256;  // so that none is no special case
    Answer<DeviceMemory> workspace = deviceMemory(*bytes + kSome);
    if (!workspace) {
        return workspace.trouble();
    }
    made.workspace_ = std::move(*workspace);
    for (const auto& [tensor, between] : made.graph_.between) {
        Answer<DeviceMemory> memory = deviceMemory(aligned(between));
        if (!memory) {
            return memory.trouble();
        }
        made.between_.push_back(std::move(*memory));
    }
    return made;
}

Done AttentionKernel::run(cudnnHandle_t handle,
                          cudaStream_t stream,
                          const AttentionTensors& tensors) const {
    Pointers pointers;
    for (const auto& [tensor, place] : graph_.places) {
        pointers.add(tensor, (tensors.*place).get());
    }
    for (std::size_t at = 0; at < between_.size(); ++at) {
        pointers.add(graph_.between[at].first, between_[at].get());
    }
    for (const auto& [tensor, value] : graph_.graph.numbers()) {
        pointers.add(tensor, value);
    }
    const auto count = static_cast<std::int64_t>(pointers.ids.size());
    void* const scratch = workspace_.get();
    DnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, pointers.ids.data());
    pack.set(
        CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers.places.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &scratch);
    Done done = pack.finish();
    done = done ? dnnDone(cudnnSetStream(handle, stream)) : done;
    return done ? dnnDone(cudnnBackendExecute(handle, planned_.back().get(), pack.get())) : done;
}

}  // namespace fabricast::probe
#endif
