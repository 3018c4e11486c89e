#include "planner/memory/walk/module_attributes.h"

#include <algorithm>

namespace fabricast {

bool keepsAttributes(const OpList& list) {
    return std::any_of(
        list.ops.begin(), list.ops.end(), [](const Op& op) { return !op.attributes.empty(); });
}

void ModuleAttributes::add(const Key& key, std::int64_t bytes) {
    const Storage storage = device_.take(bytes, MemoryKind::Activations, 0, "module variables");
    slots_[key] = {.before = storage, .bytes = bytes};
}

void ModuleAttributes::addGraph(Checkpoint at, const OpList& list, TensorId input) {
    if (list.tensor(input).requiresGrad) {
        const std::int64_t bytes = list.tensor(input).bytes;
        add({at.module, at.block, What::GraphInput, input}, bytes);
        add({at.module, at.block, What::GraphGradient, input}, bytes);
    }
}

void ModuleAttributes::hold(const OpList& list, int module, bool around) {
    for (const Op& op : list.ops) {
        for (const TensorId id : op.attributes) {
            add({.module = module, .tensor = id}, list.tensor(list.tensor(id).base).bytes);
        }
    }
    if (around) {
        addGraph({module, kAround}, list, list.input);
    }
    for (std::size_t block = 0; block < list.blocks.size(); ++block) {
        if (!around && list.blocks[block].keepsGraph) {
            for (const TensorId input : list.blocks[block].inputs) {
                addGraph({module, static_cast<int>(block)}, list, input);
            }
        }
    }
}

void ModuleAttributes::clear(Slot& slot) {
    device_.resize(slot.before, 0);
    if (slot.now != kNoStorage) {
        device_.release(slot.now);
        slot.now = kNoStorage;
    }
}

void ModuleAttributes::put(Slot& slot, Storage storage) {
    device_.retain(storage);
    clear(slot);
    slot.now = storage;
}

void ModuleAttributes::assign(int module, TensorId variable, Storage storage) {
    Slot& slot = slots_.at({.module = module, .tensor = variable});
    if (storage == kNoStorage) {
        clear(slot);
    } else {
        put(slot, storage);
    }
}

void ModuleAttributes::assignGraph(Checkpoint at,
                                   TensorId input,
                                   Storage storage,
                                   Storage gradient) {
    const auto kept = slots_.find({at.module, at.block, What::GraphInput, input});
    if (kept != slots_.end() && gradient != kNoStorage) {
        put(kept->second, storage);
        put(slots_.at({at.module, at.block, What::GraphGradient, input}), gradient);
    }
}

void ModuleAttributes::dropGraph(Checkpoint at) {
    for (auto& [key, slot] : slots_) {
        const bool mine = key.module == at.module && key.block == at.block;
        if (mine && key.what != What::Variable) {
            clear(slot);
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
