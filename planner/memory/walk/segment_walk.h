#pragma once
#include "planner/base/short_list.h"
#include "planner/memory/device/device.h"
#include "planner/memory/device/device_script.h"
#include "planner/memory/program/engine.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/walk/copied_aside.h"
#include "planner/memory/walk/module_attributes.h"
#include "planner/memory/walk/module_hooks.h"
#include "planner/ops/op_list.h"
#include "planner/ops/packed_saves.h"
#include "planner/spec/activation_offload.h"
#include "planner/spec/settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {

/// PyTorch 2.15 takes a cuBLAS workspace for the length of each GEMM (32 MiB on sm_90).
inline constexpr std::int64_t kGemmWorkspace = std::int64_t{32} << 20;

/// A few storages, for as long as an operation runs.
using Storages = ShortList<Storage>;

/// A tensor or weight as a place in a vector.
inline std::size_t index(int id) {
    return static_cast<std::size_t>(id);
}

/// Copies of weights that torch.autocast made in this forward; dropped when it ends.
class CastCache {
public:
    explicit CastCache(Device& device) : device_(device) {}
    CastCache(const CastCache&) = delete;
    CastCache& operator=(const CastCache&) = delete;
    ~CastCache() { clear(); }
    /// The copy of weight `weight` of unit use `key`, made on first use. The caller retains it.
    Storage copyOf(std::pair<int, int> key, std::int64_t bytes);
    void clear();

private:
    Device& device_;
    std::map<std::pair<int, int>, Storage> copies_;
};

/// What a step keeps in host memory of what autograd saves.
struct HostSaves {
    std::int64_t now = 0;
    std::int64_t most = 0;

    void add(std::int64_t bytes) {
        now += bytes;
        most = std::max(most, now);
    }
};

struct RecordedPass;

/// What a node of autograd saved that goes to the host by itself.
struct PackedNode {
    std::int64_t bytes = 0;  ///< that do
    Storages kept;           ///< that stay on the device
};

/// The storages that a forward pass left behind for its backward.
struct Frame {
    std::vector<Storage> storage;  ///< by tensor base; kNoStorage where dropped
    std::vector<Storage> casts;    ///< copies or aliases of weights kept by the ops, by weight
    std::vector<bool> done;        ///< ops whose outputs selective checkpointing already kept
    std::vector<std::vector<Storage>> held;  ///< by block: alive until its backward is done
    std::vector<Storage> untilFreed;         ///< alive until the pass's graph is freed
    bool recomputed = false;                 ///< by a checkpoint's second forward
    bool onHost = false;                     ///< what its ops save lies in host memory, by node
    std::vector<PackedNode> packed;          ///< of each op, then
    /// By op: what came back of what had been moved there for all of them; empty: nothing was.
    std::vector<Storages> back;
    /// One that was played back has its storages here alone, in the script's order.
    RecordedPass* recorded = nullptr;
    std::vector<Storage> played;
    /// Gives a name to each of these, for operations that run themselves.
    void fillIn();
};

/// A checkpoint's second forward, which torch starts where backward first wants a tensor that the
/// first one did not keep.
struct SecondForward {
    std::vector<Storage> given;
    bool whole = false;       ///< to the end, not only to the last op that saves something
    bool dropsInput = false;  ///< its input came from the host, and is let go when it has run
};

/// A backward that was recorded.
struct RecordedBackward {
    DeviceScript script;
    bool isUsable = false;
    int result = DeviceScript::kNoNumber;
};

/// What a segment of a kind did to the device in a pass, and what it left, in the script's numbers.
struct RecordedPass {
    DeviceScript script;
    bool isUsable = false;
    Frame frame;
    std::vector<int> alive;
    std::map<unsigned, RecordedBackward> backwards;  ///< by what its backward is given
};

/// The storage of a segment's output, as its forward left it.
Storage outputOf(const OpList& ops, const Frame& frame);

/// What the walk does to what an op saves. `Block`: everything, of a block that runs again.
enum class Keep { Everything, Nothing, Selected, Block };
Keep keepFor(Checkpointing kind);

/// Runs one segment's operations on the device, forward, again (recompute) and backward.
class SegmentWalk {
public:
    SegmentWalk(Device& device, ParallelEngine& engine)
        : device_(device),
          engine_(engine),
          aside_(device),
          attributes_(device),
          modules_(engine),
          isAlike_(engine.treatsPassesAlike()) {}
    void useCasts(CastCache* casts) { casts_ = casts; }
    /// What forwards save goes to the host, of each node by itself or when it is told to.
    void saveOnHost(HostSaves* saves, HostWay way) {
        hostSaves_ = saves;
        way_ = way;
    }
    /// Of the segments until the next call nothing goes there.
    void passHost(bool passes) { passesHost_ = passes; }
    /// A checkpoint's input, which goes there, and its copy for backward.
    void packInput(Storage input);
    Storage unpackInput(std::int64_t bytes);
    void endBackward() { aside_.endBackward(); }
    /// Copies what is marked; lets go of it on the device; takes it there again.
    void copyToHost(const SegmentPlace& place);
    void dropCopied(const SegmentPlace& place, Frame& frame);
    void bringBack(const SegmentPlace& place, Frame& frame);
    /// What activations made from here on are reported as.
    void report(MemoryKind kind) { kind_ = kind; }

