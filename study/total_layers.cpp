#include "study/oom_guesses.h"

namespace fabricast {

bool isOfTotals(const MemoryMessage& message) {
    return message.kind == MemoryMessage::Kind::Torchtitan ||
           message.kind == MemoryMessage::Kind::NvidiaSmi;
}

std::vector<MemoryLayer> totalLayers(const MemoryMessage& message,
                                     const MemoryBreakdown* forecast) {
    const StageMemory* stage = forecast == nullptr ? nullptr : &forecast->stages[forecast->fullest];
    const auto ours = [stage](Bytes more) {
        return stage == nullptr ? std::nullopt : std::optional(stage->reserved.value + more);
    };
    if (message.kind == MemoryMessage::Kind::Torchtitan) {
        return {{"reserved by PyTorch, at the peak", message.maxReserved, ours(Bytes())}};
    }
    const Bytes beside = stage == nullptr ? Bytes() : stage->context + stage->collectives;
    const Bytes used = *message.capacity - *message.free;
    std::vector<MemoryLayer> layers = {{message.inUse ? "its largest process" : "in use",
                                        message.inUse.value_or(used),
                                        ours(beside)}};
    if (const std::optional<Bytes> others = message.otherProcesses()) {
        layers.push_back({"other processes, and the driver", others, std::nullopt});
    }
    layers.push_back({"free", message.free, std::nullopt});
    return layers;
}

void addUntold(const MemoryMessage& message, std::vector<MemoryLayer>& layers) {
    const bool isUntold = message.isFailure() && message.allocated && !message.unallocated &&
                          message.capacity && message.free;
    const Bytes taken = isUntold ? *message.capacity - *message.free : Bytes();
    if (isUntold && !message.notPyTorch() && taken > *message.allocated) {
        layers.push_back(
            {"held by the allocator, or not PyTorch's", taken - *message.allocated, std::nullopt});
    }
}

}  // namespace fabricast
