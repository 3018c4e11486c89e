#include "planner/comm/zero3_gathers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

/// The modules of a trace, one a step, and the weights they use in the order of the fetch queue.
struct FetchQueue {
    struct Entry {
        std::size_t weight = 0;
        std::int64_t step = 0;
    };
    std::vector<Entry> entries;
    std::vector<std::int64_t> elementsBefore = {0};  ///< used before each step
    std::vector<std::vector<std::int64_t>> steps;    ///< of each weight

    FetchQueue(const ModelWeights& model, const std::vector<ModuleEvent>& trace)
        : steps(model.tensors.size()) {
        for (const ModuleEvent& event : trace) {
            if (event.enter) {
                follow(model, event.module);
            }
        }
    }
    /// Whether the trace comes back to the weight, from `step` on, before so many elements went by.
    [[nodiscard]] bool comesBack(std::size_t weight, std::int64_t step, std::int64_t most) const {
        const auto next = std::lower_bound(steps[weight].begin(), steps[weight].end(), step);
        const auto before = [&](std::int64_t at) {
            return elementsBefore[static_cast<std::size_t>(at)];
        };
        return next != steps[weight].end() && before(*next) - before(step) < most;
    }

private:
    void follow(const ModelWeights& model, std::size_t module) {
        std::vector<std::size_t> used = model.modules[module].weights;
        std::sort(used.begin(), used.end());
        const auto step = static_cast<std::int64_t>(elementsBefore.size()) - 1;
        std::int64_t elements = elementsBefore.back();
        for (const std::size_t weight : used) {
            entries.push_back({.weight = weight, .step = step});
            steps[weight].push_back(step);
            elements += model.tensors[weight].elements();
        }
        elementsBefore.push_back(elements);
    }
};

class Coordinator {
public:
    Coordinator(const ModelWeights& model,
                const std::vector<ModuleEvent>& trace,
                const Zero3Gathering& options)
        : model_(model),
          trace_(trace),
          options_(options),
          queue_(model, trace),
          weights_(model.tensors.size()),
          freed_(trace.size()) {
        for (std::size_t index = 0; index < weights_.size(); ++index) {
            weights_[index].elements = model.tensors[index].elements();
            weights_[index].persistent = weights_[index].elements <= options.persistenceThreshold;
        }
    }

    /// One forward and backward.
    std::vector<Zero3Gather> pass() {
        reset();
        for (std::size_t at = 0; at < trace_.size(); ++at) {
            if (trace_[at].enter) {
                enter(trace_[at].module, trace_[at].phase);
            } else {
                leave(at);
            }
        }
        releaseLeftovers();
        return std::exchange(gathers_, {});
    }
    /// The optimizer's step frees everything, and gathers the small weights.
    void optimizerStep() {
        for (Weight& weight : weights_) {
            weight.gathered = weight.persistent;
            weight.awaited = false;
        }
    }

private:
    struct Weight {
        std::int64_t elements = 0;
        bool persistent = false;
        bool gathered = false;
        bool awaited = false;              ///< gathered, and nobody asked for it yet
        std::int64_t fetchedFor = kNever;  ///< the last step it was taken off the queue for
        std::vector<std::size_t> users;    ///< modules at work with it
    };

