#pragma once
#include "planner/memory/device.h"
#include "planner/memory/zero_partition.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace fabricast {

/// How ZeRO-3 gathers parameters; sizes in elements, as in its configuration.
struct Zero3GatherOptions {
    std::int64_t ranks = 1;
    std::int64_t width = 2;  ///< bytes of a stored element
    std::int64_t prefetchBucket = 50'000'000;
    std::int64_t persistenceThreshold = 100'000;
    std::int64_t maxLive = 1'000'000'000;
    std::int64_t maxReuse = 1'000'000'000;
    bool ownStream = true;  ///< overlap_comm
    bool offload = false;   ///< partitions lie on the host
};

/// A module at work: which parameters are its own, by index. Most have none.
struct ModuleVisit {
    int module = 0;
    std::vector<std::size_t> parameters;
};

/// This is DeepSpeed's PartitionedParameterCoordinator: it gathers a module's parameters when the
/// module is entered, prefetches what the recorded trace of modules says comes next, and frees them
/// when the module is left, unless they will be needed again soon.
class Zero3Parameters {
public:
    Zero3Parameters(Device& device,
                    const std::vector<ZeroParameter>& parameters,
                    Zero3GatherOptions options);

    /// The modules entered in one forward and backward, in order.
    void follow(std::vector<ModuleVisit> trace);

    /// Before the model's forward: the trace starts again.
    void reset();
    void enter(const ModuleVisit& visit);
    void leave(const ModuleVisit& visit);
    /// Frees everything, and gathers the small parameters that stay; around the optimizer's step.
    void partitionAll();
    void gatherPersistent();

    [[nodiscard]] std::int64_t shardElements(std::size_t parameter) const;
    /// The gathered storage, or kNoStorage.
    [[nodiscard]] Storage gathered(std::size_t parameter) const {
        return parameters_[parameter].data;
    }

private:
    enum class Status { Partitioned, InFlight, Available };
    static constexpr std::size_t kNoGather = std::numeric_limits<std::size_t>::max();
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
    struct Parameter {
        std::int64_t elements = 0;
        std::int64_t wireWidth = 2;
        bool persistent = false;
        Status status = Status::Partitioned;
        Storage data = kNoStorage;
        std::size_t gather = kNoGather;    ///< that nobody waited for yet
        std::set<int> users;               ///< modules that are at work with it
        std::int64_t fetchedFor = kNever;  ///< last step it was taken off the queue for
        std::vector<std::int64_t> steps;   ///< of the trace that use it
    };
    /// One call of all_gather_coalesced: its flat buffers live until each of its parameters was
    /// asked for.
    struct Gather {
        std::vector<Storage> buffers;
        std::vector<std::size_t> parameters;
        std::size_t waiting = 0;
        bool complete = false;
    };
    struct QueueEntry {
        std::size_t parameter = 0;
        std::int64_t step = 0;
    };
    void gather(std::vector<std::size_t> list);
    void gatherOne(std::size_t index, Gather& gather);
    void gatherMany(const Gather& made, std::vector<Storage>& buffers);
    void copyFromHost(std::size_t index);
    void wait(std::size_t index);
    void complete(Gather& gather);
    void prefetch();
    void skipFetched(const std::vector<std::size_t>& parameters);
    void release(std::size_t index);
    void free(Parameter& parameter);
    [[nodiscard]] bool neededSoon(const Parameter& parameter) const;

    Device& device_;
    Zero3GatherOptions options_;
    std::vector<Parameter> parameters_;
    std::vector<Gather> gathers_;
    std::vector<ModuleVisit> trace_;
    std::vector<std::int64_t> elementsBefore_;  ///< of the trace's parameters, by step
    std::vector<QueueEntry> queue_;
    std::size_t next_ = 0;  ///< in the queue
    std::int64_t step_ = 0;
    std::int64_t available_ = 0;  ///< elements gathered since the reset
};

}  // namespace fabricast
