#pragma once
#include "planner/memory/program/engine.h"
#include "planner/memory/program/stage_program.h"

#include <cstddef>

namespace fabricast {

/// Tells an engine that watches modules when a segment's operations enter and leave them: forward
/// in the order of the calls, backward from a module's outputs to its inputs.
class ModuleHooks {
public:
    explicit ModuleHooks(ParallelEngine& engine) : engine_(engine) {}

    void beforeForward(const SegmentPlace& place, std::size_t op);
    void afterForward(const SegmentPlace& place, std::size_t op);
    void beforeBackward(const SegmentPlace& place, std::size_t op);
    void afterBackward(const SegmentPlace& place, std::size_t op);

private:
    [[nodiscard]] ModuleCall callOf(const SegmentPlace& place, std::size_t module) const;

    ParallelEngine& engine_;
};

}  // namespace fabricast
