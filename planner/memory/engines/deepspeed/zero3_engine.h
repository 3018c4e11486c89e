#pragma once
#include "planner/memory/engines/deepspeed/zero3_parameters.h"
#include "planner/memory/engines/deepspeed/zero3_swap.h"
#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/program/engine.h"
#include "planner/sharding/module_trace.h"

#include <map>
#include <utility>
#include <vector>

namespace fabricast {

struct Zero3Options {
    Zero3GatherOptions gather;
    std::int64_t sumWidth = 2;  ///< bytes of a gradient element as it is accumulated
    std::int64_t bucketElements = 500'000'000;
    std::int64_t subGroup = 1'000'000'000;  ///< elements that the optimizer steps together
    bool contiguous = true;
    bool reduceScatter = true;
    std::int64_t scaleBytes = 0;  ///< scales and tables of 4-bit weights: no part of a parameter
    bool halfPrecision = false;   ///< fp16: gradients are searched for infinities
    bool offloadOptimizer = false;
    bool pinMemory = false;
    Zero3Swap swap;  ///< where offloaded states go on to drives
    OptimizerSettings optimizer;
};

/// This is DeepSpeed's DeepSpeedZeroOptimizer_Stage3: parameters, gradients and optimizer states
/// cut parameter by parameter, gathered module by module.
class Zero3Engine final : public ParallelEngine {
public:
    Zero3Engine(Device& device,
                const std::vector<ZeroParameter>& parameters,
                const std::map<std::pair<int, int>, std::size_t>& indexOf,
                Zero3Options options);

    /// The modules of one forward and backward, as an engine that recorded them saw them.
    void follow(const ModuleTrace& trace, bool severalMicroBatches) {
        gathering_.follow(trace, severalMicroBatches);
    }
    void record() { records_ = true; }
    [[nodiscard]] const ModuleTrace& recorded() const { return trace_; }

    void holdStates() override;
    void beginForward() override;
    void beforeForward(int) override {}
    void afterForward(int) override {}
    void beforeBackward(int) override {}
    void takeGradient(int unit, int weight, Storage gradient) override;
    void afterBackward(int) override {}
    void endBackward() override;
    void optimizerStep() override;
    [[nodiscard]] std::int64_t gradientWidth() const override { return options_.gather.width; }
    void beginMicroStep(std::int64_t index, std::int64_t count) override;
    [[nodiscard]] bool tiedWeightsAreOneTensor() const override { return true; }
    [[nodiscard]] HostMemory host() const override;

    [[nodiscard]] bool watchesModules() const override { return true; }
    void enterModule(const ModuleCall& call, bool inBackward) override;
    void leaveModule(const ModuleCall& call, bool inBackward) override;
    [[nodiscard]] Storage weightStorage(int unit, int weight) const override;

private:
    struct Bucket {
        Storage buffer = kNoStorage;
        std::vector<std::size_t> parameters;
        std::int64_t elements = 0;
    };
    [[nodiscard]] ModuleVisit visitOf(const ModuleCall& call) const;
    void recordEvent(const ModuleVisit& visit, bool enter, bool inBackward);
    [[nodiscard]] std::int64_t shards() const;  ///< elements of this rank's trained partitions
    /// What the optimizer steps together: partitions of so many parameters.
    struct SubGroup {
        std::int64_t elements = 0;
        std::size_t parameters = 0;
    };
    [[nodiscard]] std::vector<SubGroup> subGroups() const;
    void addSubGroups(std::vector<SubGroup>& groups,
                      const std::vector<std::size_t>& parameters) const;
    [[nodiscard]] SwappedStates swapped() const;
    void reduceBucket(Bucket& bucket, std::int64_t wire);
    Storage scatter(const Bucket& bucket, std::int64_t wire);
    void keepPartition(std::size_t index);
    void stepSubGroup(const SubGroup& group);
    void takeBriefly(std::int64_t bytes,
                     MemoryKind kind,
                     std::string_view what,
                     std::int16_t pool = 0);
    void drop(Storage& storage);

    Device& device_;
    Zero3Options options_;
    std::vector<ZeroParameter> parameters_;
    std::map<std::pair<int, int>, std::size_t> indexOf_;
    Zero3Parameters gathering_;
    std::vector<Storage> gradients_;
    std::vector<Storage> awaitSwap_;  ///< fp32 gradients of a bucket, on their way to drives
    std::map<std::int64_t, Bucket> buckets_;  ///< by bytes of an element on the wire
    ModuleTrace trace_;
    std::map<int, std::size_t> traced_;  ///< where the trace has a module's parameters
    bool records_ = false;
    bool boundary_ = true;
};

}  // namespace fabricast
