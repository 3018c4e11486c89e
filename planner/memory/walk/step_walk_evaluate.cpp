#include "planner/memory/walk/step_walk.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

constexpr const char* kKept = "logits kept for metrics";

}  // namespace

/// transformers' loop (`nested_concat`) copies what it has and the batch's to a new tensor; the
/// batch's own has a name until the next. Returns the joined.
Storage StepWalk::joinLogits(const KeptLogits& kept,
                             std::int64_t before,
                             Storage all,
                             Storage made) {
    if (before == 0) {
        device_.retain(made);
        return made;
    }
    const Storage joined = device_.take((before + 1) * kept.bytes, MemoryKind::Loss, 0, kKept);
    device_.release(all);
    return joined;
}

/// All batches are alike: of those between the first and the last only what is kept is walked.
void StepWalk::evaluate(const KeptLogits& kept) {
    keepsGraph_ = false;
    const Storage inputs = device_.take(program_.inputBytes, MemoryKind::Buffers);
    const Storage positions = device_.take(program_.positionBytes, MemoryKind::Buffers);
    const std::int64_t last = std::max<std::int64_t>(kept.batches, kept.held ? 2 : 1) - 1;
    Storage before = kNoStorage;
    Storage all = kNoStorage;
    Storage made = kNoStorage;  // of the batch before
    for (std::int64_t batch = 0; batch <= last; ++batch) {
        if (batch == 0 || batch == last) {
            Pass pass = forward(0, kNoStorage);
            device_.release(pass.output);
            const Storage wide = kept.widened > 0
                                     ? device_.take(kept.widened, MemoryKind::Loss, 0, kKept)
                                     : kNoStorage;
            drop(before);
            std::swap(before, pass.logits);
            if (!kept.held) {
                drop(before);
            }
            if (wide != kNoStorage) {
                device_.release(wide);
            }
        }
        if (kept.batches > 0) {
            device_.at("evaluation: joining logits");
            drop(made);
            made = device_.take(kept.bytes, MemoryKind::Loss, 0, kKept);
            all = joinLogits(kept, batch, all, made);
        }
    }
    drop(before);
    drop(made);
    drop(all);
    device_.release(positions);
    device_.release(inputs);
    keepsGraph_ = true;
}

}  // namespace fabricast
