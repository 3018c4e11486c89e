#if FABRICAST_HAS_CUDNN
#include "probes/cuda/dnn_graph.h"

namespace fabricast::probe {

DnnSizes packedSteps(const DnnSizes& sizes) {
    DnnSizes steps{};
    std::int64_t step = 1;
    for (std::size_t at = sizes.size(); at-- > 0;) {
        steps[at] = step;
        step *= sizes[at];
    }
    return steps;
}

namespace {

/// What a chooser that is finished proposes.
Answer<std::vector<DnnDescriptor>> enginesOf(const DnnDescriptor& chooser) {
    constexpr std::int64_t kMost = 8;
    std::vector<DnnDescriptor> engines;
    std::vector<void*> found;
    for (std::int64_t engine = 0; engine < kMost; ++engine) {
        engines.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        found.push_back(engines.back().get());
    }
    std::int64_t got = 0;
    const cudnnStatus_t status = cudnnBackendGetAttribute(
        chooser.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, kDnnDescriptor, kMost, &got, found.data());
    if (status != CUDNN_STATUS_SUCCESS || got == 0) {
        return Trouble{status == CUDNN_STATUS_SUCCESS
                           ? std::string("cuDNN has no engine")
                           : std::string("cuDNN: ") + cudnnGetErrorString(status)};
    }
    engines.erase(engines.begin() + got, engines.end());
    return engines;
}

}  // namespace

DnnDescriptor::DnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    status_ = cudnnBackendCreateDescriptor(type, &made);
    if (made != nullptr) {
        held_ = {made, [](void* one) { cudnnBackendDestroyDescriptor(one); }};
    }
}

void DnnDescriptor::set(cudnnBackendAttributeName_t name,
                        cudnnBackendAttributeType_t type,
                        std::int64_t count,
                        const void* values) {
    if (status_ == CUDNN_STATUS_SUCCESS) {
        status_ = cudnnBackendSetAttribute(get(), name, type, count, values);
    }
}

Done DnnDescriptor::finish() {
    if (status_ == CUDNN_STATUS_SUCCESS) {
        status_ = cudnnBackendFinalize(get());
    }
    if (status_ == CUDNN_STATUS_SUCCESS) {
        return std::monostate();
    }
    return Trouble{std::string("cuDNN: ") + cudnnGetErrorString(status_)};
}

DnnGraph::Tensor DnnGraph::add(cudnnDataType_t type,
                               const DnnSizes& sizes,
                               const DnnSizes& steps,
                               Kept kept) {
    const std::int64_t id = idOf(tensors_.size());
    const std::int64_t alignment = 16;
    const bool isPassing = !kept.real;
    DnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes.data());
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, steps.data());
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &isPassing);
    tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &kept.byValue);
    if (kept.order != CUDNN_TENSOR_REORDERING_NONE) {
        tensor.set(
            CUDNN_ATTR_TENSOR_REORDERING_MODE, CUDNN_TYPE_TENSOR_REORDERING_MODE, 1, &kept.order);
    }
    const Done finished = tensor.finish();
    trouble_ = trouble_ ? finished : trouble_;
    tensors_.push_back(std::move(tensor));
    return tensors_.size() - 1;
}

DnnGraph::Tensor DnnGraph::real(cudnnDataType_t type,
                                const DnnSizes& sizes,
                                const DnnSizes& steps) {
    return add(type, sizes, steps, {});
}

DnnGraph::Tensor DnnGraph::gathered(const DnnSizes& sizes) {
    return add(
        CUDNN_DATA_FLOAT, sizes, packedSteps(sizes), {.order = CUDNN_TENSOR_REORDERING_F16x16});
}

DnnGraph::Tensor DnnGraph::passing(cudnnDataType_t type, const DnnSizes& sizes) {
    return passing(type, sizes, packedSteps(sizes));
}

DnnGraph::Tensor DnnGraph::passing(cudnnDataType_t type,
                                   const DnnSizes& sizes,
                                   const DnnSizes& steps) {
    return add(type, sizes, steps, {.real = false});
}