    void reset() {
        for (Weight& weight : weights_) {
            weight.gathered = weight.gathered && !weight.awaited;
            weight.awaited = false;
            weight.fetchedFor = kNever;
        }
        next_ = 0;
        step_ = 0;
        available_ = 0;
    }
    void enter(std::size_t module, CommPhase phase) {
        std::vector<std::size_t> missing;
        std::size_t expected = 0;
        for (const std::size_t index : model_.modules[module].weights) {
            expected += weights_[index].fetchedFor < step_ ? std::size_t{1} : std::size_t{0};
            if (!weights_[index].gathered) {
                missing.push_back(index);
            }
        }
        gather(missing, phase);
        for (const std::size_t index : model_.modules[module].weights) {
            weights_[index].users.push_back(module);
            weights_[index].awaited = false;
        }
        skip(expected);
        prefetch(phase);
        ++step_;
    }
    void leave(std::size_t event) {
        const std::size_t module = trace_[event].module;
        const std::vector<std::size_t>& used = model_.modules[module].weights;
        std::vector<bool>& freed = freed_[event];
        const bool isNew = freed.empty();
        for (const std::size_t index : used) {
            Weight& weight = weights_[index];
            std::erase(weight.users, module);
            if (isNew) {
                freed.push_back(!weight.persistent && weight.fetchedFor <= step_ &&
                                !queue_.comesBack(index, step_, options_.maxReuse));
            }
        }
        for (std::size_t at = 0; at < used.size(); ++at) {
            if (freed[at]) {
                release(weights_[used[at]]);
            }
        }
    }
    void release(Weight& weight) {
        if (weight.gathered && !weight.awaited && weight.users.empty()) {
            weight.gathered = false;
            available_ -= weight.elements;
        }
    }
    /// Of modules that backward entered and never left, as their input needs no gradient.
    void releaseLeftovers() {
        for (Weight& weight : weights_) {
            const bool isLeft = !weight.users.empty();
            weight.users.clear();
            if (isLeft && !weight.persistent) {
                release(weight);
            }
        }
    }
    void gather(const std::vector<std::size_t>& list, CommPhase phase) {
        Zero3Gather call{.phase = phase};
        for (const std::size_t index : list) {
            weights_[index].gathered = true;
            weights_[index].awaited = true;
            available_ += weights_[index].elements;
            call.elements += roundUp(weights_[index].elements, options_.ranks);
        }
        if (!list.empty()) {
            gathers_.push_back(call);
        }
    }
    /// Takes the module's own weights off the queue, unless an earlier prefetch did.
    void skip(std::size_t expected) {
        std::vector<std::size_t> skipped;
        while (next_ < queue_.entries.size() && skipped.size() < expected) {
            const FetchQueue::Entry entry = queue_.entries[next_++];
            weights_[entry.weight].fetchedFor = entry.step;
            if (std::find(skipped.begin(), skipped.end(), entry.weight) == skipped.end()) {
                skipped.push_back(entry.weight);
            }
        }
    }
    /// The next of the trace, until they pass the bucket or the limit of what may be live.
    void prefetch(CommPhase phase) {
        const std::int64_t most = std::min(options_.maxLive - available_, options_.prefetchBucket);
        std::vector<std::size_t> chosen;
        std::int64_t elements = 0;
        while (options_.prefetchBucket > 0 && next_ < queue_.entries.size() && elements < most) {
            const FetchQueue::Entry entry = queue_.entries[next_++];
            Weight& weight = weights_[entry.weight];
            weight.fetchedFor = std::max(weight.fetchedFor, entry.step);
            const bool isNew =
                std::find(chosen.begin(), chosen.end(), entry.weight) == chosen.end();
            if (!weight.gathered && isNew) {
                chosen.push_back(entry.weight);
                elements += weight.elements;
            }
        }
        gather(chosen, phase);
    }

    const ModelWeights& model_;
    const std::vector<ModuleEvent>& trace_;
    Zero3Gathering options_;
    FetchQueue queue_;
    std::vector<Weight> weights_;
    /// Which of a module's weights an event that leaves it frees: decided the first time.
    std::vector<std::vector<bool>> freed_;
    std::vector<Zero3Gather> gathers_;
    std::size_t next_ = 0;  ///< in the queue
    std::int64_t step_ = 0;
    std::int64_t available_ = 0;  ///< elements gathered since the reset
};

}  // namespace

// The first pass of all decides what is freed where; with several micro-batches it also frees the
// small weights, and the next one begins without them. The optimizer's step leaves everything as
// the step before did, so that whatever follows the decisions is already steady.
Zero3Step zero3Step(const ModelWeights& model,
                    const std::vector<ModuleEvent>& trace,
                    const Zero3Gathering& options) {
    Coordinator coordinator(model, trace, options);
    const bool several = options.microBatches > 1;
    if (!several) {
        coordinator.optimizerStep();
    }
    coordinator.pass();
    coordinator.optimizerStep();
    Zero3Step step;
    step.first = coordinator.pass();
    step.other = several ? coordinator.pass() : std::vector<Zero3Gather>{};
    return step;
}

}  // namespace fabricast
