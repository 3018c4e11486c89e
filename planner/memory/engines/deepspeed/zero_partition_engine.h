#pragma once
#include "planner/memory/engines/deepspeed/zero_groups.h"
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"
#include "planner/sharding/zero_partition.h"

#include <map>
#include <vector>

namespace fabricast {

struct ZeroPartitionOptions {
    bool partitionGradients = true;  ///< ZeRO-2; false: ZeRO-1
    std::int64_t width = 2;          ///< bytes of a parameter and of a gradient
    std::int64_t sumWidth = 2;       ///< bytes of a gradient element as it is accumulated
    std::int64_t bucketElements = 500'000'000;
    bool overlap = false;       ///< two buckets, and reduction on a stream of its own
    bool contiguous = true;     ///< gradients are copied into buckets
    bool reduceScatter = true;  ///< false: buckets are all-reduced in place
    bool offloadOptimizer = false;
    bool pinMemory = false;
    std::vector<std::int64_t> frozenBytes;  ///< of each weight that is not trained
    ZeroPartition::Options cut;
    ZeroPartition::Options expertCut;  ///< over the ranks with the same experts
    OptimizerSettings optimizer;
};

/// This is DeepSpeed's DeepSpeedZeroOptimizer (ZeRO-1 and -2): 16-bit parameters in one flat
/// buffer, fp32 copies and moments of this rank's partition, gradients reduced bucket by bucket and
/// kept where they touch the partition.
class ZeroPartitionEngine final : public ParallelEngine {
public:
    ZeroPartitionEngine(Device& device,
                        const std::vector<ZeroParameter>& parameters,
                        ZeroPartitionOptions options);

    void holdStates() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void endBackward() override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.width; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    [[nodiscard]] HostMemory host() const override;

private:
    /// A parameter's gradients refer to memory of their own, or to a buffer that holds many.
    struct Parameter {
        ZeroParameter at;
        Storage gradient = kNoStorage;  ///< .grad, in the parameter's type
        Storage sum = kNoStorage;       ///< .grad_accum, where sums have another type (ZeRO-1)
        Storage kept = kNoStorage;      ///< what earlier micro-steps left of an owned gradient
    };
    /// Gradients on their way to one reduction; one a type on the wire.
    struct Bucket {
        std::vector<Storage> buffers;
        std::size_t index = 0;
        std::vector<std::size_t> parameters;
        std::int64_t elements = 0;
    };
    [[nodiscard]] bool sumsApart() const { return options_.sumWidth != options_.width; }
    [[nodiscard]] bool sumsInParameter() const {
        return sumsApart() && !options_.partitionGradients;
    }
    [[nodiscard]] std::int64_t bufferWidth() const {
        return sumsInParameter() ? options_.sumWidth : options_.width;
    }
    [[nodiscard]] Storage& reducible(Parameter& parameter) const {
        return sumsInParameter() ? parameter.sum : parameter.gradient;
    }
    [[nodiscard]] std::int16_t pool() const { return options_.overlap ? 1 : 0; }
    void setUpBuckets();
    void sumGradient(Parameter& parameter);
    void fillBucket(std::size_t index);
    void reduceBucket(Bucket& bucket);
    void averageBucket(Bucket& bucket);
    /// Neighbouring pieces of a bucket that one rank of one group owns.
    struct Pieces {
        bool experts = false;
        std::int64_t elements = 0;
        bool mine = false;  ///< they are in this rank's partition
    };
    [[nodiscard]] std::vector<Pieces> piecesOf(const Bucket& bucket) const;
    void reduceFlat(const Bucket& bucket, const std::vector<Pieces>& pieces, bool experts);
    void addToPartition(std::int64_t elements);
    void releaseReduced(Bucket& bucket);
    void keepOwned(std::size_t index);
    void offloadOwned(std::size_t index);
    void closeBackward();
    void keepForNextMicroStep();
    void stepGroup(const ZeroGroups::Group& group);
    Storage joinOwned(std::int64_t elements, std::size_t pieces);
    void takeBriefly(std::int64_t bytes, MemoryKind kind, std::string_view what);
    void refer(Storage& reference, Storage storage);
    void drop(Storage& reference);

    Device& device_;
    ZeroPartitionOptions options_;
    ZeroGroups cut_;
    std::vector<Parameter> parameters_;
    std::map<std::pair<int, int>, std::size_t> indexOf_;
    std::map<std::int64_t, Bucket> buckets_;  ///< by bytes of an element on the wire
    std::vector<std::size_t> reducedBefore_;  ///< freed by the next reduction
    Storage owned_ = kNoStorage;              ///< copies of the gradients that touch the partition
    Storage partitionSum_ = kNoStorage;       ///< this rank's partition, in the type of sums
    bool bucketsReady_ = false;
    bool boundary_ = true;  ///< the last micro-step
    bool accumulates_ = false;
};

}  // namespace fabricast
