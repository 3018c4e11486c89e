#include "planner/comm/zero3_gathers.h"

#include <algorithm>
#include <limits>

namespace fabricast {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

class Coordinator {
public:
    Coordinator(const ModelWeights& model,
                const std::vector<ModuleEvent>& trace,
                const Zero3Gathering& options)
        : model_(model), options_(options), weights_(model.tensors.size()) {
        for (std::size_t index = 0; index < weights_.size(); ++index) {
            weights_[index].elements = model.tensors[index].elements();
            weights_[index].persistent = weights_[index].elements <= options.persistenceThreshold;
            weights_[index].gathered = weights_[index].persistent;
        }
        for (const ModuleEvent& event : trace) {
            if (event.enter) {
                follow(event.module);
            }
        }
    }

    void enter(std::size_t module, CommPhase phase) {
        std::vector<std::size_t> missing;
        std::size_t expected = 0;
        for (const std::size_t index : model_.modules[module].weights) {
            weights_[index].users.push_back(module);
            expected += weights_[index].fetchedFor < step_ ? std::size_t{1} : std::size_t{0};
            if (!weights_[index].gathered) {
                missing.push_back(index);
            }
        }
        gather(missing, phase);
        skip(expected);
        prefetch(phase);
        ++step_;
    }
    void leave(std::size_t module) {
        for (const std::size_t index : model_.modules[module].weights) {
            Weight& weight = weights_[index];
            std::erase(weight.users, module);
            const bool kept = weight.persistent || weight.fetchedFor > step_ || neededSoon(weight);
            if (!kept && weight.gathered && weight.users.empty()) {
                weight.gathered = false;
                available_ -= weight.elements;
            }
        }
    }
    [[nodiscard]] std::vector<Zero3Gather> take() { return std::move(gathers_); }

private:
    struct Weight {
        std::int64_t elements = 0;
        bool persistent = false;
        bool gathered = false;
        std::int64_t fetchedFor = kNever;  ///< the last step it was taken off the queue for
        std::vector<std::size_t> users;    ///< modules at work with it
        std::vector<std::int64_t> steps;   ///< of the trace that use it
    };
    struct Queued {
        std::size_t weight = 0;
        std::int64_t step = 0;
    };

    void follow(std::size_t module) {
        std::vector<std::size_t> used = model_.modules[module].weights;
        std::sort(used.begin(), used.end());
        const auto step = static_cast<std::int64_t>(elementsBefore_.size()) - 1;
        std::int64_t elements = elementsBefore_.back();
        for (const std::size_t index : used) {
            queue_.push_back({.weight = index, .step = step});
            weights_[index].steps.push_back(step);
            elements += weights_[index].elements;
        }
        elementsBefore_.push_back(elements);
    }
    void gather(const std::vector<std::size_t>& list, CommPhase phase) {
        Zero3Gather call{.phase = phase};
        for (const std::size_t index : list) {
            weights_[index].gathered = true;
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
        while (next_ < queue_.size() && skipped.size() < expected) {
            const Queued entry = queue_[next_++];
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
        while (options_.prefetchBucket > 0 && next_ < queue_.size() && elements < most) {
            const Queued entry = queue_[next_++];
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
    /// Whether the trace comes back to it before `maxReuse` elements went by.
    [[nodiscard]] bool neededSoon(const Weight& weight) const {
        const auto next = std::lower_bound(weight.steps.begin(), weight.steps.end(), step_);
        if (next == weight.steps.end()) {
            return false;
        }
        const auto before = [&](std::int64_t step) {
            return elementsBefore_[static_cast<std::size_t>(step)];
        };
        return before(*next) - before(step_) < options_.maxReuse;
    }

    const ModelWeights& model_;
    Zero3Gathering options_;
    std::vector<Weight> weights_;
    std::vector<std::int64_t> elementsBefore_ = {0};  ///< of the trace, by step
    std::vector<Queued> queue_;
    std::vector<Zero3Gather> gathers_;
    std::size_t next_ = 0;  ///< in the queue
    std::int64_t step_ = 0;
    std::int64_t available_ = 0;  ///< elements gathered
};

}  // namespace

std::vector<Zero3Gather> zero3Gathers(const ModelWeights& model,
                                      const std::vector<ModuleEvent>& trace,
                                      const Zero3Gathering& options) {
    Coordinator coordinator(model, trace, options);
    for (const ModuleEvent& event : trace) {
        if (event.enter) {
            coordinator.enter(event.module, event.phase);
        } else {
            coordinator.leave(event.module);
        }
    }
    return coordinator.take();
}

}  // namespace fabricast