    /// `given`: the input (kNoStorage if none) and then the externals; the frame borrows them.
    /// Returns the frame; the output is `storage[base of output]`, with one reference for the
    /// caller.
    Frame forward(const SegmentPlace& place, const std::vector<Storage>& given, Keep keep);
    /// Second forward of a checkpointed segment; `kept` is what the first one selected.
    Frame again(const SegmentPlace& place, const SecondForward& second, Frame kept);
    /// Consumes the gradient of the output; returns the gradient of the input (kNoStorage if none).
    /// `second`: the frame is of a checkpoint that has not run again yet.
    Storage backward(const SegmentPlace& place,
                     Frame& frame,
                     Storage outputGradient,
                     const SecondForward* second = nullptr);
    /// A graph is no more: what its operations held themselves is released.
    void freeGraph(std::vector<Storage>& graph);
    void dropFrame(const OpList& ops, Frame& frame);
    [[nodiscard]] ModuleAttributes& attributes() { return attributes_; }

private:
    struct Gradients;
    [[nodiscard]] bool isRecorded(const OpList& list);
    /// Gradients of weights that wait for others.
    [[nodiscard]] std::size_t owed() const {
        return deferred_.size() + waiting_.size() + stacks_.size();
    }
    Frame runForward(const SegmentPlace& place, const std::vector<Storage>& given, Keep keep);
    Frame recordForward(const SegmentPlace& place,
                        const std::vector<Storage>& given,
                        Keep keep,
                        RecordedPass& pass);
    void play(DeviceScript& script, const SegmentPlace& place, std::vector<Storage>& storages);
    Storage runBackward(const SegmentPlace& place,
                        Frame& frame,
                        Storage outputGradient,
                        const SecondForward* second);
    /// The segment's operations, what is kept and reported as what, and what is given.
    using RecordKey = std::tuple<const OpList*, Keep, MemoryKind, unsigned>;
    struct Waiting {
        Storage gradient = kNoStorage;
        bool contiguous = false;  ///< a GEMM's weight gradient is a transposed view
    };
    void runOp(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep);
    void makeOutputs(const OpList& list, std::size_t op, Frame& frame);
    void takeTemps(const Op& op);
    void keepWeights(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep);
    void dropInputs(const OpList& list, std::size_t op, Frame& frame, Keep keep);
    void holdForGraph(const SegmentPlace& place,
                      std::size_t op,
                      const Frame& frame,
                      std::vector<Storage>& graph);
    void stopAt(const SegmentPlace& place, std::size_t op, Frame& frame);
    void runAgain(const SegmentPlace& place, const SecondForward& second, Frame& frame);
    Storages backwardOp(const SegmentPlace& place,
                        std::size_t op,
                        Frame& frame,
                        Gradients& gradients);
    void keepOutputs(const SegmentPlace& place, std::size_t op, Frame& frame, Keep keep);
    Storage makeInputGradient(const OpList& list, const Op& op, TensorId id, const Frame& frame);
    Storages makeInputGradients(const OpList& list,
                                const Op& op,
                                const Storages& outputs,
                                const Frame& frame);
    void runBlock(const SegmentPlace& place, int block, Frame& frame, const Gradients& gradients);
    void finishBlock(const SegmentPlace& place,
                     std::size_t op,
                     Frame& frame,
                     const Gradients& gradients);
    void assignAttributes(const SegmentPlace& place, std::size_t op, const Frame& frame);
    void assignAttribute(const SegmentPlace& place, std::int64_t tag, Storage storage);
    /// Which operation sets which variable.
    static constexpr std::int64_t kMostTensors = std::int64_t{1} << 32;
    [[nodiscard]] static std::int64_t attributeTag(std::size_t op, TensorId id) {
        return static_cast<std::int64_t>(op) * kMostTensors + id;
    }
    void deliver(const SegmentPlace& place, const Op& op, const Storages& made);
    void fillAgain(const OpList& list, TensorId output, Frame& frame);
    Storages makeWeightGradients(const SegmentPlace& place, const Op& op, const Frame& frame);
    Storage widen(const WeightUse& use, Storage gradient);
    Storage putInStack(const SegmentPlace& place, int weight, Storage gradient);
    void finishCasts(const SegmentPlace& place, const Op& op, Frame& frame, Storages& made);
    void handOverGradients(const SegmentPlace& place, const Op& op, const Storages& made);
    void handOver(const SegmentPlace& place, int weight, Storage gradient, bool ownTensor = false);
    void releaseSaved(const OpList& ops, const Op& op, Frame& frame);
    void pack(const SegmentPlace& place, std::size_t op, Frame& frame);
    Storages unpack(const SegmentPlace& place, std::size_t op, Frame& frame);
    [[nodiscard]] PackedTensors packedOf(const SegmentPlace& place, const Op& op) const;
    [[nodiscard]] Frame begin(const SegmentPlace& place, const std::vector<Storage>& given) const;

    Device& device_;
    ParallelEngine& engine_;
    CastCache* casts_ = nullptr;
    HostSaves* hostSaves_ = nullptr;
    HostWay way_ = HostWay::None;
    bool passesHost_ = false;
    CopiedAside aside_;
    MemoryKind kind_ = MemoryKind::Activations;
    ModuleAttributes attributes_;
    ModuleHooks modules_;
    bool isAlike_;  ///< to the engine, all passes of a segment
    std::map<const OpList*, bool> isRecorded_;
    std::map<RecordKey, RecordedPass> recorded_;
    std::map<int, Storage> deferred_;  ///< weight gradients of the running backward, by weight
    std::map<std::pair<int, int>, Waiting> waiting_;  ///< of tied weights, for the other use's
    /// Gradients of stacks of experts, by unit and weight, until their last part arrives.
    std::map<std::pair<int, int>, Storage> stacks_;
};

}  // namespace fabricast
