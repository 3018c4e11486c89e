#include "planner/memory/verdict_terms.h"

#include "planner/base/grouped.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {
namespace {

std::string inBytes(Bytes size) {
    return grouped(size.count()) + " B";
}

/// "600,000,000 B context + 0 B NCCL".
std::string runtimeText(Bytes context, Bytes collectives) {
    return inBytes(context) + " context + " + inBytes(collectives) + " NCCL";
}

/// What an allocator that is short keeps, and what that number is taken from.
std::string heldText(Bytes replayed, Bytes usual, const char* how) {
    return inBytes(std::max(replayed, usual)) + " that an allocator which is short " + how +
           " give back (the replay keeps " + inBytes(replayed) + ", runs " + inBytes(usual) + ")";
}

}  // namespace

std::vector<Term> verdictTerms(const MemoryBreakdown& memory,
                               const RuntimeOverhead& overhead,
                               Bytes usuallyHeld) {
    const StageMemory& stage = memory.stages[memory.fullest];
    const Headline<Bytes>& context = overhead.context;
    const Headline<Bytes>& collectives = overhead.collectives;
    std::vector<Term> terms;
    const auto add = [&](const char* name, Bytes size, std::string formula) {
        terms.push_back({.key = "stages[" + std::to_string(stage.stage) + "]." + name,
                         .bytes = size,
                         .formula = std::move(formula),
                         .source = "published out-of-memory messages, and recorded steps"});
    };
    add("interval.low",
        memory.peak.lo,
        inBytes(stage.requested) + " that tensors ask for + at least " +
            runtimeText(context.lo, collectives.lo) + ": above the GPU's memory it does not fit");
    add("interval.high",
        memory.peak.hi,
        "the least of `worst` " + inBytes(memory.unpressed) + " and the GPU's memory " +
            inBytes(memory.capacity) + ", or if that is more " +
            heldText(
                stage.pinned, mostPinned(stage.allocated, memory.capacity), "at worst cannot") +
            " + at most " + runtimeText(context.hi, collectives.hi));
    add("worst",
        memory.unpressed,
        inBytes(std::max(stage.reserved.hi, stage.allocated)) +
            " that the allocator ever takes where there is room + at most " +
            runtimeText(context.hi, collectives.hi) + ": within the GPU's memory it fits");
    add("pinned",
        memory.pinned,
        heldText(stage.pinned, usuallyHeld, "usually cannot") + " + " +
            runtimeText(stage.context, stage.collectives) +
            ": within the GPU's memory it likely fits, above it is unlikely to");
    return terms;
}

}  // namespace fabricast
