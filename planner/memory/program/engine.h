#pragma once
#include "planner/memory/device/device.h"
#include "planner/ops/op_list.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// States kept off the device, per rank.
struct HostMemory {
    std::int64_t bytes = 0;   ///< of the tensors
    std::int64_t pinned = 0;  ///< of the page-locked blocks they lie in
    std::int64_t nvme = 0;    ///< of the files on local drives
};

/// What torch's allocator of page-locked memory takes for a block: the next power of two.
constexpr std::int64_t pinnedBlock(std::int64_t bytes) {
    std::int64_t block = 1;
    while (block < bytes) {
        block *= 2;
    }
    return block;
}

/// A call of one of the model's modules.
struct ModuleCall {
    int module = 0;  ///< the same in every pass
    int unit = 0;
    std::vector<int> weights;  ///< its own, as indices in the unit
};

/// This is what a framework does with parameters and gradients around the model's own operations.
/// The step walk calls it at the places where the framework's hooks run; each engine takes and
/// releases its own buffers on the device.
class ParallelEngine {
public:
    ParallelEngine() = default;
    ParallelEngine(const ParallelEngine&) = delete;
    ParallelEngine& operator=(const ParallelEngine&) = delete;
    virtual ~ParallelEngine() = default;

    /// Everything alive before a step: parameters, optimizer state, persistent buffers.
    virtual void holdStates() = 0;
    virtual void beginForward() {}  ///< the model's forward is entered
    virtual void beforeForward(int unit) = 0;
    virtual void afterForward(int unit) = 0;
    virtual void endForward() {}  ///< the model's forward is left
    virtual void beforeBackward(int unit) = 0;
    /// The gradient of one weight is complete for this pass; the engine owns `gradient` from here.
    virtual void takeGradient(int unit, int weight, Storage gradient) = 0;
    virtual void afterBackward(int unit) = 0;
    virtual void endBackward() {}  ///< the last hook of one backward pass
    /// Head and loss begin, slice by slice (chunked losses).
    virtual void beforeHeadChunks(int /*unit*/) {}
    /// A slice of the head's backward is done, inside forward (chunked losses).
    virtual void afterHeadChunk(int /*unit*/, bool /*last*/) {}
    virtual void optimizerStep() = 0;
    virtual void beginSaving() {}  ///< a checkpoint asks for the weights
    /// Bytes of one element of a weight gradient as autograd makes it.
    [[nodiscard]] virtual std::int64_t gradientWidth() const = 0;
    /// The same of a weight that may be stored in a type of its own.
    [[nodiscard]] virtual std::int64_t gradientWidthOf(const WeightUse& use) const {
        return use.widthOr(gradientWidth());
    }
    /// Which micro-step of the step begins, and how many there are.
    virtual void beginMicroStep(std::int64_t index, std::int64_t count) = 0;
    /// True for engines that gather and free module by module; the next two are theirs.
    [[nodiscard]] virtual bool watchesModules() const { return false; }
    virtual void enterModule(const ModuleCall& /*call*/, bool /*inBackward*/) {}
    virtual void leaveModule(const ModuleCall& /*call*/, bool /*inBackward*/) {}
    /// True for engines that do nothing at a segment but to treat each gradient alike: what a
    /// segment does to the device is the same in every pass, and for every segment of its kind.
    [[nodiscard]] virtual bool treatsPassesAlike() const { return false; }
    /// Where a gathered weight lies, if an op that saves it in a second forward keeps that alive.
    [[nodiscard]] virtual Storage weightStorage(int /*unit*/, int /*weight*/) const {
        return kNoStorage;
    }
    /// The embedding table and the head it is tied to are one leaf of autograd, which waits for
    /// both gradients; false: each use has a tensor of its own.
    [[nodiscard]] virtual bool tiedWeightsAreOneTensor() const { return false; }
    /// Bytes of the states that live on the host.
    [[nodiscard]] virtual HostMemory host() const { return {}; }
};

}  // namespace fabricast
