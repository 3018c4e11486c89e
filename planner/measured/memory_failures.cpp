#include "planner/measured/memory_readers.h"
#include "planner/measured/message_sizes.h"

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

using Runtime = MemoryMessage::Runtime;
using Remedy = MemoryMessage::Remedy;

/// "Process 41 has 38.90 GiB memory in use." of each process on the GPU. In a container a message
/// does not say which is its own: the smallest that has room for what PyTorch reserved.
std::optional<Bytes> ownProcess(std::string_view text, Bytes reserved) {
    constexpr double kRounded = 0.99;
    constexpr std::string_view kProcess = "process";
    std::optional<Bytes> own;
    for (std::size_t at = text.find(kProcess); at != std::string_view::npos;
         at = text.find(kProcess, at + 1)) {
        std::string_view rest = text.substr(at + kProcess.size());
        const std::size_t digits = std::min(rest.find_first_not_of(kCutFigures), rest.size());
        rest.remove_prefix(digits);
        const std::optional<Bytes> held =
            digits > 0 && rest.starts_with("has") ? sizeAfter(rest, "has") : std::nullopt;
        if (held && *held / reserved >= kRounded && (!own || *held < *own)) {
            own = held;
        }
    }
    return own;
}

/// A limit on PyTorch that is no less than the GPU is none.
std::optional<Bytes> limitOf(std::optional<Bytes> allowed, std::optional<Bytes> capacity) {
    return allowed && capacity && *allowed >= *capacity ? std::nullopt : allowed;
}

/// How the message calls the variable of the allocator's options.
std::string_view optionsNamed(std::string_view text, Runtime runtime) {
    if (isThere(text, "pytorch_alloc_conf")) {
        return "PYTORCH_ALLOC_CONF";
    }
    return runtime == Runtime::Hip ? "PYTORCH_HIP_ALLOC_CONF" : "PYTORCH_CUDA_ALLOC_CONF";
}

/// Up to torch 2.0 the sizes are in brackets; expandable_segments came with 2.1.
Remedy remedyOf(std::string_view text) {
    if (!isThere(text, "total capacity;")) {
        return Remedy::Segments;
    }
    return isThere(text, "max_split_size_mb") ? Remedy::SplitSize : Remedy::None;
}

}  // namespace

/// "… total capacity of 79.15 GiB of which 12.25 MiB is free. Including non-PyTorch memory, this
/// process has 79.13 GiB memory in use. Of the allocated memory 75.61 GiB is allocated by PyTorch,
/// and 1.56 GiB is reserved by PyTorch but unallocated", or up to torch 2.0 "(GPU 0; 39.41 GiB
/// total capacity; 36.94 GiB already allocated; 1.06 GiB free; 37.80 GiB reserved in total by
/// PyTorch)", at first "… 776 MiB cached)".
MemoryMessage readFailure(std::string_view text, MemoryMessage::Runtime runtime) {
    MemoryMessage message{.runtime = runtime, .remedy = remedyOf(text)};
    message.options = optionsNamed(text, runtime);
    message.tried = sizeAfter(text, "tried to allocate ");
    message.capacity = firstOf({sizeAfter(text, "total capacity of "),
                                sizeAfter(text, "total capacty of "),
                                sizeBefore(text, " total capacity")});
    message.free = firstOf(
        {sizeBefore(text, " is free"), sizeBefore(text, " free;"), sizeBefore(text, " free)")});
    message.allowed = limitOf(sizeBefore(text, " allowed;"), message.capacity);
    message.inUse = sizeAfter(text, "this process has ");
    message.allocated = firstOf(
        {sizeBefore(text, " is allocated by pytorch"), sizeBefore(text, " already allocated")});
    message.privatePools = sizeBefore(text, " allocated in private pools");
    message.unallocated = firstOf(
        {sizeBefore(text, " is reserved by pytorch but unallocated"), sizeBefore(text, " cached")});
    const std::optional<Bytes> reserved = sizeBefore(text, " reserved in total by pytorch");
    if (reserved && message.allocated && *reserved >= *message.allocated) {
        message.unallocated = *reserved - *message.allocated;
    }
    if (!message.inUse && message.reserved()) {
        message.inUse = ownProcess(text, *message.reserved());
    }
    return message;
}

/// "Allocation on device 0 would exceed allowed memory. (out of memory) / Currently allocated     :
/// 21.76 GiB / Requested : 1.25 GiB / Device limit : 23.99 GiB / Free (according to CUDA): 0 bytes
/// / PyTorch limit (set by user-supplied memory fraction) : …", of the allocator cudaMallocAsync.
MemoryMessage readAsync(std::string_view text) {
    const auto of = [text](std::string_view words) -> std::optional<Bytes> {
        const std::size_t at = placeOf(text, words);
        const std::size_t colon = at == std::string_view::npos ? at : text.find(':', at);
        return colon == std::string_view::npos ? std::nullopt : sizeAtFront(text.substr(colon + 1));
    };
    MemoryMessage message;
    message.allocated = of("currently allocated");
    message.tried = of("requested");
    message.capacity = of("device limit");
    message.free = of("free (according to cuda)");
    message.allowed = limitOf(of("pytorch limit"), message.capacity);
    return message;
}

/// "MPS backend out of memory (MPS allocated: 17.05 GB, other allocations: 512.00 KB, max allowed:
/// 18.13 GB). Tried to allocate 1.50 GB on private pool."
MemoryMessage readMps(std::string_view text) {
    MemoryMessage message{.runtime = Runtime::Mps};
    message.allocated = sizeAfter(text, "mps allocated: ");
    message.beside = sizeAfter(text, "other allocations: ");
    message.allowed = sizeAfter(text, "max allowed: ");
    message.tried = sizeAfter(text, "tried to allocate ");
    return message;
}

/// "Failed to CUDA calloc async 2147483648 bytes".
MemoryMessage readNcclFailure(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::Nccl};
    const std::size_t digits = text.find_first_of("0123456789");
    message.tried =
        digits == std::string_view::npos ? std::nullopt : sizeAtFront(text.substr(digits));
    return message;
}

/// "DefaultCPUAllocator: can't allocate memory: you tried to allocate 68719476736 bytes."
MemoryMessage readHostFailure(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::Host};
    message.tried = sizeAfter(text, "tried to allocate ");
    return message;
}

}  // namespace fabricast
