#pragma once
#include "planner/memory/device/device.h"
#include "planner/ops/op_list.h"

#include <compare>
#include <map>

namespace fabricast {

/// Tensors that modules keep in variables of their own, from one forward to the next, across
/// microbatches and steps. Where such a tensor belongs to a graph that a checkpoint recomputed,
/// that graph's detached input and its gradient live as long.
class ModuleAttributes {
public:
    explicit ModuleAttributes(Device& device) : device_(device) {}
    ModuleAttributes(const ModuleAttributes&) = delete;
    ModuleAttributes& operator=(const ModuleAttributes&) = delete;

    /// What the step before left of a module's segment; `around`: a checkpoint runs all of it.
    void hold(const OpList& list, int module, bool around);
    /// The variable takes `storage` instead of what it had; kNoStorage: nothing.
    void assign(int module, TensorId variable, Storage storage);
    /// A checkpoint inside a module: one of its blocks, or kAround. The graph behind the variables
    /// that it made ends in its inputs and their gradients.
    static constexpr int kAround = -1;
    struct Checkpoint {
        int module = 0;
        int block = kAround;
    };
    void assignGraph(Checkpoint at, TensorId input, Storage storage, Storage gradient);
    void dropGraph(Checkpoint at);
    /// At the end of a step: the same storages as before it.
    void settle();

private:
    enum class What { Variable, GraphInput, GraphGradient };
    struct Key {
        int module = 0;
        int block = kAround;
        What what = What::Variable;
        TensorId tensor = kNoTensor;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct Slot {
        Storage before = kNoStorage;  ///< as the last step left it
        std::int64_t bytes = 0;
        Storage now = kNoStorage;
    };
    void add(const Key& key, std::int64_t bytes);
    void addGraph(Checkpoint at, const OpList& list, TensorId input);
    void put(Slot& slot, Storage storage);
    void clear(Slot& slot);

    Device& device_;
    std::map<Key, Slot> slots_;
};

/// True where a module of this segment keeps variables.
bool keepsAttributes(const OpList& list);

}  // namespace fabricast
