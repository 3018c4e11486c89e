#include "planner/base/quantity_text.h"
#include "planner/memory/verdict_terms.h"

namespace fabricast {
namespace {

/// How likely it is otherwise, by what published runs that ran out of memory left in pieces.
std::string pieces(const StageMemory& stage, Bytes left, Bytes usual, Bytes most) {
    return " with the " + shortText(left) +
           " that one replay of the allocator leaves in pieces; of published runs that ran out of "
           "memory half left less than " +
           shortText(usual - stage.allocated) + " here, nine in ten less than " +
           shortText(most - stage.allocated);
}

}  // namespace

std::string luckNote(const MemoryBreakdown& memory, const RuntimeOverhead& overhead) {
    const StageMemory& stage = memory.stages[memory.fullest];
    const Bytes most = mostPinned(stage.allocated, memory.capacity);
    const Bytes usual = usuallyPinned(stage.allocated, memory.capacity);
    const Bytes besideMost = overhead.context.hi + overhead.collectives.hi;
    const Bytes beside = overhead.context.value + overhead.collectives.value;
    if (memory.onDevice == Verdict::Fits && most + besideMost > memory.room()) {
        return "fits" + pieces(stage, stage.reserved.value - stage.allocated, usual, most) +
               ", with which it may not (--why worst; --reserve 15% asks for that room)";
    }
    if (memory.onDevice == Verdict::Unlikely && usual + beside <= memory.room()) {
        return "unlikely to fit" + pieces(stage, stage.pinned - stage.allocated, usual, most) +
               ": with what half of them left it likely fits (--why pinned)";
    }
    return {};
}

}  // namespace fabricast
