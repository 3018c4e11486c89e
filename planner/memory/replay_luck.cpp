#include "planner/memory/replay_luck.h"

#include "planner/base/quantity_text.h"

namespace fabricast {
namespace {

std::string pieces(Bytes left, Bytes others, const char* verdict, const char* key) {
    return "the verdict is by one replay of the allocator, which leaves " + shortText(left) +
           " in pieces; a batch of nearly this size may leave " + shortText(others) +
           ", as other runs do: then it " + verdict + " (--why " + key + ")";
}

}  // namespace

std::string luckNote(const MemoryBreakdown& memory, const RuntimeOverhead& overhead) {
    const StageMemory& stage = memory.stages[memory.fullest];
    const Bytes most = mostPinned(stage.allocated, memory.capacity);
    const Bytes usual = usuallyPinned(stage.allocated, memory.capacity);
    const Bytes besideMost = overhead.context.hi + overhead.collectives.hi;
    const Bytes beside = overhead.context.value + overhead.collectives.value;
    if (memory.onDevice == Verdict::Fits && most + besideMost > memory.room()) {
        return pieces(
            stage.reserved.value - stage.allocated, most - stage.allocated, "may not fit", "worst");
    }
    if (memory.onDevice == Verdict::Unlikely && usual + beside <= memory.room()) {
        return pieces(
            stage.pinned - stage.allocated, usual - stage.allocated, "likely fits", "pinned");
    }
    return {};
}

}  // namespace fabricast
