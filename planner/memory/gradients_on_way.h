#pragma once
#include "planner/memory/device.h"
#include "planner/memory/segment_walk.h"

#include <vector>

namespace fabricast {

/// Gradients on their way back through one segment, by tensor.
struct SegmentWalk::Gradients {
    std::vector<Storage> of;

    void add(Device& device, TensorId id, Storage gradient) {
        Storage& slot = of[static_cast<std::size_t>(id)];
        if (slot == kNoStorage) {
            slot = gradient;
            return;
        }
        if (!device.isShared(slot)) {  // autograd adds in place into a buffer that only it holds
            device.release(gradient);
            return;
        }
        const Storage sum = device.take(device.bytes(slot), MemoryKind::Backward);
        device.release(slot);
        device.release(gradient);
        slot = sum;
    }
};

}  // namespace fabricast
