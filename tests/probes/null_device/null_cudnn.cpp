// cuDNN's backend: objects are kept, and a plan's graph is computed when it runs.
#include "tests/probes/null_device/null_cudnn.h"

#include "tests/probes/null_device/null_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace null = fabricast::null_device;

using null::DnnObject;

namespace {

struct Handle {
    cudaStream_t stream = nullptr;
};

bool plays(const char* what) {
    const char* const text = std::getenv("FABRICAST_NULL_CUDNN");
    return text != nullptr && std::strcmp(text, what) == 0;
}

std::size_t widthOf(cudnnBackendAttributeType_t type) {
    switch (type) {
        case CUDNN_TYPE_BOOLEAN:
        case CUDNN_TYPE_CHAR:
            return 1;
        case CUDNN_TYPE_INT64:
        case CUDNN_TYPE_BACKEND_DESCRIPTOR:
        case CUDNN_TYPE_VOID_PTR:
        case CUDNN_TYPE_HANDLE:
        case CUDNN_TYPE_DOUBLE:
            return 8;
        default:
            return 4;
    }
}

DnnObject& objectOf(cudnnBackendDescriptor_t descriptor) {
    return *static_cast<DnnObject*>(descriptor);
}

const DnnObject& graphOf(const DnnObject& engine) {
    return *engine.object(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
}

/// Rows of the largest tensor of a graph.
std::int64_t longestOf(const DnnObject& graph) {
    std::int64_t longest = 0;
    for (std::size_t at = 0; at < graph.count<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS); ++at) {
        const DnnObject& operation = *graph.object(CUDNN_ATTR_OPERATIONGRAPH_OPS, at);
        if (operation.type == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) {
            const DnnObject& result = *operation.object(CUDNN_ATTR_OPERATION_MATMUL_CDESC);
            longest = std::max(longest, result.at<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, 2));
        }
    }
    return longest;
}

constexpr std::int64_t kEngines = 2;

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() {
    return CUDNN_VERSION;
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    *handle = reinterpret_cast<cudnnHandle_t>(new Handle);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    delete reinterpret_cast<Handle*>(handle);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    reinterpret_cast<Handle*>(handle)->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_EXECUTION_FAILED ? "execution failed" : "not supported";
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
    *descriptor = new DnnObject{type, {}};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    delete static_cast<DnnObject*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       std::int64_t count,
                                       const void* values) {
    const auto* const bytes = static_cast<const char*>(values);
    objectOf(descriptor).values[name] = {bytes,
                                         bytes + static_cast<std::size_t>(count) * widthOf(type)};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    const DnnObject& object = objectOf(descriptor);
    return object.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR && plays("none")
               ? CUDNN_STATUS_NOT_SUPPORTED
               : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t,
                                       std::int64_t most,
                                       std::int64_t* count,
                                       void* values) {
    DnnObject& object = objectOf(descriptor);
    if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
        *static_cast<std::int64_t*>(values) = 0;
        *count = 1;
        return CUDNN_STATUS_SUCCESS;
    }
    constexpr std::int64_t kLongest = 256;
    const DnnObject* const graph = object.object(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    *count = longestOf(*graph) <= kLongest ? std::min(most, kEngines) : 0;
    for (std::int64_t engine = 0; engine < *count; ++engine) {
        DnnObject& made = objectOf(static_cast<void**>(values)[engine]);
        cudnnBackendSetAttribute(
            &made, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
        cudnnBackendSetAttribute(
            &made, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &engine);
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
    const DnnObject& engine = *objectOf(plan).object(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    if (plays("refuses") && engine.at<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) == 0) {
        return CUDNN_STATUS_EXECUTION_FAILED;
    }
    const DnnObject& given = objectOf(pack);
    null::DnnPlaces places;
    for (std::size_t at = 0; at < given.count<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
         ++at) {
        places[given.at<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, at)] =
            given.at<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, at);
    }
    if (null::computes()) {
        null::settle(nullptr, 0);
        null::computeGraph(graphOf(engine), places);
    }
    constexpr double kSeconds = 10e-3;
    null::spend(reinterpret_cast<Handle*>(handle)->stream, kSeconds);
    return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
