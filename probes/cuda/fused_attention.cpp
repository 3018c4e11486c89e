#include "probes/cuda/fused_attention.h"

#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"
#include "probes/cuda/gpu.h"

namespace fabricast::probe {

namespace {

constexpr cudnnBackendAttributeType_t kDescriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;

Done dnnDone(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS
               ? Done(std::monostate())
               : Done(Trouble{std::string("cuDNN: ") + cudnnGetErrorString(status)});
}

/// The first engine that becomes a plan, and the plan.
Answer<std::pair<DnnDescriptor, DnnDescriptor>> firstPlan(
    cudnnHandle_t handle, const std::vector<DnnDescriptor>& engines) {
    Done done = Trouble{"cuDNN has no engine"};
    for (const DnnDescriptor& engine : engines) {
        void* const held = engine.get();
        DnnDescriptor planned(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        planned.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
        planned.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, kDescriptor, 1, &held);
        done = planned.finish();
        if (done) {
            return std::pair(engine, planned);
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

}  // namespace

struct FusedAttention::Parts {
    explicit Parts(const AttentionShape& shape) : graph(shape) {}

    std::shared_ptr<cudnnContext> handle;
    AttentionGraph graph;
    std::vector<DnnDescriptor> planned;  ///< the engine, and the plan
    DeviceMemory workspace;
    DeviceMemory statistics;
};

Answer<FusedAttention> FusedAttention::plan(const AttentionShape& shape) {
    cudnnHandle_t handle = nullptr;
    const Done created = dnnDone(cudnnCreate(&handle));
    if (!created) {
        return created.trouble();
    }
    FusedAttention made;
    made.parts_ = std::make_shared<Parts>(shape);
    Parts& parts = *made.parts_;
    parts.handle = {handle, [](cudnnContext* one) { cudnnDestroy(one); }};
    const Answer<std::vector<DnnDescriptor>> engines = parts.graph.graph.engines(handle, nullptr);
    if (!engines) {
        return engines.trouble();
    }
    const auto planned = firstPlan(handle, *engines);
    const Answer<std::size_t> bytes = planned ? workspaceOf(planned->second) : planned.trouble();
    if (!bytes) {
        return bytes.trouble();
    }
    parts.planned = {planned->first, planned->second};
    constexpr std::size_t kSome = 256;  // so that none is no special case
    Answer<DeviceMemory> workspace = deviceMemory(*bytes + kSome);
    Answer<DeviceMemory> statistics = deviceMemory(
        static_cast<std::size_t>(shape.batch * shape.heads * shape.sequence) * sizeof(float));
    if (!workspace || !statistics) {
        return workspace ? statistics.trouble() : workspace.trouble();
    }
    parts.workspace = std::move(*workspace);
    parts.statistics = std::move(*statistics);
    return made;
}

Done FusedAttention::run(cudaStream_t stream, const AttentionTensors& tensors) const {
    const AttentionGraph& graph = parts_->graph;
    std::vector<std::int64_t> ids;
    std::vector<const void*> places;
    const auto add = [&](DnnGraph::Tensor tensor, const void* place) {
        ids.push_back(DnnGraph::idOf(tensor));
        places.push_back(place);
    };
    add(graph.queries, tensors.queries.get());
    add(graph.keys, tensors.keys.get());
    add(graph.values, tensors.values.get());
    add(graph.outputs, tensors.outputs.get());
    add(graph.statistics, parts_->statistics.get());
    for (const auto& [tensor, value] : graph.graph.numbers()) {
        add(tensor, value);
    }
    const auto count = static_cast<std::int64_t>(ids.size());
    void* const scratch = parts_->workspace.get();
    DnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, places.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &scratch);
    Done done = pack.finish();
    cudnnHandle_t handle = parts_->handle.get();
    done = done ? dnnDone(cudnnSetStream(handle, stream)) : done;
    return done ? dnnDone(cudnnBackendExecute(handle, parts_->planned.back().get(), pack.get()))
                : done;
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
    AttentionGraph graph(shape);
    const Answer<std::vector<DnnDescriptor>> engines = graph.graph.engines(nullptr, &described);
    return engines ? Answer<std::size_t>(engines->size()) : engines.trouble();
}

}  // namespace fabricast::probe

#else

namespace fabricast::probe {

struct FusedAttention::Parts {};

Answer<FusedAttention> FusedAttention::plan(const AttentionShape&) {
    return Trouble{"built without cuDNN"};
}

Done FusedAttention::run(cudaStream_t, const AttentionTensors&) const {
    return Trouble{"built without cuDNN"};
}

Answer<std::size_t> fusedEnginesOn(const std::string&, const AttentionShape&) {
    return Trouble{"built without cuDNN"};
}

}  // namespace fabricast::probe
#endif
