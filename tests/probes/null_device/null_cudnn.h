#pragma once
#include <cudnn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

/// cuDNN without a GPU: a graph is kept as it was described, and computed operation by operation on
/// the host when a plan runs. As on a GPU, blocks of a kernel add into a tensor that a product
/// leaves in memory in fp32: what lay there stays part of the result. Told by the environment:
///   FABRICAST_NULL_CUDNN=none     it has no engine
///   FABRICAST_NULL_CUDNN=refuses  its first engine becomes a plan, and fails when it runs
/// It has engines for up to 256 queries, since a longer sequence takes a host minutes.
namespace fabricast::null_device {

/// An object of the backend: bytes by attribute, and the objects that it refers to.
struct DnnObject {
    cudnnBackendDescriptorType_t type;
    std::map<cudnnBackendAttributeName_t, std::vector<char>> values;

    [[nodiscard]] bool has(cudnnBackendAttributeName_t name) const { return values.contains(name); }
    template <class Value>
    [[nodiscard]] Value at(cudnnBackendAttributeName_t name, std::size_t place = 0) const {
        Value value{};
        const auto found = values.find(name);
        if (found != values.end() && found->second.size() >= (place + 1) * sizeof(Value)) {
            value = reinterpret_cast<const Value*>(found->second.data())[place];
        }
        return value;
    }
    [[nodiscard]] const DnnObject* object(cudnnBackendAttributeName_t name,
                                          std::size_t place = 0) const {
        return at<const DnnObject*>(name, place);
    }
    template <class Value>
    [[nodiscard]] std::size_t count(cudnnBackendAttributeName_t name) const {
        const auto found = values.find(name);
        return found == values.end() ? 0 : found->second.size() / sizeof(Value);
    }
};

/// Where the tensors of a plan lie, by their numbers.
using DnnPlaces = std::map<std::int64_t, void*>;

/// Runs the operations of a graph one after another.
void computeGraph(const DnnObject& graph, const DnnPlaces& places);

}  // namespace fabricast::null_device
