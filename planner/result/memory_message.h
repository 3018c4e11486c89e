#pragma once
#include "planner/base/units.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace fabricast {

/// What a training process printed of its memory: PyTorch's out-of-memory message in any of its
/// forms since 2018 (CUDA or HIP), Megatron's "memory (MB) | allocated: …" or DeepSpeed's "MA … GB
/// Max_MA …"; or that memory ran out elsewhere, which is printed without sizes: in the driver, in
/// NCCL, in cuBLAS, or on the host. What the text does not say is empty.
struct MemoryMessage {
    enum class Kind { OutOfMemory, Driver, Nccl, Cublas, Host, Megatron, DeepSpeed };

    /// What the traceback before it says that ran.
    enum class Phase { Unknown, Training, Evaluation };

    Kind kind = Kind::OutOfMemory;
    Phase phase = Phase::Unknown;
    std::int64_t line = 1;   ///< of the text
    std::size_t others = 0;  ///< messages of the text beside this one
    std::optional<Bytes> tried;
    std::optional<Bytes> capacity;
    std::optional<Bytes> free;
    std::optional<Bytes> inUse;  ///< by this process, with what is not PyTorch's
    std::optional<Bytes> allocated;
    std::optional<Bytes> unallocated;  ///< reserved by PyTorch, in no tensor
    std::optional<Bytes> privatePools;
    std::optional<Bytes> maxAllocated;
    std::optional<Bytes> maxReserved;

    [[nodiscard]] bool isFailure() const {
        return kind != Kind::Megatron && kind != Kind::DeepSpeed;
    }
    /// A failure outside PyTorch's allocator says no more than that it happened.
    [[nodiscard]] bool hasSizes() const { return kind == Kind::OutOfMemory || !isFailure(); }
    /// All that PyTorch's allocator held.
    [[nodiscard]] std::optional<Bytes> reserved() const;
    /// CUDA's context, NCCL and libraries; with what other processes hold where the message does
    /// not tell them apart.
    [[nodiscard]] std::optional<Bytes> notPyTorch() const;
    /// Of other processes, where the message tells.
    [[nodiscard]] std::optional<Bytes> otherProcesses() const;
    /// The least that would have let the failed allocation through, in all.
    [[nodiscard]] std::optional<Bytes> needed() const;
};

inline std::optional<Bytes> MemoryMessage::reserved() const {
    if (!isFailure()) {
        return maxReserved;
    }
    return allocated && unallocated ? std::optional(*allocated + *unallocated) : std::nullopt;
}

inline std::optional<Bytes> MemoryMessage::notPyTorch() const {
    const std::optional<Bytes> held = reserved();
    const std::optional<Bytes> all =
        inUse ? inUse : (capacity && free ? std::optional(*capacity - *free) : std::nullopt);
    return held && all && *all >= *held ? std::optional(*all - *held) : std::nullopt;
}

inline std::optional<Bytes> MemoryMessage::otherProcesses() const {
    if (!inUse || !capacity || !free || *capacity - *free < *inUse) {
        return std::nullopt;
    }
    return *capacity - *free - *inUse;
}

inline std::optional<Bytes> MemoryMessage::needed() const {
    if (!isFailure()) {
        return maxAllocated;
    }
    if (!allocated || !tried) {
        return std::nullopt;
    }
    return *allocated + *tried + notPyTorch().value_or(Bytes());
}

}  // namespace fabricast
