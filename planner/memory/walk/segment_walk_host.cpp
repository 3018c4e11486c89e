#include "planner/memory/walk/segment_walk.h"

namespace fabricast {

PackedTensors SegmentWalk::packedOf(const SegmentPlace& place, const Op& op) const {
    return packedBy(*place.ops, op, engine_.gradientWidth());
}

/// Each saved tensor is copied to the host; one that is a transposed view is put in order on the
/// device before.
void SegmentWalk::pack(const SegmentPlace& place, const Op& op) {
    for (const PackedTensor& tensor : packedOf(place, op)) {
        if (!tensor.ordered) {
            device_.release(device_.take(tensor.bytes, MemoryKind::Workspace));
        }
        hostSaves_->add(tensor.bytes);
    }
}

/// For its backward a node has all that it saved on the device again.
Storages SegmentWalk::unpack(const SegmentPlace& place, const Op& op) {
    Storages made;
    for (const PackedTensor& tensor : packedOf(place, op)) {
        made.push_back(device_.take(tensor.bytes, MemoryKind::Backward));
        if (tensor.reordered) {
            made.push_back(device_.take(tensor.bytes, MemoryKind::Backward));
        }
    }
    return made;
}

void SegmentWalk::forgetPacked(const SegmentPlace& place, const Op& op) {
    for (const PackedTensor& tensor : packedOf(place, op)) {
        hostSaves_->add(-tensor.bytes);
    }
}

}  // namespace fabricast
