#include "planner/memory/walk/step_walk.h"
#include "planner/spec/activation_offload.h"

namespace fabricast {

void StepWalk::saveOnHost(const Scenario& scenario) {
    const HostWay way = hostWayOf(scenario);
    if (way == HostWay::None) {
        return;
    }
    walk_.saveOnHost(&hostSaves_, way);
    savesOnHost_ = isByNode(way);
    passesHead_ = isTrl(way);
    if (way == HostWay::Layers) {
        windows_ = offloadWindows(scenario.model.layers, offloadedLayers(scenario));
    }
}

const SegmentPlace& StepWalk::placeOf(const Pass& pass, std::size_t frame) const {
    const std::size_t begin = program_.chunks[static_cast<std::size_t>(pass.chunk)].begin;
    return program_.segments[begin + frame].place;
}

/// Behind each layer, as AsyncDoubleBufferGroupOffloadHandler's on_group_commit_forward: a layer is
/// let go of where its copies are waited for, and those of the next one begin.
void StepWalk::commitForward(const PlacedSegment& segment, Pass& pass) {
    if (windows_.empty() || segment.role != SegmentRole::Layer) {
        return;
    }
    const auto layer = static_cast<std::int64_t>(pass.layers.size());
    pass.layers.push_back(pass.frames.size() - 1);
    const auto copy = [&] { walk_.copyToHost(placeOf(pass, pass.layers[pass.moved])); };
    if (layer == 0) {
        copy();
    }
    if (pass.moved < windows_.size() && windows_[pass.moved] == layer) {
        const std::size_t frame = pass.layers[pass.moved];
        walk_.dropCopied(placeOf(pass, frame), pass.frames[frame]);
        if (++pass.moved < windows_.size()) {
            copy();
        }
    }
}

/// Before each layer's backward, as its on_group_commit_backward.
void StepWalk::commitBackward(const PlacedSegment& segment, Pass& pass) {
    if (windows_.empty() || segment.role != SegmentRole::Layer) {
        return;
    }
    pass.layers.pop_back();
    const auto layer = static_cast<std::int64_t>(pass.layers.size());
    if (pass.moved > 0 && windows_[pass.moved - 1] == layer) {
        --pass.moved;
        const std::size_t frame = pass.layers[pass.moved];
        walk_.bringBack(placeOf(pass, frame), pass.frames[frame]);
    }
}

}  // namespace fabricast
