#pragma once
#include "probes/record/answer.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace fabricast::probe {

/// Memory of the GPU, freed with its owner.
class DeviceBytes {
public:
    DeviceBytes() = default;
    DeviceBytes(DeviceBytes&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceBytes& operator=(DeviceBytes&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(size_, other.size_);
        return *this;
    }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    ~DeviceBytes() { drop(); }

    /// Whether it now holds at least so many bytes; what was in it is lost where it did not.
    bool hold(std::size_t bytes) {
        if (bytes <= size_) {
            return true;
        }
        drop();
        if (cudaMalloc(&memory_, bytes) != cudaSuccess) {
            memory_ = nullptr;
            (void)cudaGetLastError();  // not for the next call to find
            return false;
        }
        size_ = bytes;
        return true;
    }
    void drop() {
        (void)cudaFree(std::exchange(memory_, nullptr));
        size_ = 0;
    }

    [[nodiscard]] char* at(std::size_t offset = 0) const {
        return static_cast<char*>(memory_) + offset;
    }

private:
    void* memory_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace fabricast::probe
