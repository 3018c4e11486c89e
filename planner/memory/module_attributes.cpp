#include "planner/memory/module_attributes.h"

#include <algorithm>

namespace fabricast {

bool keepsAttributes(const OpList& list) {
    return std::any_of(
        list.ops.begin(), list.ops.end(), [](const Op& op) { return !op.attributes.empty(); });
}

void ModuleAttributes::add(int module, TensorId variable, std::int64_t bytes) {
    const Storage storage = device_.take(bytes, MemoryKind::Activations, 0, "module variables");
    slots_[{module, variable}] = {.before = storage, .bytes = bytes};
}

void ModuleAttributes::hold(const OpList& list, int module, std::int64_t graphBytes) {
    for (const Op& op : list.ops) {
        for (const TensorId id : op.attributes) {
            add(module, id, list.tensor(list.tensor(id).base).bytes);
        }
    }
    if (graphBytes > 0) {
        add(module, kGraphInput, graphBytes);
        add(module, kGraphGradient, graphBytes);
    }
}

void ModuleAttributes::clear(Slot& slot) {
    device_.resize(slot.before, 0);
    if (slot.now != kNoStorage) {
        device_.release(slot.now);
        slot.now = kNoStorage;
    }
}

void ModuleAttributes::assign(int module, TensorId variable, Storage storage) {
    Slot& slot = slots_.at({module, variable});
    device_.retain(storage);
    clear(slot);
    slot.now = storage;
}

void ModuleAttributes::assignGraph(int module, Storage input, Storage gradient) {
    if (slots_.count({module, kGraphInput}) > 0 && gradient != kNoStorage) {
        assign(module, kGraphInput, input);
        assign(module, kGraphGradient, gradient);
    }
}

void ModuleAttributes::dropGraph(int module) {
    for (const TensorId variable : {kGraphInput, kGraphGradient}) {
        const auto found = slots_.find({module, variable});
        if (found != slots_.end()) {
            clear(found->second);
        }
    }
}

void ModuleAttributes::settle() {
    for (auto& [key, slot] : slots_) {
        clear(slot);
        device_.resize(slot.before, slot.bytes);
    }
}

}  // namespace fabricast
