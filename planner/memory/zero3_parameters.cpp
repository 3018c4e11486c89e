#include "planner/memory/zero3_parameters.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

std::int64_t share(std::int64_t elements, std::int64_t ranks) {
    return (elements + ranks - 1) / ranks;
}

}  // namespace

Zero3Parameters::Zero3Parameters(Device& device,
                                 const std::vector<ZeroParameter>& parameters,
                                 Zero3GatherOptions options)
    : device_(device), options_(options) {
    for (const ZeroParameter& parameter : parameters) {
        parameters_.push_back({.elements = parameter.elements,
                               .wireWidth = parameter.wireWidth,
                               .persistent = parameter.elements <= options_.persistenceThreshold});
    }
}

std::int64_t Zero3Parameters::shardElements(std::size_t parameter) const {
    return share(parameters_[parameter].elements, options_.ranks);
}

void Zero3Parameters::follow(std::vector<ModuleVisit> trace) {
    trace_ = std::move(trace);
    elementsBefore_.assign(1, 0);
    queue_.clear();
    for (std::size_t step = 0; step < trace_.size(); ++step) {
        std::int64_t elements = 0;
        std::sort(trace_[step].parameters.begin(), trace_[step].parameters.end());
        for (const std::size_t index : trace_[step].parameters) {
            queue_.push_back({index, static_cast<std::int64_t>(step)});
            parameters_[index].steps.push_back(static_cast<std::int64_t>(step));
            elements += parameters_[index].elements;
        }
        elementsBefore_.push_back(elementsBefore_.back() + elements);
    }
}

void Zero3Parameters::reset() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        if (parameters_[index].gather != kNoGather) {  // fetched ahead, and never used
            wait(index);
            release(index);
        }
    }
    gathers_.clear();
    next_ = 0;
    step_ = 0;
    available_ = 0;
    for (Parameter& parameter : parameters_) {
        parameter.fetchedFor = kNever;
    }
}

/// Gathers what the module lacks, waits for it, and gathers ahead.
void Zero3Parameters::enter(const ModuleVisit& visit) {
    std::vector<std::size_t> missing;
    for (const std::size_t index : visit.parameters) {
        if (parameters_[index].status == Status::Partitioned) {
            missing.push_back(index);
        }
    }
    gather(std::move(missing));
    for (const std::size_t index : visit.parameters) {
        parameters_[index].users.insert(visit.module);
        wait(index);
    }
    if (!trace_.empty()) {
        skipFetched(visit.parameters);
        prefetch();
    }
    ++step_;
}

/// Takes the module's parameters off the queue, unless an earlier prefetch did.
void Zero3Parameters::skipFetched(const std::vector<std::size_t>& parameters) {
    std::size_t expected = 0;
    for (const std::size_t index : parameters) {
        expected += parameters_[index].fetchedFor < step_ ? std::size_t{1} : std::size_t{0};
    }
    std::set<std::size_t> skipped;
    while (next_ < queue_.size() && skipped.size() < expected) {
        const QueueEntry entry = queue_[next_++];
        parameters_[entry.parameter].fetchedFor = entry.step;
        skipped.insert(entry.parameter);
    }
}

/// Gathers the next parameters of the trace until they pass the bucket or the limit of live ones.
void Zero3Parameters::prefetch() {
    if (options_.prefetchBucket <= 0) {
        return;
    }
    const std::int64_t most = std::min(options_.maxLive - available_, options_.prefetchBucket);
    std::set<std::size_t> chosen;
    std::int64_t elements = 0;
    while (next_ < queue_.size() && elements < most) {
        const QueueEntry entry = queue_[next_++];
        Parameter& parameter = parameters_[entry.parameter];
        parameter.fetchedFor = std::max(parameter.fetchedFor, entry.step);
        if (parameter.status == Status::Partitioned && chosen.insert(entry.parameter).second) {
            elements += parameter.elements;
        }
    }
    gather({chosen.begin(), chosen.end()});
}

/// True where the trace comes back to the parameter before `maxReuse` elements went by.
bool Zero3Parameters::neededSoon(const Parameter& parameter) const {
    const auto next = std::lower_bound(parameter.steps.begin(), parameter.steps.end(), step_);
    if (next == parameter.steps.end()) {
        return false;
    }
    const auto here = static_cast<std::size_t>(
        std::min(step_, static_cast<std::int64_t>(elementsBefore_.size()) - 1));
    return elementsBefore_[static_cast<std::size_t>(*next)] - elementsBefore_[here] <
           options_.maxReuse;
}

void Zero3Parameters::leave(const ModuleVisit& visit) {
    for (const std::size_t index : visit.parameters) {
        Parameter& parameter = parameters_[index];
        parameter.users.erase(visit.module);
        const bool keep = parameter.persistent || parameter.fetchedFor > step_ ||
                          (!trace_.empty() && neededSoon(parameter));
        if (!keep) {
            release(index);
        }
    }
}

void Zero3Parameters::release(std::size_t index) {
    Parameter& parameter = parameters_[index];
    if (parameter.status == Status::Available && parameter.users.empty()) {
        free(parameter);
        available_ -= parameter.elements;
    }
}

void Zero3Parameters::free(Parameter& parameter) {
    if (parameter.data != kNoStorage) {
        device_.release(parameter.data);
        parameter.data = kNoStorage;
    }
    parameter.status = Status::Partitioned;
}

void Zero3Parameters::partitionAll() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        wait(index);
        parameters_[index].users.clear();
        free(parameters_[index]);
    }
}

}  // namespace fabricast
