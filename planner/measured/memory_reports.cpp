#include "planner/measured/memory_readers.h"
#include "planner/measured/message_sizes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {

/// "memory (MB) | allocated: 38922.1 | max allocated: 47104.3 | reserved: 48930.0 | …".
MemoryMessage readMegatron(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::Megatron};
    message.allocated = sizeAfter(text, "| allocated:", "mb");
    message.maxAllocated =
        firstOf({sizeAfter(text, "max allocated:", "mb"), sizeAfter(text, "max-allocated:", "mb")});
    message.maxReserved =
        firstOf({sizeAfter(text, "max reserved:", "mb"), sizeAfter(text, "max-reserved:", "mb")});
    return message;
}

/// "MA 14.96 GB         Max_MA 14.96 GB         CA 22.0 GB         Max_CA 22 GB".
MemoryMessage readDeepSpeed(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::DeepSpeed};
    message.allocated = sizeBefore(text, "max_ma");
    message.maxAllocated = sizeAfter(text, "max_ma ");
    if (!message.maxAllocated) {
        return {.kind = MemoryMessage::Kind::DeepSpeed};
    }
    message.maxReserved = sizeAfter(text, "max_ca ");
    return message;
}

/// "memory: 47.92GiB(60.51%)": the most that was reserved, and its share of the GPU's memory.
MemoryMessage readTorchtitan(std::string_view text) {
    MemoryMessage message{.kind = MemoryMessage::Kind::Torchtitan};
    constexpr std::string_view kShare = "gib(";
    const std::size_t at = text.find(kShare);
    if (at == std::string_view::npos) {
        return message;
    }
    const std::string_view share = text.substr(at + kShare.size());
    const std::optional<double> percent = numberAtFront(share);
    const std::optional<Bytes> reserved = sizeEndingAt(text, at + kShare.size() - 1);
    const bool isShare = percent && *percent > 0.0 && share.find("%)") != std::string_view::npos;
    if (isShare && reserved) {
        message.maxReserved = reserved;
        message.capacity =
            Bytes(std::llround(static_cast<double>(reserved->count()) * 100.0 / *percent));
    }
    return message;
}

/// "| Allocated memory      |  22110 MiB |  22616 MiB |  90123 MiB |  68013 MiB |": the first two.
MemoryMessage readSummary(std::string_view text) {
    const auto row = [text](std::string_view name) {
        const std::string sought = "|" + squeezed(name) + "|";
        const std::size_t at = text.find(sought);
        const std::string_view cells =
            at == std::string_view::npos ? std::string_view() : text.substr(at + sought.size());
        const std::size_t bar = std::min(cells.find('|'), cells.size());
        return std::pair(sizeAtFront(cells),
                         sizeAtFront(cells.substr(std::min(bar + 1, cells.size()))));
    };
    const auto count = [text](std::string_view name) {
        const std::size_t at = placeOf(text, name);
        return at == std::string_view::npos
                   ? 0.0
                   : numberAtFront(text.substr(at + squeezed(name).size())).value_or(0.0);
    };
    MemoryMessage message{.kind = MemoryMessage::Kind::Summary};
    std::tie(message.allocated, message.maxAllocated) = row("allocated memory");
    message.maxReserved = row("gpu reserved memory").second;
    message.summary = {.failures = count("cuda ooms:"),
                       .retries = count("cudamalloc retries:"),
                       .inPieces = row("non-releasable memory").second};
    return message;
}

}  // namespace fabricast
