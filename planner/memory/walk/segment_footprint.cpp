#include "planner/memory/walk/segment_footprint.h"

#include "planner/memory/walk/segment_walk.h"

#include <vector>

namespace fabricast {

namespace {

/// An engine that owns nothing: gradients are gone as soon as they are made.
class NoEngine final : public ParallelEngine {
public:
    explicit NoEngine(Device& device) : device_(device) {}
    void holdStates() override {}
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int, int, Storage gradient) override { device_.release(gradient); }
    void afterBackward(int) override {}
    void optimizerStep() override {}
    [[nodiscard]] std::int64_t gradientWidth() const override { return 0; }
    [[nodiscard]] std::int64_t gradientWidthOf(const WeightUse&) const override { return 0; }
    void beginMicroStep(std::int64_t, std::int64_t) override {}

private:
    Device& device_;
};

Storage outputOfOps(const OpList& list, const Frame& frame) {
    return frame.storage[static_cast<std::size_t>(list.tensor(list.output).base)];
}

}  // namespace

SegmentFootprint segmentFootprint(const OpList& list, const SegmentCheckpoint& checkpoint) {
    Device device;
    device.keepEvents(false);
    NoEngine engine(device);
    CastCache casts(device);
    SegmentWalk walk(device, engine);
    if (checkpoint.autocast) {
        walk.useCasts(&casts);
    }
    const SegmentPlace place{.ops = &list};
    const Keep keep = keepFor(checkpoint.kind);
    if (keepsAttributes(list)) {
        walk.attributes().hold(list, place.identity, keep == Keep::Nothing && checkpoint.reentrant);
        device.resetPeak();
    }
    const std::int64_t before = device.live();
    std::vector<Storage> given{kNoStorage};
    if (list.input != kNoTensor) {
        given.front() = device.take(list.tensor(list.input).bytes, MemoryKind::Activations);
    }
    for (std::size_t table = 0; table < list.externals.size(); ++table) {
        given.push_back(device.take(0, MemoryKind::Buffers));
    }
    SegmentFootprint footprint;
    Frame frame = walk.forward(place, given, keep);
    footprint.forward = device.peak() - before;
    const Storage output = outputOfOps(list, frame);
    const std::int64_t gradientBytes = device.bytes(output);
    if (keep == Keep::Everything && given.front() != kNoStorage) {
        device.release(given.front());
    }
    device.release(output);
    casts.clear();
    footprint.kept = device.live() - before;
    device.resetPeak();
    const SecondForward second{given, checkpoint.reentrant || !list.blocks.empty()};
    const Storage gradient = device.take(gradientBytes, MemoryKind::Backward);
    const bool again = keep != Keep::Everything;
    if (again && checkpoint.reentrant) {
        frame = walk.again(place, second, std::move(frame));
        device.retain(gradient);
    }
    const bool waits = again && !checkpoint.reentrant;
    walk.backward(place, frame, gradient, waits ? &second : nullptr);
    footprint.backward = device.peak() - before;
    return footprint;
}

}  // namespace fabricast
