#include "planner/memory/engines/deepspeed/zero3_swap.h"

#include "planner/memory/engines/optimizer_state.h"

#include <algorithm>
#include <numeric>

namespace fabricast {

namespace {

constexpr std::int64_t kLeastFile = std::int64_t{1} << 20;  ///< MIN_AIO_BYTES
constexpr std::int64_t kFileAlignment = 1024;               ///< AIO_ALIGNED_BYTES, one thread

std::int64_t inWholeBlocks(std::int64_t elements, std::int64_t width) {
    const std::int64_t step = kFileAlignment / width;
    return (elements + step - 1) / step * step;
}

std::int64_t filed(const std::vector<std::int64_t>& pieces,
                   std::int64_t width,
                   std::int64_t bytesEach) {
    std::int64_t bytes = 0;
    for (const std::int64_t elements : pieces) {
        bytes += elements * width >= kLeastFile ? inWholeBlocks(elements, width) * bytesEach : 0;
    }
    return bytes;
}

}  // namespace

HostMemory swappedStates(const Zero3Swap& swap, const SwappedStates& states) {
    HostMemory memory;
    const auto add = [&memory](std::int64_t bytes, bool pinned) {
        memory.bytes += bytes;
        memory.pinned += pinned ? pinnedBlock(bytes) : 0;
    };
    const std::int64_t all =
        std::accumulate(states.partitions.begin(), states.partitions.end(), std::int64_t{0});
    if (swap.optimizer) {
        const auto largest = std::max_element(states.groups.begin(), states.groups.end());
        const std::int64_t buffer =
            largest == states.groups.end() ? 0 : inWholeBlocks(*largest, kFp32) * kFp32;
        add(swap.optimizerBuffers * buffer, false);
        add(all * states.sumWidth, states.pinMemory);
        for (const std::int64_t elements : states.groups) {  // too small for a file
            add(elements * kFp32 < kLeastFile ? elements * states.stateBytes : 0, false);
        }
        memory.nvme += filed(states.groups, kFp32, states.stateBytes);
        memory.nvme += filed(states.partitions, kFp32, kFp32);
    }
    if (swap.parameters) {
        add(swap.parameterBuffers * inWholeBlocks(swap.parameterBufferElements, states.width) *
                states.width,
            false);
        add(std::min(all, swap.parametersInCpu) * states.width, true);
        memory.nvme += filed(states.partitions, states.width, states.width);
    }
    return memory;
}

}  // namespace fabricast
