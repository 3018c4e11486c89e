#pragma once
#include "planner/base/result.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricast {

/// Parameters that a framework gathers, reduces and frees together, on this rank.
struct Unit {
    std::vector<WeightUse> weights;  ///< local to tensor and expert parallelism
    [[nodiscard]] std::int64_t elements() const {
        std::int64_t sum = 0;
        for (const WeightUse& weight : weights) {
            sum += weight.elements;
        }
        return sum;
    }
};

/// How one segment is placed in the step: which unit's weights it uses, and what is kept of it.
struct SegmentPlace {
    const OpList* ops = nullptr;
    int unit = 0;
    int firstWeight = 0;  ///< index, in the unit, of the segment's first weight
    int identity = 0;     ///< tells segments with the same ops apart
    int tiedTo = -1;      ///< index, in the unit, of the weight that its tied one is
};

enum class SegmentRole { Embedding, Layer, Norm, Head, Loss };

/// One segment of a stage, in forward order.
struct PlacedSegment {
    SegmentPlace place;
    SegmentRole role = SegmentRole::Layer;
    Checkpointing checkpoint = Checkpointing::None;
    std::string name;
    std::int64_t layer = -1;       ///< of the model, for layers
    bool opensUnit = false;        ///< the unit's forward hook runs before it
    bool closesUnit = false;       ///< and after it
    bool opensCheckpoint = true;   ///< the first layer of its checkpoint, which keeps its input
    bool closesCheckpoint = true;  ///< the last: backward runs all of them again here
    bool reentrant = false;        ///< its checkpoint runs the backward inside: results stay alive
};

/// The segments of one model chunk, and what crosses its ends.
struct StageChunk {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t receivedBytes = 0;  ///< activation from the stage before; 0 on the first
    std::int64_t sentBytes = 0;      ///< activation to (gradient from) the next; 0 on the last
};

/// Head and loss run slice by slice inside forward, each slice's backward at once.
struct ChunkedHead {
    SegmentPlace head;
    SegmentPlace loss;
    std::int64_t chunks = 0;            ///< 0: the loss is not chunked
    std::int64_t accumulatorBytes = 0;  ///< fp32 gradient of the hidden states
    std::int64_t gradientBytes = 0;     ///< the same in the residual type
    std::int64_t copyBytes = 0;         ///< slices copied out, where they are not contiguous
};

/// This is what one pipeline rank runs for one microbatch: segments over shared op lists, the units
/// their weights belong to, and the tables and inputs around them.
/// Until when a variable of the model's code holds the embedding's output: until the last layer is
/// done, or until the model's forward is.
enum class EmbeddingName { None, ForLayers, ForForward };

struct StageProgram {
    std::vector<std::unique_ptr<OpList>> lists;
    std::vector<PlacedSegment> segments;
    std::vector<StageChunk> chunks;  ///< one, or `vpp`
    std::vector<Unit> units;
    ChunkedHead chunkedHead;
    int rootUnit = -1;  ///< unit whose module wraps the whole model
    int headUnit = -1;  ///< unit of the final norm and the head, where they have one
    int rootHead = -1;  ///< weight of the root unit: a head that the model reads without calling it
    std::vector<std::int64_t> tables;  ///< bytes of the tables each pass makes and all layers share
    std::int64_t inputBytes = 0;       ///< token ids and labels
    std::int64_t positionBytes = 0;    ///< made in the step
    std::int64_t bufferBytes = 0;      ///< persistent buffers of the model
    bool lossInsideForward = false;    ///< the model computes its own loss
    int wrappers = 0;                  ///< modules around all segments: model, and its body
    bool rotaryModule = false;         ///< a module makes the tables, after the embedding
    EmbeddingName embeddingName = EmbeddingName::None;
    bool tablesPersist = false;  ///< the tables are buffers
    bool keepsLogits = false;    ///< the last stage's output is held until its backward
    [[nodiscard]] std::int64_t elements() const;
    [[nodiscard]] std::int64_t scaleBytes() const;  ///< of 4-bit weights, beside their codes
};

Result<StageProgram> stageProgram(const Scenario& scenario, std::int64_t stage);

}  // namespace fabricast
