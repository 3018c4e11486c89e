#include "planner/sharding/zero3_coordinator.h"

#include <algorithm>
#include <utility>

namespace fabricast {

Zero3Limits zero3Limits(const DeepSpeedSettings& settings) {
    return {.prefetchBucket = settings.prefetchBucket,
            .persistenceThreshold = settings.persistenceThreshold,
            .maxLive = settings.maxLive,
            .maxReuse = settings.maxReuse};
}

Zero3Coordinator::Zero3Coordinator(const std::vector<std::int64_t>& elements,
                                   const std::vector<bool>& frozen,
                                   const Zero3Limits& limits)
    : limits_(limits) {
    parameters_.reserve(elements.size());
    for (std::size_t index = 0; index < elements.size(); ++index) {
        parameters_.push_back({.elements = elements[index],
                               .persistent = elements[index] <= limits.persistenceThreshold,
                               .frozen = frozen[index]});
    }
}

/// The trace has one step for each module entered.
void Zero3Coordinator::follow(const ModuleTrace& trace) {
    for (const ModuleEvent& event : trace.events) {
        if (!event.enter) {
            continue;
        }
        ParameterIds used = trace.own[event.module];
        std::sort(used.begin(), used.end());
        const auto step = static_cast<std::int64_t>(elementsBefore_.size()) - 1;
        std::int64_t elements = elementsBefore_.back();
        for (const std::size_t parameter : used) {
            queue_.push_back({.parameter = parameter, .step = step});
            parameters_[parameter].steps.push_back(step);
            elements += parameters_[parameter].elements;
        }
        elementsBefore_.push_back(elements);
    }
}

// The first pass decides what is freed where. The optimizer's step leaves everything as the step
// before did, so whatever follows is already steady.
void Zero3Coordinator::settle(const ModuleTrace& trace, bool severalMicroBatches) {
    follow(trace);
    if (!severalMicroBatches) {
        optimizerStep();
    }
    beginPass();
    for (const ModuleEvent& event : trace.events) {
        const auto module = static_cast<std::int64_t>(event.module);
        const bool inBackward = event.pass == TracePass::Backward;
        if (event.enter) {
            enter(module, trace.own[event.module], inBackward);
        } else {
            leave(module, trace.own[event.module], inBackward);
        }
    }
    endPass();
    optimizerStep();
}

ParameterIds Zero3Coordinator::beginPass() {
    ParameterIds unused;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        Parameter& parameter = parameters_[index];
        if (parameter.awaited) {
            unused.push_back(index);
            parameter.gathered = false;
            parameter.awaited = false;
        }
        parameter.fetchedFor = kNever;
    }
    next_ = 0;
    leaves_ = 0;
    step_ = 0;
    available_ = 0;
    return unused;
}

void Zero3Coordinator::workOn(std::int64_t module, const ParameterIds& own) {
    if (std::ranges::find(atWork_, module, &AtWork::module) == atWork_.end()) {
        atWork_.push_back({.module = module, .own = own, .recomputed = {}});
    }
}

/// Frozen parameters are also the work of the module that backward has come to.
void Zero3Coordinator::recompute(const ParameterIds& own) {
    AtWork& last = atWork_.back();
    for (const std::size_t index : own) {
        if (parameters_[index].frozen) {
            last.recomputed.push_back(index);
            parameters_[index].users.push_back(last.module);
        }
    }
}

Zero3Coordinator::AtWork Zero3Coordinator::finish(std::int64_t module) {
    const auto found = std::ranges::find(atWork_, module, &AtWork::module);
    AtWork done = found == atWork_.end() ? AtWork{} : std::move(*found);
    if (found != atWork_.end()) {
        atWork_.erase(found);
    }
    return done;
}

Zero3Coordinator::Entered Zero3Coordinator::enter(std::int64_t module,
                                                  const ParameterIds& own,
                                                  bool inBackward) {
    if (inBackward) {
        workOn(module, own);
    }
    Entered entered;
    std::size_t expected = 0;
    for (const std::size_t index : own) {
        expected += parameters_[index].fetchedFor < step_ ? std::size_t{1} : std::size_t{0};
        if (!parameters_[index].gathered) {
            entered.missing.push_back(index);
        }
    }
    gather(entered.missing);
    for (const std::size_t index : own) {
        parameters_[index].users.push_back(module);
        parameters_[index].awaited = false;
    }
    if (!inBackward && !atWork_.empty()) {
        recompute(own);
    }
    skip(expected);
    entered.ahead = chooseAhead();
    gather(entered.ahead);
    ++step_;
    return entered;
}

