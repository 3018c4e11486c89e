#pragma once
#include "planner/sharding/module_trace.h"
#include "planner/spec/settings.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fabricast {

/// Parameters by their place in the order of registration.
using ParameterIds = std::vector<std::size_t>;

/// Sizes in elements, as in DeepSpeed's configuration.
struct Zero3Limits {
    std::int64_t prefetchBucket = 50'000'000;
    std::int64_t persistenceThreshold = 100'000;
    std::int64_t maxLive = 1'000'000'000;
    std::int64_t maxReuse = 1'000'000'000;
};
Zero3Limits zero3Limits(const DeepSpeedSettings& settings);

/// This is DeepSpeed's PartitionedParameterCoordinator: what a module lacks is gathered when the
/// module is entered, and ahead of it the next parameters of the recorded trace. A parameter is
/// freed when its module is left, unless the trace comes back to it soon; that is decided once for
/// each place of the trace and remembered, as DeepSpeed's cache does, so the first pass decides for
/// all later ones. Memory takes and releases the buffers of what it returns, communication counts
/// the gathers.
class Zero3Coordinator {
public:
    /// `frozen`: which are not trained.
    Zero3Coordinator(const std::vector<std::int64_t>& elements,
                     const std::vector<bool>& frozen,
                     const Zero3Limits& limits);

    /// Plays the first pass of a trace, so that the next one is of a steady step. With several
    /// micro-batches that pass begins without the small parameters.
    void settle(const ModuleTrace& trace, bool severalMicroBatches);

    /// A forward begins, and the trace with it. Returns what was gathered ahead and never used: it
    /// is freed.
    ParameterIds beginPass();
    struct Entered {
        ParameterIds missing;  ///< gathered now, in one call
        ParameterIds ahead;    ///< gathered after them, in another
    };
    Entered enter(std::int64_t module, const ParameterIds& own, bool inBackward);
    /// Returns what is freed.
    ParameterIds leave(std::int64_t module, const ParameterIds& own, bool inBackward);
    /// A backward ends. Frees what belongs to modules that it entered and never left, as their
    /// input needs no gradient.
    ParameterIds endPass();
    /// The optimizer's step frees everything, and gathers the small parameters.
    void optimizerStep();

    [[nodiscard]] bool isPersistent(std::size_t parameter) const {
        return parameters_[parameter].persistent;
    }
    [[nodiscard]] bool isGathered(std::size_t parameter) const {
        return parameters_[parameter].gathered;
    }

private:
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
    struct Parameter {
        std::int64_t elements = 0;
        bool persistent = false;
        bool frozen = false;
        bool gathered = false;
        bool awaited = false;              ///< gathered, and no module asked for it yet
        std::int64_t fetchedFor = kNever;  ///< the last step it was taken off the queue for
        std::vector<std::int64_t> users;   ///< modules at work with it
        std::vector<std::int64_t> steps;   ///< of the trace that use it
    };
    struct QueueEntry {
        std::size_t parameter = 0;
        std::int64_t step = 0;
    };
    /// A module that backward has entered and not left.
    struct AtWork {
        std::int64_t module = 0;
        ParameterIds own;
        ParameterIds recomputed;  ///< frozen, of the modules that ran again since
    };
    void follow(const ModuleTrace& trace);
    void workOn(std::int64_t module, const ParameterIds& own);
    void recompute(const ParameterIds& own);
    AtWork finish(std::int64_t module);
    void leaveOne(std::int64_t module, std::size_t index, bool frees, ParameterIds& released);
    void gather(const ParameterIds& list);
    bool release(Parameter& parameter);
    void skip(std::size_t expected);
    ParameterIds chooseAhead();
    [[nodiscard]] bool comesBack(const Parameter& parameter) const;

    Zero3Limits limits_;
    std::vector<Parameter> parameters_;
    std::vector<QueueEntry> queue_;
    std::vector<std::int64_t> elementsBefore_ = {0};  ///< used before each step of the trace
    /// Which of a module's parameters are freed where it is left, by place in the trace.
    std::vector<std::vector<bool>> freed_;
    std::vector<AtWork> atWork_;
    std::size_t next_ = 0;    ///< in the queue
    std::size_t leaves_ = 0;  ///< of this pass
    std::int64_t step_ = 0;
    std::int64_t available_ = 0;  ///< elements gathered in this pass
};

}  // namespace fabricast
