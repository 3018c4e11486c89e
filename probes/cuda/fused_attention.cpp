#include "probes/cuda/attention_kernels.h"

#if FABRICAST_HAS_CUDNN
#include "probes/cuda/attention_graph.h"

#include <optional>

namespace fabricast::probe {
namespace {

/// A graph of attention, planned by cuDNN for this GPU.
class PlannedAttention {
public:
    /// Takes the first engine that this GPU has run once, on these tensors: some that become a plan
    /// fail when they run. Trouble where there is none.
    static Answer<PlannedAttention> plan(cudnnHandle_t handle,
                                         AttentionGraph graph,
                                         cudaStream_t stream,
                                         const AttentionTensors& tensors);

    Done run(cudnnHandle_t handle, cudaStream_t stream, const AttentionTensors& tensors) const;

private:
    Done use(cudnnHandle_t handle, const DnnDescriptor& engine);
    [[nodiscard]] Done clear(cudaStream_t stream) const;

    AttentionGraph graph_;
    std::vector<DnnDescriptor> planned_;  ///< the engine, and the plan
    DeviceMemory workspace_;
    std::vector<DeviceMemory> between_;
};

/// What a call of cuDNN says.
Done dnnDone(cudnnStatus_t status);

/// An engine as a plan, which refers to it.
Answer<std::vector<DnnDescriptor>> planOf(cudnnHandle_t handle, const DnnDescriptor& engine) {
    void* const held = engine.get();
    DnnDescriptor planned(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    planned.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    planned.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, kDnnDescriptor, 1, &held);
    const Done done = planned.finish();
    return done ? Answer(std::vector{engine, planned}) : done.trouble();
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

Done dnnDone(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS
               ? Done(std::monostate())
               : Done(Trouble{std::string("cuDNN: ") + cudnnGetErrorString(status)});
}

Done PlannedAttention::use(cudnnHandle_t handle, const DnnDescriptor& engine) {
    const Answer<std::vector<DnnDescriptor>> planned = planOf(handle, engine);
    const Answer<std::size_t> bytes = planned ? workspaceOf(planned->back()) : planned.trouble();
    if (!bytes) {
        return bytes.trouble();
    }
    constexpr std::size_t kSome = 256;  // so that none is no special case
    Answer<DeviceMemory> workspace = deviceMemory(*bytes + kSome);
    if (!workspace) {
        return workspace.trouble();
    }
    planned_ = *planned;
    workspace_ = std::move(*workspace);
    return std::monostate();
}

Answer<PlannedAttention> PlannedAttention::plan(cudnnHandle_t handle,
                                                AttentionGraph graph,
                                                cudaStream_t stream,
                                                const AttentionTensors& tensors) {
    PlannedAttention made;
    made.graph_ = std::move(graph);
    const Answer<std::vector<DnnDescriptor>> engines = made.graph_.graph.engines(handle, nullptr);
    if (!engines) {
        return engines.trouble();
    }
    for (const AttentionGraph::Between& one : made.graph_.between) {
        Answer<DeviceMemory> memory = deviceMemory(aligned(one.bytes));
        if (!memory) {
            return memory.trouble();
        }
        made.between_.push_back(std::move(*memory));
    }
    Done done = Trouble{"cuDNN has no engine"};
    for (const DnnDescriptor& engine : *engines) {
        done = made.use(handle, engine);
        done = done ? made.run(handle, stream, tensors) : done;
        done = done ? GpuTimer::waitFor(stream, "attention") : done;
        if (done) {
            return made;
        }
    }
    return done.trouble();
}

/// Part of every run: training pays for it too.
Done PlannedAttention::clear(cudaStream_t stream) const {
    Done done = std::monostate();
    for (std::size_t at = 0; done && at < between_.size(); ++at) {
        if (graph_.between[at].gathered) {
            done =
                cudaDone(cudaMemsetAsync(between_[at].get(), 0, graph_.between[at].bytes, stream),
                         "an empty gradient");
        }
    }
    return done;
}

Done PlannedAttention::run(cudnnHandle_t handle,
                           cudaStream_t stream,
                           const AttentionTensors& tensors) const {
    Pointers pointers;
    for (const auto& [tensor, place] : graph_.places) {
        pointers.add(tensor, (tensors.*place).get());
    }
    for (std::size_t at = 0; at < between_.size(); ++at) {
        pointers.add(graph_.between[at].tensor, between_[at].get());
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
    done = done ? clear(stream) : done;
    done = done ? dnnDone(cudnnSetStream(handle, stream)) : done;
    return done ? dnnDone(cudnnBackendExecute(handle, planned_.back().get(), pack.get())) : done;
}

}  // namespace

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
