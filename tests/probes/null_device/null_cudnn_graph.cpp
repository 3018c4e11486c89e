// The operations of a graph, computed in double precision on the host.
#include "probes/cuda/gemm_shape.h"
#include "tests/probes/null_device/null_cudnn.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast::null_device {

namespace {

using probe::NumberType;
using Sizes = std::array<std::int64_t, 4>;

/// A tensor's numbers, as they lie in memory.
struct Numbers {
    const DnnObject* tensor = nullptr;
    Sizes sizes{};
    Sizes steps{};
    std::vector<double> values;

    [[nodiscard]] std::int64_t id() const {
        return tensor->at<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    }
    /// Where a tensor of one, or of fewer heads, stands for all.
    [[nodiscard]] std::size_t placeOf(const Sizes& at, const Sizes& among) const {
        std::int64_t place = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const std::int64_t shared = std::max<std::int64_t>(among[axis] / sizes[axis], 1);
            place += at[axis] / shared * steps[axis];
        }
        return static_cast<std::size_t>(place);
    }
    double& at(const Sizes& place) { return values[placeOf(place, sizes)]; }
    [[nodiscard]] double at(const Sizes& place, const Sizes& among) const {
        return values[placeOf(place, among)];
    }
};

template <class Work>
void overAll(const Sizes& sizes, const Work& work) {
    for (Sizes at{}; at[0] < sizes[0]; ++at[0]) {
        for (at[1] = 0; at[1] < sizes[1]; ++at[1]) {
            for (at[2] = 0; at[2] < sizes[2]; ++at[2]) {
                for (at[3] = 0; at[3] < sizes[3]; ++at[3]) {
                    work(at);
                }
            }
        }
    }
}

NumberType typeOf(const DnnObject& tensor) {
    return tensor.at<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE) == CUDNN_DATA_BFLOAT16
               ? NumberType::Bf16
               : NumberType::Fp32;
}

double pointwise(cudnnPointwiseMode_t mode, double x, double other, double mask) {
    switch (mode) {
        case CUDNN_POINTWISE_MUL:
            return x * other;
        case CUDNN_POINTWISE_ADD:
            return x + other;
        case CUDNN_POINTWISE_SUB:
            return x - other;
        case CUDNN_POINTWISE_DIV:
            return x / other;
        case CUDNN_POINTWISE_EXP:
            return std::exp(x);
        case CUDNN_POINTWISE_LOG:
            return std::log(x);
        case CUDNN_POINTWISE_CMP_GE:
            return x >= other ? 1.0 : 0.0;
        case CUDNN_POINTWISE_BINARY_SELECT:
            return mask != 0.0 ? x : other;
        default:
            return x;
    }
}

/// What is real comes from memory and goes there; the rest is kept until the graph has run.
class Computing {
public:
    explicit Computing(const DnnPlaces& places) : places_(places) {}