void Zero3Coordinator::leaveOne(std::int64_t module,
                                std::size_t index,
                                bool frees,
                                ParameterIds& released) {
    std::erase(parameters_[index].users, module);
    if (frees && release(parameters_[index])) {
        released.push_back(index);
    }
}

ParameterIds Zero3Coordinator::leave(std::int64_t module,
                                     const ParameterIds& own,
                                     bool inBackward) {
    if (leaves_ == freed_.size()) {
        freed_.emplace_back();
        for (const std::size_t index : own) {
            const Parameter& parameter = parameters_[index];
            freed_.back().push_back(!parameter.persistent && parameter.fetchedFor <= step_ &&
                                    !comesBack(parameter));
        }
    }
    const std::vector<bool>& freed = freed_[leaves_++];
    ParameterIds released;
    if (inBackward) {
        for (const std::size_t index : finish(module).recomputed) {
            leaveOne(module, index, !parameters_[index].persistent, released);
        }
    }
    for (std::size_t at = 0; at < own.size(); ++at) {
        leaveOne(module, own[at], freed[at], released);
    }
    return released;
}

ParameterIds Zero3Coordinator::endPass() {
    ParameterIds released;
    while (!atWork_.empty()) {
        const AtWork left = finish(atWork_.back().module);
        for (const ParameterIds& list : {left.own, left.recomputed}) {
            for (const std::size_t index : list) {
                leaveOne(left.module, index, !parameters_[index].persistent, released);
            }
        }
    }
    return released;
}

void Zero3Coordinator::optimizerStep() {
    for (Parameter& parameter : parameters_) {
        parameter.gathered = parameter.persistent;
        parameter.awaited = false;
        parameter.users.clear();
    }
    atWork_.clear();
}

void Zero3Coordinator::gather(const ParameterIds& list) {
    for (const std::size_t index : list) {
        parameters_[index].gathered = true;
        parameters_[index].awaited = true;
        available_ += parameters_[index].elements;
    }
}

bool Zero3Coordinator::release(Parameter& parameter) {
    if (!parameter.gathered || parameter.awaited || !parameter.users.empty()) {
        return false;
    }
    parameter.gathered = false;
    available_ -= parameter.elements;
    return true;
}

/// Takes the module's own parameters off the queue, unless an earlier prefetch did.
void Zero3Coordinator::skip(std::size_t expected) {
    ParameterIds skipped;
    while (next_ < queue_.size() && skipped.size() < expected) {
        const QueueEntry entry = queue_[next_++];
        parameters_[entry.parameter].fetchedFor = entry.step;
        if (std::find(skipped.begin(), skipped.end(), entry.parameter) == skipped.end()) {
            skipped.push_back(entry.parameter);
        }
    }
}

/// The next of the trace, until they pass the bucket or the limit of what may be live.
ParameterIds Zero3Coordinator::chooseAhead() {
    const std::int64_t most = std::min(limits_.maxLive - available_, limits_.prefetchBucket);
    ParameterIds chosen;
    std::int64_t elements = 0;
    while (limits_.prefetchBucket > 0 && next_ < queue_.size() && elements < most) {
        const QueueEntry entry = queue_[next_++];
        Parameter& parameter = parameters_[entry.parameter];
        parameter.fetchedFor = std::max(parameter.fetchedFor, entry.step);
        if (!parameter.gathered &&
            std::find(chosen.begin(), chosen.end(), entry.parameter) == chosen.end()) {
            chosen.push_back(entry.parameter);
            elements += parameter.elements;
        }
    }
    return chosen;
}

/// Whether the trace comes back to the parameter before `maxReuse` elements went by.
bool Zero3Coordinator::comesBack(const Parameter& parameter) const {
    const auto next = std::lower_bound(parameter.steps.begin(), parameter.steps.end(), step_);
    const auto before = [&](std::int64_t step) {
        return elementsBefore_[static_cast<std::size_t>(step)];
    };
    return next != parameter.steps.end() && before(*next) - before(step_) < limits_.maxReuse;
}

}  // namespace fabricast
