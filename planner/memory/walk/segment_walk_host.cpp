#include "planner/memory/walk/segment_walk.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int16_t kCopyPool = 4;

}  // namespace

PackedTensors SegmentWalk::packedOf(const SegmentPlace& place, const Op& op) const {
    return packedBy(*place.ops, op, isTrl(way_) ? 0 : engine_.gradientWidth());
}

/// Each saved tensor is copied to the host; one that is a transposed view is put in order on the
/// device before. TRL leaves what its stream is copying already where it is.
void SegmentWalk::pack(const SegmentPlace& place, std::size_t op, Frame& frame) {
    const OpList& list = *place.ops;
    PackedNode& node = frame.packed[op];
    for (const PackedTensor& tensor : packedOf(place, list.ops[op])) {
        const Storage storage =
            tensor.id == kNoTensor ? kNoStorage : frame.storage[index(list.tensor(tensor.id).base)];
        if (aside_.holds(storage)) {
            aside_.count();
            device_.retain(storage);
            node.kept.push_back(storage);
            continue;
        }
        if (!tensor.ordered) {
            device_.release(device_.take(tensor.bytes, MemoryKind::Workspace));
        }
        hostSaves_->add(tensor.bytes);
        node.bytes += tensor.bytes;
        if (way_ == HostWay::TrlAside) {
            aside_.add(storage);
        }
    }
}

/// For its backward a node has all that it saved on the device again.
Storages SegmentWalk::unpack(const SegmentPlace& place, std::size_t op, Frame& frame) {
    const OpList& list = *place.ops;
    const PackedNode& node = frame.packed[op];
    Storages made = node.kept;
    for (const PackedTensor& tensor : packedOf(place, list.ops[op])) {
        const Storage storage =
            tensor.id == kNoTensor ? kNoStorage : frame.storage[index(list.tensor(tensor.id).base)];
        if (std::ranges::find(node.kept, storage) != node.kept.end()) {
            continue;
        }
        aside_.ask();
        if (aside_.holds(storage)) {
            device_.retain(storage);
            made.push_back(storage);
            continue;
        }
        made.push_back(device_.take(tensor.bytes, MemoryKind::Backward));
        if (way_ == HostWay::TrlAside) {
            aside_.bring(made.back());
        }
        if (tensor.reordered) {
            made.push_back(device_.take(tensor.bytes, MemoryKind::Backward));
        }
    }
    return made;
}

void SegmentWalk::packInput(Storage input) {
    hostSaves_->add(device_.bytes(input));
    if (way_ == HostWay::TrlAside) {
        aside_.add(input);
    }
    device_.release(input);
}

Storage SegmentWalk::unpackInput(std::int64_t bytes) {
    const Storage input = device_.take(bytes, MemoryKind::Recomputed);
    hostSaves_->add(-bytes);
    if (way_ == HostWay::TrlAside) {
        aside_.bring(input);
    }
    return input;
}

/// Each tensor that is marked by itself, though two of them may be views of one. The stream of the
/// copies puts what is a part of each row of another in order first.
void SegmentWalk::copyToHost(const SegmentPlace& place) {
    const OpList& list = *place.ops;
    for (const Op& op : list.ops) {
        for (const TensorId id : op.toHost) {
            const TensorInfo& tensor = list.tensor(id);
            if (tensor.bytes < list.tensor(tensor.base).bytes) {
                device_.release(
                    device_.take(tensor.bytes, MemoryKind::Workspace, kCopyPool, "offload"));
            }
            hostSaves_->add(tensor.bytes);
        }
    }
}

void SegmentWalk::dropCopied(const SegmentPlace& place, Frame& frame) {
    const OpList& list = *place.ops;
    frame.fillIn();
    frame.back.resize(list.ops.size());
    for (const Op& op : list.ops) {
        for (const TensorId id : op.toHost) {
            device_.release(frame.storage[index(list.tensor(id).base)]);
        }
    }
}

void SegmentWalk::bringBack(const SegmentPlace& place, Frame& frame) {
    const OpList& list = *place.ops;
    for (std::size_t op = 0; op < list.ops.size(); ++op) {
        for (const TensorId id : list.ops[op].toHost) {
            const std::int64_t bytes = list.tensor(id).bytes;
            frame.back[op].push_back(
                device_.take(bytes, MemoryKind::Activations, 0, list.ops[op].name));
            hostSaves_->add(-bytes);
        }
    }
}

}  // namespace fabricast