    void run(const DnnObject& operation) {
        switch (operation.type) {
            case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
                return multiply(operation);
            case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
                return reduce(operation);
            case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
                return reshape(operation);
            default:
                return overPoints(operation);
        }
    }

private:
    static Numbers shapeOf(const DnnObject& tensor) {
        Numbers numbers{.tensor = &tensor};
        std::int64_t last = 0;
        for (std::size_t axis = 0; axis < numbers.sizes.size(); ++axis) {
            numbers.sizes[axis] = tensor.at<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, axis);
            numbers.steps[axis] = tensor.at<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES, axis);
            last += (numbers.sizes[axis] - 1) * numbers.steps[axis];
        }
        numbers.values.resize(static_cast<std::size_t>(last) + 1);
        return numbers;
    }
    [[nodiscard]] bool isReal(const DnnObject& tensor) const {
        return !tensor.at<bool>(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
    }

    Numbers taken(const DnnObject& tensor) {
        Numbers numbers = shapeOf(tensor);
        const auto known = passing_.find(numbers.id());
        if (known != passing_.end()) {
            numbers.values = known->second;
            return numbers;
        }
        if (isReal(tensor)) {
            const auto* const from = static_cast<const char*>(places_.at(numbers.id()));
            const NumberType type = typeOf(tensor);
            for (std::size_t at = 0; at < numbers.values.size(); ++at) {
                numbers.values[at] = readNumber(type, from + at * bytesOf(type));
            }
        }
        return numbers;
    }

    void give(const Numbers& numbers) {
        if (!isReal(*numbers.tensor)) {
            passing_[numbers.id()] = numbers.values;
            return;
        }
        auto* const to = static_cast<char*>(places_.at(numbers.id()));
        const NumberType type = typeOf(*numbers.tensor);
        for (std::size_t at = 0; at < numbers.values.size(); ++at) {
            writeNumber(static_cast<float>(numbers.values[at]), type, to + at * bytesOf(type));
        }
    }

    void multiply(const DnnObject& operation) {
        const Numbers left = taken(*operation.object(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
        const Numbers right = taken(*operation.object(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
        const DnnObject& tensor = *operation.object(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
        const bool adds = isReal(tensor) && typeOf(tensor) == NumberType::Fp32;
        Numbers result = adds ? taken(tensor) : shapeOf(tensor);
        const std::int64_t inner = left.sizes[3];
        const Sizes rows = {result.sizes[0], result.sizes[1], result.sizes[2], inner};
        const Sizes columns = {result.sizes[0], result.sizes[1], inner, result.sizes[3]};
        overAll(result.sizes, [&](const Sizes& at) {
            double sum = result.at(at);
            for (std::int64_t k = 0; k < inner; ++k) {
                sum += left.at({at[0], at[1], at[2], k}, rows) *
                       right.at({at[0], at[1], k, at[3]}, columns);
            }
            result.at(at) = sum;
        });
        give(result);
    }

    void reduce(const DnnObject& operation) {
        const Numbers from = taken(*operation.object(CUDNN_ATTR_OPERATION_REDUCTION_XDESC));
        Numbers to = shapeOf(*operation.object(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
        const bool largest = operation.object(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                                 ->at<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR) ==
                             CUDNN_REDUCE_TENSOR_MAX;
        if (largest) {
            std::ranges::fill(to.values, -std::numeric_limits<double>::infinity());
        }
        overAll(from.sizes, [&](const Sizes& at) {
            double& into = to.values[to.placeOf(at, from.sizes)];
            const double value = from.at(at, from.sizes);
            into = largest ? std::max(into, value) : into + value;
        });
        give(to);
    }

    /// The same memory with other sizes or steps.
    void reshape(const DnnObject& operation) {
        Numbers to = shapeOf(*operation.object(CUDNN_ATTR_OPERATION_RESHAPE_YDESC));
        to.values = taken(*operation.object(CUDNN_ATTR_OPERATION_RESHAPE_XDESC)).values;
        give(to);
    }

    void overPoints(const DnnObject& operation) {
        const DnnObject& how = *operation.object(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
        const auto mode = how.at<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
        const auto axis = static_cast<std::size_t>(how.at<std::int64_t>(CUDNN_ATTR_POINTWISE_AXIS));
        std::vector<Numbers> inputs;
        for (const auto name : {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                CUDNN_ATTR_OPERATION_POINTWISE_TDESC}) {
            if (operation.has(name)) {
                inputs.push_back(taken(*operation.object(name)));
            }
        }
        Numbers result = shapeOf(*operation.object(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
        overAll(result.sizes, [&](const Sizes& at) {
            std::array<double, 3> given{};
            for (std::size_t input = 0; input < inputs.size(); ++input) {
                given[input] = inputs[input].at(at, result.sizes);
            }
            result.at(at) = mode == CUDNN_POINTWISE_GEN_INDEX
                                ? static_cast<double>(at[axis])
                                : pointwise(mode, given[0], given[1], given[2]);
        });
        give(result);
    }

    const DnnPlaces& places_;
    std::map<std::int64_t, std::vector<double>> passing_;
};

}  // namespace

void computeGraph(const DnnObject& graph, const DnnPlaces& places) {
    Computing computing(places);
    const std::size_t operations = graph.count<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
    for (std::size_t at = 0; at < operations; ++at) {
        computing.run(*graph.object(CUDNN_ATTR_OPERATIONGRAPH_OPS, at));
    }
}

}  // namespace fabricast::null_device