DnnGraph::Tensor DnnGraph::number(float value) {
    values_.push_back(value);
    const Tensor tensor = add(CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, {.byValue = true});
    numberPlaces_.emplace_back(tensor, &values_.back());
    return tensor;
}

void DnnGraph::keep(DnnDescriptor operation) {
    const Done finished = operation.finish();
    trouble_ = trouble_ ? finished : trouble_;
    operations_.push_back(std::move(operation));
}

void DnnGraph::multiply(Tensor left, Tensor right, Tensor product) {
    const cudnnDataType_t precision = CUDNN_DATA_FLOAT;
    DnnDescriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &precision);
    const Done finished = how.finish();
    trouble_ = trouble_ ? finished : trouble_;
    void* const parts[] = {at(left), at(right), at(product), how.get()};
    DnnDescriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, kDnnDescriptor, 1, &parts[0]);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, kDnnDescriptor, 1, &parts[1]);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, kDnnDescriptor, 1, &parts[2]);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, kDnnDescriptor, 1, &parts[3]);
    parts_.push_back(std::move(how));
    keep(std::move(operation));
}

void DnnGraph::reduce(cudnnReduceTensorOp_t how, Tensor from, Tensor to) {
    const cudnnDataType_t precision = CUDNN_DATA_FLOAT;
    DnnDescriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    reduction.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &how);
    reduction.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &precision);
    const Done finished = reduction.finish();
    trouble_ = trouble_ ? finished : trouble_;
    void* const parts[] = {at(from), at(to), reduction.get()};
    DnnDescriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, kDnnDescriptor, 1, &parts[0]);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, kDnnDescriptor, 1, &parts[1]);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, kDnnDescriptor, 1, &parts[2]);
    parts_.push_back(std::move(reduction));
    keep(std::move(operation));
}

void DnnGraph::reshape(Tensor from, Tensor to) {
    void* const parts[] = {at(from), at(to)};
    DnnDescriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, kDnnDescriptor, 1, &parts[0]);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, kDnnDescriptor, 1, &parts[1]);
    keep(std::move(operation));
}

void DnnGraph::pointwise(const Pointwise& how, Tensor to) {
    DnnDescriptor mode(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    mode.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &how.mode);
    mode.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &how.precision);
    if (how.axis >= 0) {
        mode.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &how.axis);
    }
    const Done finished = mode.finish();
    trouble_ = trouble_ ? finished : trouble_;
    constexpr cudnnBackendAttributeName_t kInputs[] = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                                       CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                                       CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
    DnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    void* part = mode.get();
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kDnnDescriptor, 1, &part);
    for (std::size_t input = 0; input < how.inputs.size(); ++input) {
        part = at(how.inputs[input]);
        operation.set(kInputs[input], kDnnDescriptor, 1, &part);
    }
    part = at(to);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, kDnnDescriptor, 1, &part);
    parts_.push_back(std::move(mode));
    keep(std::move(operation));
}

Answer<std::vector<DnnDescriptor>> DnnGraph::engines(cudnnHandle_t handle,
                                                     const DnnDescriptor* device) {
    std::vector<void*> operations;
    for (const DnnDescriptor& operation : operations_) {
        operations.push_back(operation.get());
    }
    const auto count = static_cast<std::int64_t>(operations.size());
    DnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, kDnnDescriptor, count, operations.data());
    if (device == nullptr) {
        graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    }
    const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    void* const held = graph.get();
    Done done = trouble_ ? graph.finish() : trouble_;
    DnnDescriptor chooser(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    chooser.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, kDnnDescriptor, 1, &held);
    chooser.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    if (device != nullptr) {
        void* const described = device->get();
        chooser.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, kDnnDescriptor, 1, &described);
    }
    done = done ? chooser.finish() : done;
    if (!done) {
        return done.trouble();
    }
    Answer<std::vector<DnnDescriptor>> found = enginesOf(chooser);
    parts_.push_back(std::move(graph));
    parts_.push_back(std::move(chooser));
    return found;
}

}  // namespace fabricast::probe
#endif
