#include "planner/memory/engines/deepspeed/zero3_parameters.h"

#include "planner/base/integers.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {

namespace {
constexpr std::int16_t kGatherPool = 1;
}  // namespace

Zero3Parameters::Zero3Parameters(Device& device,
                                 const std::vector<ZeroParameter>& parameters,
                                 const Zero3GatherOptions& options)
    : device_(device),
      options_(options),
      coordinator_(elementsOf(parameters), frozenOf(parameters), options.limits) {
    for (const ZeroParameter& parameter : parameters) {
        parameters_.push_back({.elements = parameter.elements,
                               .wireWidth = parameter.wireWidth,
                               .ranks = parameter.expert ? options.expertRanks : options.ranks,
                               .expert = parameter.expert});
    }
}

std::int64_t Zero3Parameters::shardElements(std::size_t parameter) const {
    return ceilDivide(parameters_[parameter].elements, ranksOf(parameter));
}

void Zero3Parameters::reset() {
    const ParameterIds unused = coordinator_.beginPass();
    for (const std::size_t index : unused) {
        wait(index);
        free(index);
    }
    gathers_.clear();
}

void Zero3Parameters::enter(const ModuleVisit& visit, bool inBackward) {
    auto [missing, ahead] = coordinator_.enter(visit.module, visit.parameters, inBackward);
    gather(std::move(missing));
    for (const std::size_t index : visit.parameters) {
        wait(index);
    }
    gather(std::move(ahead));
}

void Zero3Parameters::leave(const ModuleVisit& visit, bool inBackward) {
    for (const std::size_t index : coordinator_.leave(visit.module, visit.parameters, inBackward)) {
        free(index);
    }
}

void Zero3Parameters::endPass() {
    for (const std::size_t index : coordinator_.endPass()) {
        free(index);
    }
}

void Zero3Parameters::free(std::size_t index) {
    Parameter& parameter = parameters_[index];
    if (parameter.data != kNoStorage) {
        device_.release(parameter.data);
        parameter.data = kNoStorage;
    }
}

void Zero3Parameters::partitionAll() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        wait(index);
        free(index);
    }
}

void Zero3Parameters::gatherPersistent() {
    coordinator_.optimizerStep();
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        if (coordinator_.isPersistent(index) && (ranksOf(index) > 1 || options_.offload)) {
            parameters_[index].data =
                device_.take(shardElements(index) * ranksOf(index) * options_.width,
                             MemoryKind::Gathered,
                             0,
                             "persistent parameters");
        }
    }
}

/// From the host, this rank's partition is copied first.
void Zero3Parameters::copyFromHost(std::size_t index) {
    device_.release(device_.take(shardElements(index) * options_.width,
                                 MemoryKind::Gathered,
                                 options_.ownStream ? kGatherPool : std::int16_t{0},
                                 "partition from the host"));
}

/// One call for all of them.
void Zero3Parameters::gather(ParameterIds list) {
    if (list.empty()) {
        return;
    }
    std::sort(list.begin(), list.end());
    Gather made{.parameters = std::move(list)};
    made.waiting = made.parameters.size();
    for (const std::size_t index : made.parameters) {
        parameters_[index].gather = gathers_.size();
    }
    ParameterIds experts = made.parameters;
    const auto split = std::ranges::stable_partition(
        experts, [this](std::size_t index) { return !parameters_[index].expert; });
    const ParameterIds others(experts.begin(), split.begin());
    experts.erase(experts.begin(), split.begin());
    gatherGroup(others, made);
    gatherGroup(experts, made);
    gathers_.push_back(std::move(made));
}

/// One call over the same ranks.
void Zero3Parameters::gatherGroup(const ParameterIds& list, Gather& made) {
    if (list.empty()) {
        return;
    }
    const std::int16_t pool = options_.ownStream ? kGatherPool : std::int16_t{0};
    if (ranksOf(list.front()) == 1) {  // nothing to gather; what lies on the host is copied
        for (const std::size_t index : list) {
            Parameter& parameter = parameters_[index];
            if (options_.offload) {
                parameter.data = device_.take(
                    parameter.elements * options_.width, MemoryKind::Gathered, pool, "parameters");
            }
        }
    } else if (list.size() == 1) {
        gatherOne(list.front(), made);
    } else {
        gatherMany(list, made.buffers);
    }
}

/// A single parameter is gathered into its own storage.
void Zero3Parameters::gatherOne(std::size_t index, Gather& gather) {
    Parameter& parameter = parameters_[index];
    const Storage buffer = device_.take(shardElements(index) * ranksOf(index) * parameter.wireWidth,
                                        MemoryKind::Gathered,
                                        options_.ownStream ? kGatherPool : std::int16_t{0},
                                        "gathered parameters");
    if (options_.offload) {
        copyFromHost(index);
    }
    if (parameter.wireWidth == options_.width) {
        parameter.data = buffer;
    } else {
        gather.buffers.push_back(buffer);
    }
}

/// Several are gathered into one buffer for each type on the wire.
void Zero3Parameters::gatherMany(const ParameterIds& list, std::vector<Storage>& buffers) {
    const std::int16_t pool = options_.ownStream ? kGatherPool : std::int16_t{0};
    std::map<std::int64_t, std::int64_t> elements;  // by width
    for (const std::size_t index : list) {
        elements[parameters_[index].wireWidth] += shardElements(index);
    }
    for (const auto& [width, shard] : elements) {
        buffers.push_back(device_.take(shard * ranksOf(list.front()) * width,
                                       MemoryKind::Gathered,
                                       pool,
                                       "gathered parameters"));
        const bool cast = width != options_.width;
        if (options_.offload) {
            device_.release(device_.take(
                shard * options_.width, MemoryKind::Gathered, pool, "partitions from the host"));
        } else if (cast) {
            device_.release(
                device_.take(shard * width, MemoryKind::Gathered, pool, "cast partitions"));
        }
    }
}

void Zero3Parameters::wait(std::size_t index) {
    const std::size_t which = std::exchange(parameters_[index].gather, kNoGather);
    if (which == kNoGather) {
        return;
    }
    Gather& mine = gathers_[which];
    complete(mine);
    if (--mine.waiting == 0) {
        for (const Storage buffer : std::exchange(mine.buffers, {})) {
            device_.release(buffer);
        }
    }
}

/// Every parameter of the gather gets a storage of its own.
void Zero3Parameters::complete(Gather& gather) {
    if (std::exchange(gather.complete, true)) {
        return;
    }
    const std::int16_t pool = options_.ownStream ? kGatherPool : std::int16_t{0};
    const bool coalesced = !gather.buffers.empty();
    for (const std::size_t index : gather.parameters) {
        Parameter& parameter = parameters_[index];
        if (!coalesced || parameter.ranks == 1 || parameter.data != kNoStorage) {
            continue;
        }
        const bool cast = parameter.wireWidth != options_.width;
        const bool single = gather.parameters.size() == 1;
        Storage narrow = kNoStorage;
        if (cast && !single) {
            narrow = device_.take(parameter.elements * parameter.wireWidth,
                                  MemoryKind::Gathered,
                                  pool,
                                  "parameters on the wire");
        }
        parameter.data = device_.take(
            parameter.elements * options_.width, MemoryKind::Gathered, pool, "parameters");
        if (narrow != kNoStorage) {
            device_.release(narrow);
        }
    }
}

}  // namespace fabricast
