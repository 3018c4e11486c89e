// Patterns are made and judged on the host: no kernel of ours can be wrong too.
#include "probes/nccl/nccl_calls.h"

#include <algorithm>
#include <vector>

namespace fabricast::probe {

Done sendPattern(const CheckPattern& pattern, const CollectiveTask& task, int place, char* device) {
    const auto each = static_cast<std::size_t>(task.type.bytes);
    const auto all = static_cast<std::size_t>(countsOf(task).sent) * each;
    const auto period = static_cast<std::size_t>(CheckPattern::kPeriod) * each;
    std::vector<char> block(std::min(all, period));
    pattern.fill(block, 0, place);
    Done done = doneBy(cudaMemcpy(device, block.data(), block.size(), cudaMemcpyHostToDevice),
                       "cudaMemcpy");
    // Each copy doubles what is there, in whole periods.
    for (std::size_t filled = block.size(); done && filled < all;) {
        const std::size_t next = std::min(filled, all - filled);
        done = doneBy(cudaMemcpy(device + filled, device, next, cudaMemcpyDeviceToDevice),
                      "cudaMemcpy");
        filled += next;
    }
    // The copies may still be under way, on a stream that the collective's does not wait for.
    return done ? doneBy(cudaDeviceSynchronize(), "cudaDeviceSynchronize") : done;
}

Answer<std::int64_t> wrongElements(ControlChannel& channel,
                                   const CheckPattern& pattern,
                                   const CollectiveTask& task,
                                   int place,
                                   const char* device) {
    std::int64_t wrong = 0;
    std::vector<char> piece;
    for (const JudgedPart& part : judgedParts(task)) {
        piece.resize(static_cast<std::size_t>(part.elements * task.type.bytes));
        const Done copied = doneBy(cudaMemcpy(piece.data(),
                                              device + part.first * task.type.bytes,
                                              piece.size(),
                                              cudaMemcpyDeviceToHost),
                                   "cudaMemcpy");
        if (!copied) {
            return channel.fail(copied.trouble().why);
        }
        wrong += pattern.wrong(piece, part.first, place);
        const Done alive = channel.watch();
        if (!alive) {
            return alive.trouble();
        }
    }
    return wrong;
}

}  // namespace fabricast::probe
