#include "planner/memory/zero3_parameters.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {

namespace {
constexpr int kGatherPool = 1;
}  // namespace

/// From the host, this rank's partition is copied first.
void Zero3Parameters::copyFromHost(std::size_t index) {
    device_.release(device_.take(shardElements(index) * options_.width,
                                 MemoryKind::Gathered,
                                 options_.ownStream ? kGatherPool : 0,
                                 "partition from the host"));
}

void Zero3Parameters::gather(std::vector<std::size_t> list) {
    if (list.empty()) {
        return;
    }
    std::sort(list.begin(), list.end());
    Gather made{.parameters = std::move(list)};
    made.waiting = made.parameters.size();
    for (const std::size_t index : made.parameters) {
        Parameter& parameter = parameters_[index];
        parameter.status = Status::InFlight;
        parameter.gather = gathers_.size();
        available_ += parameter.elements;
    }
    const int pool = options_.ownStream ? kGatherPool : 0;
    if (options_.ranks == 1) {  // nothing to gather; what lies on the host is copied
        for (const std::size_t index : made.parameters) {
            Parameter& parameter = parameters_[index];
            if (options_.offload) {
                parameter.data = device_.take(
                    parameter.elements * options_.width, MemoryKind::Gathered, pool, "parameters");
            }
        }
    } else if (made.parameters.size() == 1) {
        gatherOne(made.parameters.front(), made);
    } else {
        gatherMany(made, made.buffers);
    }
    gathers_.push_back(std::move(made));
}

/// A single parameter is gathered into its own storage.
void Zero3Parameters::gatherOne(std::size_t index, Gather& gather) {
    Parameter& parameter = parameters_[index];
    const Storage buffer = device_.take(shardElements(index) * options_.ranks * parameter.wireWidth,
                                        MemoryKind::Gathered,
                                        options_.ownStream ? kGatherPool : 0,
                                        "parameters");
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
void Zero3Parameters::gatherMany(const Gather& made, std::vector<Storage>& buffers) {
    const int pool = options_.ownStream ? kGatherPool : 0;
    std::map<std::int64_t, std::int64_t> elements;  // by width
    for (const std::size_t index : made.parameters) {
        elements[parameters_[index].wireWidth] += shardElements(index);
    }
    for (const auto& [width, shard] : elements) {
        buffers.push_back(device_.take(
            shard * options_.ranks * width, MemoryKind::Gathered, pool, "gathered parameters"));
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
    const int pool = options_.ownStream ? kGatherPool : 0;
    const bool coalesced = !gather.buffers.empty();
    for (const std::size_t index : gather.parameters) {
        Parameter& parameter = parameters_[index];
        parameter.status = Status::Available;
        if (!coalesced || parameter.data != kNoStorage) {
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

void Zero3Parameters::gatherPersistent() {
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        Parameter& parameter = parameters_[index];
        if (!parameter.persistent || parameter.status != Status::Partitioned) {
            continue;
        }
        parameter.status = Status::Available;
        if (options_.ranks > 1 || options_.offload) {
            parameter.data = device_.take(shardElements(index) * options_.ranks * options_.width,
                                          MemoryKind::Gathered,
                                          0,
                                          "persistent parameters");
        }
    }
}

}  // namespace fabricast
