#pragma once
#include "planner/base/units.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

/// What a training process printed of its memory: PyTorch's out-of-memory message in any of its
/// forms since 2018 (CUDA or HIP), Megatron's "memory (MB) | allocated: …" or DeepSpeed's "MA … GB
/// Max_MA …", torchtitan's "memory: 47.92GiB(60.51%)", torch.cuda.memory_summary(), nvidia-smi's
/// table; a snapshot of its allocator; or that memory ran out elsewhere, which is printed without
/// sizes: in the driver, in NCCL, in cuBLAS or cuDNN, or on the host. What the text does not say is
/// empty.
struct MemoryMessage {
    enum class Kind {
        OutOfMemory,
        Unsized,   ///< PyTorch's until 2018
        TooLarge,  ///< more was asked for than any machine has
        Driver,
        Nccl,
        Cublas,
        Cudnn,
        Host,
        SharedMemory,
        Pinned,  ///< memory of the host that cannot be moved
        Killed,  ///< with signal 9, and nothing says why
        // Nothing failed:
        Megatron,
        DeepSpeed,
        Torchtitan,
        Summary,    ///< torch.cuda.memory_summary()
        NvidiaSmi,  ///< of all processes
        Snapshot    ///< of the allocator
    };

    /// What PyTorch ran on.
    enum class Runtime { Cuda, Hip, Xpu, Mps };

    /// What an option of the allocator can do about pieces, by the age of the message.
    enum class Remedy {
        Segments,   ///< torch 2.1 and later
        SplitSize,  ///< the message names max_split_size_mb, and has the form of 2.0 or before
        None        ///< a form of before that
    };

    /// What the traceback before it says that ran.
    enum class Phase { Unknown, Training, Evaluation };

    /// What a snapshot of the allocator says besides.
    struct Snapshot {
        std::int64_t device = 0;
        std::int64_t segments = 0;
        Bytes largestFree;  ///< block of the allocator
        bool isExpandable = false;
        bool hasHistory = false;  ///< else the peak is what was held when it was taken
    };

    /// What torch.cuda.memory_summary() says besides.
    struct Summary {
        double failures = 0.0;
        double retries = 0.0;           ///< after all that was free had been given back
        std::optional<Bytes> inPieces;  ///< free at the most, of segments that are in use
    };

    Kind kind = Kind::OutOfMemory;
    Phase phase = Phase::Unknown;
    Runtime runtime = Runtime::Cuda;
    Remedy remedy = Remedy::Segments;
    /// Where options of the allocator are said, as the message calls it.
    std::string_view options = "PYTORCH_CUDA_ALLOC_CONF";
    std::int64_t line = 1;   ///< of the text
    std::size_t others = 0;  ///< messages of the text beside this one
    std::optional<Bytes> tried;
    std::optional<Bytes> capacity;
    std::optional<Bytes> free;
    std::optional<Bytes> allowed;  ///< to PyTorch, where that is not the whole GPU
    std::optional<Bytes> beside;   ///< that, which this process holds outside the allocator
    std::optional<Bytes> inUse;    ///< by this process, with what is not PyTorch's
    std::optional<Bytes> allocated;
    std::optional<Bytes> unallocated;  ///< reserved by PyTorch, in no tensor
    std::optional<Bytes> privatePools;
    std::optional<Bytes> maxAllocated;
    std::optional<Bytes> maxReserved;
    std::optional<Snapshot> snapshot;
    std::optional<Summary> summary;
    std::int64_t gpu = 0;  ///< of nvidia-smi's table

    [[nodiscard]] bool isFailure() const { return kind < Kind::Megatron; }
    /// A failure outside PyTorch's allocator says no more than that it happened.
    [[nodiscard]] bool hasSizes() const { return kind == Kind::OutOfMemory || !isFailure(); }
    /// Whether what was in tensors is the most that ever was.
    [[nodiscard]] bool isPeak() const { return !snapshot || snapshot->hasHistory; }
    /// Whether it was the host's memory that ran out.
    [[nodiscard]] bool isOfHost() const { return kind >= Kind::Host && kind <= Kind::Killed; }
    /// Whether what PyTorch is allowed ran out, and not the GPU's memory.
    [[nodiscard]] bool isLimited() const;
    /// All that counts against what is allowed.
    [[nodiscard]] Bytes held() const;
    /// What PyTorch held beyond the memory of a full GPU: some drivers keep that in the host's.
    [[nodiscard]] std::optional<Bytes> spilled() const;
    /// Whether as much was free as was asked for, with no limit that ran out.
    [[nodiscard]] bool hadRoom() const;
    /// Whether what was asked for at once is more than the GPU has in all.
    [[nodiscard]] bool isBeyondGpu() const {
        return isFailure() && tried && capacity && *capacity > Bytes() && *tried > *capacity;
    }
    /// What was missing at the least, of what is allowed or of the GPU.
    [[nodiscard]] std::optional<Bytes> missing() const;
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

inline Bytes MemoryMessage::held() const {
    return reserved().value_or(allocated.value_or(Bytes())) + beside.value_or(Bytes());
}

inline bool MemoryMessage::isLimited() const {
    return isFailure() && allowed && tried && allocated && held() + *tried > *allowed;
}

inline std::optional<Bytes> MemoryMessage::spilled() const {
    constexpr double kRounded = 1.01;  // by the message
    const bool isFull = isFailure() && capacity && *capacity > Bytes() && free && *free == Bytes();
    return isFull && held() / *capacity > kRounded ? std::optional(held() - *capacity)
                                                   : std::nullopt;
}

inline bool MemoryMessage::hadRoom() const {
    return isFailure() && !isLimited() && free && tried && *free >= *tried;
}

inline std::optional<Bytes> MemoryMessage::missing() const {
    if (isLimited()) {
        return held() + *tried - *allowed;
    }
    if (const std::optional<Bytes> beyond = spilled(); beyond && tried) {
        return *beyond + *tried;
    }
    return isFailure() && tried && free && *free < *tried ? std::optional(*tried - *free)
                                                          : std::nullopt;
}

inline std::optional<Bytes> MemoryMessage::notPyTorch() const {
    if (beside) {
        return beside;
    }
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
