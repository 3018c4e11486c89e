#pragma once
#if FABRICAST_HAS_CUDNN
#include "probes/record/answer.h"

#include <cudnn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fabricast::probe {

/// Four sizes or steps of a tensor.
using DnnSizes = std::array<std::int64_t, 4>;

/// What attributes that name other objects are of.
inline constexpr cudnnBackendAttributeType_t kDnnDescriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;

/// Steps of a tensor without gaps, the last size closest.
DnnSizes packedSteps(const DnnSizes& sizes);

/// An object of cuDNN's backend: attributes are set, then it is finished.
class DnnDescriptor {
public:
    explicit DnnDescriptor(cudnnBackendDescriptorType_t type);
    [[nodiscard]] void* get() const { return held_.get(); }
    /// Does nothing after the first that went wrong; `finish` says what did.
    void set(cudnnBackendAttributeName_t name,
             cudnnBackendAttributeType_t type,
             std::int64_t count,
             const void* values);
    Done finish();

private:
    std::shared_ptr<void> held_;
    cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
};

/// Operations on tensors, which cuDNN may join into one kernel. The first trouble is kept until
/// somebody plans the graph.
class DnnGraph {
public:
    using Tensor = std::size_t;

    /// What comes in or goes out; and what only passes between operations.
    Tensor real(cudnnDataType_t type, const DnnSizes& sizes, const DnnSizes& steps);
    /// What blocks of a kernel add to, in the order of rows that they use. Whoever runs the graph
    /// fills it with zeros before each run.
    Tensor gathered(const DnnSizes& sizes);
    Tensor passing(cudnnDataType_t type, const DnnSizes& sizes);
    Tensor passing(cudnnDataType_t type, const DnnSizes& sizes, const DnnSizes& steps);
    /// A number that is part of the graph.
    Tensor number(float value);

    void multiply(Tensor left, Tensor right, Tensor product);
    void reduce(cudnnReduceTensorOp_t how, Tensor from, Tensor to);
    /// The same numbers seen with other sizes or steps.
    void reshape(Tensor from, Tensor to);
    /// Number by number; `second` and `mask` where the mode has such. `axis` is for indices.
    struct Pointwise {
        cudnnPointwiseMode_t mode;
        cudnnDataType_t precision = CUDNN_DATA_FLOAT;
        std::vector<Tensor> inputs;  ///< x, second, mask
        std::int64_t axis = -1;
    };
    void pointwise(const Pointwise& how, Tensor to);

    /// Engines that can run it, best first. Either a handle, or a device that is only described.
    Answer<std::vector<DnnDescriptor>> engines(cudnnHandle_t handle, const DnnDescriptor* device);

    /// The number of a tensor in a plan's list of pointers.
    [[nodiscard]] static std::int64_t idOf(Tensor tensor) {
        return static_cast<std::int64_t>(tensor) + 1;
    }
    /// The graph's own numbers, by tensor, where the host keeps them.
    [[nodiscard]] const std::vector<std::pair<Tensor, const float*>>& numbers() const {
        return numberPlaces_;
    }

private:
    /// How a tensor is kept.
    struct Kept {
        bool real = true;
        bool byValue = false;
        cudnnBackendTensorReordering_t order = CUDNN_TENSOR_REORDERING_NONE;
    };
    Tensor add(cudnnDataType_t type, const DnnSizes& sizes, const DnnSizes& steps, Kept kept);
    void keep(DnnDescriptor operation);
    [[nodiscard]] void* at(Tensor tensor) const { return tensors_[tensor].get(); }

    std::vector<DnnDescriptor> tensors_;
    std::vector<DnnDescriptor> operations_;
    std::vector<DnnDescriptor> parts_;  ///< what operations refer to
    std::deque<float> values_;
    std::vector<std::pair<Tensor, const float*>> numberPlaces_;
    Done trouble_ = std::monostate();
};

}  // namespace fabricast::probe
#endif
