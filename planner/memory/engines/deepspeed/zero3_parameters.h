#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/engines/deepspeed/zero_groups.h"
#include "planner/sharding/zero3_coordinator.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fabricast {

/// How ZeRO-3 gathers parameters.
struct Zero3GatherOptions {
    std::int64_t ranks = 1;
    std::int64_t expertRanks = 1;  ///< that experts' weights are cut over
    std::int64_t width = 2;        ///< bytes of a stored element
    Zero3Limits limits;
    bool ownStream = true;  ///< overlap_comm
    bool offload = false;   ///< partitions lie on the host
};

/// A module at work: which parameters are its own, by index. Most have none.
struct ModuleVisit {
    int module = 0;
    ParameterIds parameters;
};

/// The buffers of what DeepSpeed's parameter coordinator gathers and frees: flat ones on the way,
/// then a storage for each parameter.
class Zero3Parameters {
public:
    Zero3Parameters(Device& device,
                    const std::vector<ZeroParameter>& parameters,
                    const Zero3GatherOptions& options);

    /// What the hooks saw in one forward and backward of a step with one or several micro-batches.
    void follow(const ModuleTrace& trace, bool severalMicroBatches) {
        coordinator_.settle(trace, severalMicroBatches);
    }

    /// Before the model's forward: the trace starts again.
    void reset();
    /// Gathers what the module lacks, waits for it, and gathers ahead.
    void enter(const ModuleVisit& visit, bool inBackward);
    void leave(const ModuleVisit& visit, bool inBackward);
    /// After a backward: modules that it entered and never left.
    void endPass();
    /// Frees everything, and gathers the small parameters that stay; around the optimizer's step.
    void partitionAll();
    void gatherPersistent();

    [[nodiscard]] std::int64_t shardElements(std::size_t parameter) const;
    [[nodiscard]] std::int64_t ranksOf(std::size_t parameter) const {
        return parameters_[parameter].ranks;
    }
    /// The gathered storage, or kNoStorage.
    [[nodiscard]] Storage gathered(std::size_t parameter) const {
        return parameters_[parameter].data;
    }

private:
    static constexpr std::size_t kNoGather = std::numeric_limits<std::size_t>::max();
    struct Parameter {
        std::int64_t elements = 0;
        std::int64_t wireWidth = 2;
        std::int64_t ranks = 1;
        bool expert = false;
        Storage data = kNoStorage;
        std::size_t gather = kNoGather;  ///< that no module waited for yet
    };
    /// One call of all_gather_coalesced, of those of all ranks and of experts each: its flat
    /// buffers live until each of its parameters was asked for.
    struct Gather {
        std::vector<Storage> buffers;
        ParameterIds parameters;
        std::size_t waiting = 0;
        bool complete = false;
    };
    void gather(ParameterIds list);
    void gatherOne(std::size_t index, Gather& gather);
    void gatherGroup(const ParameterIds& list, Gather& made);
    void gatherMany(const ParameterIds& list, std::vector<Storage>& buffers);
    void copyFromHost(std::size_t index);
    void wait(std::size_t index);
    void complete(Gather& gather);
    void free(std::size_t index);

    Device& device_;
    Zero3GatherOptions options_;
    Zero3Coordinator coordinator_;
    std::vector<Parameter> parameters_;
    std::vector<Gather> gathers_;
};

}  // namespace fabricast
