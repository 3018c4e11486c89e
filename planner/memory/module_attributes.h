#pragma once
#include "planner/memory/device.h"
#include "planner/ops/op_list.h"

#include <map>
#include <utility>

namespace fabricast {

/// Tensors that modules keep in variables of their own, from one forward to the next, across
/// microbatches and steps. Where such a tensor belongs to a graph that a checkpoint recomputed,
/// that graph's detached input and its gradient live as long.
class ModuleAttributes {
public:
    explicit ModuleAttributes(Device& device) : device_(device) {}
    ModuleAttributes(const ModuleAttributes&) = delete;
    ModuleAttributes& operator=(const ModuleAttributes&) = delete;

    /// What the step before left of a module; `graphBytes`: of the detached input, 0 without.
    void hold(const OpList& list, int module, std::int64_t graphBytes);
    /// The variable takes `storage` instead of what it had.
    void assign(int module, TensorId variable, Storage storage);
    /// The graph behind the module's variables ends in these.
    void assignGraph(int module, Storage input, Storage gradient);
    void dropGraph(int module);
    /// At the end of a step: the same storages as before it.
    void settle();

private:
    static constexpr TensorId kGraphInput = -2;
    static constexpr TensorId kGraphGradient = -3;
    struct Slot {
        Storage before = kNoStorage;  ///< as the last step left it
        std::int64_t bytes = 0;
        Storage now = kNoStorage;
    };
    void add(int module, TensorId variable, std::int64_t bytes);
    void clear(Slot& slot);

    Device& device_;
    std::map<std::pair<int, TensorId>, Slot> slots_;
};

/// True where a module of this segment keeps variables.
bool keepsAttributes(const OpList& list);

}  // namespace fabricast
