#include "planner/memory/walk/saved_values.h"
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

/// A segment on a device of its own.
class AloneWalk {
public:
    AloneWalk(const OpList& list, const SegmentCheckpoint& checkpoint)
        : list_(list), checkpoint_(checkpoint), keep_(keepFor(checkpoint.kind)) {
        device_.keepEvents(false);
        if (checkpoint.autocast) {
            walk_.useCasts(&casts_);
        }
        if (keepsAttributes(list)) {
            walk_.attributes().hold(
                list, place_.identity, keep_ == Keep::Nothing && checkpoint.reentrant);
            device_.resetPeak();
        }
        before_ = device_.live();
        if (list.input != kNoTensor) {
            given_.front() = device_.take(list.tensor(list.input).bytes, MemoryKind::Activations);
        }
        for (std::size_t table = 0; table < list.externals.size(); ++table) {
            given_.push_back(device_.take(0, MemoryKind::Buffers));
        }
    }

    void forward(SegmentFootprint& footprint) {
        frame_ = walk_.forward(place_, given_, keep_);
        footprint.forward = device_.peak() - before_;
        const Storage output = outputOfOps(list_, frame_);
        gradientBytes_ = device_.bytes(output);
        if (keep_ == Keep::Everything && given_.front() != kNoStorage) {
            device_.release(given_.front());
        }
        device_.release(output);
        casts_.clear();
        footprint.kept = device_.live() - before_;
    }

    void backward(SegmentFootprint& footprint) {
        device_.resetPeak();
        const SecondForward second{given_, checkpoint_.reentrant || !list_.blocks.empty()};
        const Storage gradient = device_.take(gradientBytes_, MemoryKind::Backward);
        const bool again = keep_ != Keep::Everything;
        if (again && checkpoint_.reentrant) {
            frame_ = walk_.again(place_, second, std::move(frame_));
            device_.retain(gradient);
        }
        const bool waits = again && !checkpoint_.reentrant;
        walk_.backward(place_, frame_, gradient, waits ? &second : nullptr);
        footprint.backward = device_.peak() - before_;
    }

private:
    const OpList& list_;
    const SegmentCheckpoint& checkpoint_;
    Keep keep_;
    Device device_;
    NoEngine engine_{device_};
    CastCache casts_{device_};
    SegmentWalk walk_{device_, engine_};
    SegmentPlace place_{.ops = &list_};
    std::vector<Storage> given_{kNoStorage};
    Frame frame_;
    std::int64_t before_ = 0;
    std::int64_t gradientBytes_ = 0;
};

}  // namespace

SegmentFootprint segmentFootprint(const OpList& list, const SegmentCheckpoint& checkpoint) {
    SegmentFootprint footprint;
    AloneWalk walk(list, checkpoint);
    walk.forward(footprint);
    walk.backward(footprint);
    return footprint;
}

std::int64_t keptBySegment(const OpList& list, const SegmentCheckpoint& checkpoint) {
    SegmentFootprint footprint;
    AloneWalk(list, checkpoint).forward(footprint);
    return footprint.kept;
}

}  // namespace fabricast
