#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/walk/segment_walk.h"

#include <algorithm>
#include <vector>

namespace fabricast {

/// Gradients on their way back through one segment, by tensor.
struct SegmentWalk::Gradients {
    std::vector<Storage> of;
    std::vector<bool> isView;

    explicit Gradients(std::size_t tensors) : of(tensors, kNoStorage), isView(tensors, false) {}

    void add(Device& device, TensorId id, Storage gradient, bool view) {
        Storage& slot = of[static_cast<std::size_t>(id)];
        if (slot == kNoStorage) {
            slot = gradient;
            isView[static_cast<std::size_t>(id)] = view;
            return;
        }
        // Autograd adds in place into a tensor that only it holds, and that is no view.
        if (!device.isShared(slot) && !isView[static_cast<std::size_t>(id)]) {
            device.release(gradient);
            return;
        }
        const std::int64_t bytes = std::max(device.bytes(slot), device.bytes(gradient));
        const Storage sum = device.take(bytes, MemoryKind::Backward);
        device.release(slot);
        device.release(gradient);
        slot = sum;
        isView[static_cast<std::size_t>(id)] = false;
    }
};

}  // namespace fabricast
