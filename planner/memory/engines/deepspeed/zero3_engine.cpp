#include "planner/memory/engines/deepspeed/zero3_engine.h"

#include "planner/sharding/zero_partition.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {
constexpr std::int16_t kReducePool = 2;
/// _constant_buffered_norm2 takes the norm of at most this many elements at a time.
constexpr std::int64_t kNormElements = 250'000'000;
}  // namespace

Zero3Engine::Zero3Engine(Device& device,
                         const std::vector<ZeroParameter>& parameters,
                         const std::map<std::pair<int, int>, std::size_t>& indexOf,
                         Zero3Options options)
    : device_(device),
      options_(options),
      parameters_(parameters),
      indexOf_(indexOf),
      gathering_(device, parameters, options.gather),
      gradients_(parameters.size(), kNoStorage) {
    for (const ZeroParameter& parameter : parameters_) {
        if (parameter.trained) {
            buckets_[parameter.wireWidth];
        }
    }
}

void Zero3Engine::drop(Storage& storage) {
    if (storage != kNoStorage) {
        device_.release(storage);
        storage = kNoStorage;
    }
}

void Zero3Engine::takeBriefly(std::int64_t bytes,
                              MemoryKind kind,
                              std::string_view what,
                              std::int16_t pool) {
    device_.release(device_.take(bytes, kind, pool, what));
}

ModuleVisit Zero3Engine::visitOf(const ModuleCall& call) const {
    ModuleVisit visit{.module = call.module};
    for (const int weight : call.weights) {
        if (const auto found = indexOf_.find({call.unit, weight}); found != indexOf_.end()) {
            visit.parameters.push_back(found->second);
        }
    }
    return visit;
}

void Zero3Engine::beginForward() {
    gathering_.reset();
}

void Zero3Engine::recordEvent(const ModuleVisit& visit, bool enter, bool inBackward) {
    if (!records_) {
        return;
    }
    const auto [found, isNew] = traced_.emplace(visit.module, trace_.own.size());
    if (isNew) {
        trace_.own.push_back(visit.parameters);
    }
    trace_.events.push_back({.enter = enter,
                             .module = found->second,
                             .pass = inBackward ? TracePass::Backward : TracePass::Forward});
}

void Zero3Engine::enterModule(const ModuleCall& call, bool inBackward) {
    const ModuleVisit visit = visitOf(call);
    recordEvent(visit, true, inBackward);
    gathering_.enter(visit, inBackward);
}

void Zero3Engine::leaveModule(const ModuleCall& call, bool inBackward) {
    const ModuleVisit visit = visitOf(call);
    recordEvent(visit, false, inBackward);
    gathering_.leave(visit, inBackward);
}

Storage Zero3Engine::weightStorage(int unit, int weight) const {
    const auto found = indexOf_.find({unit, weight});
    return found == indexOf_.end() ? kNoStorage : gathering_.gathered(found->second);
}

/// Into the bucket of its type on the wire, which is reduced first if it would overflow, or has
/// gradients that are cut over other ranks.
void Zero3Engine::takeGradient(int unit, int weight, Storage gradient) {
    const std::size_t index = indexOf_.at({unit, weight});
    const ZeroParameter& parameter = parameters_[index];
    device_.rename(gradient, MemoryKind::Gradients);
    gradients_[index] = gradient;
    Bucket& bucket = buckets_[parameter.wireWidth];
    const bool others = !bucket.parameters.empty() &&
                        parameters_[bucket.parameters.front()].expert != parameter.expert;
    if (others || overflowsBucket(bucket.elements, parameter.elements, options_.bucketElements)) {
        reduceBucket(bucket, parameter.wireWidth);
    }
    if (options_.contiguous && bucket.elements + parameter.elements <= options_.bucketElements) {
        drop(gradients_[index]);  // copied; the parameter's gradient is a view of the bucket
    }
    bucket.parameters.push_back(index);
    bucket.elements += parameter.elements;
}

/// Gradients are interleaved by rank into one flat buffer, unless there is only one that divides.
Storage Zero3Engine::scatter(const Bucket& bucket, std::int64_t wire) {
    const std::int64_t ranks = gathering_.ranksOf(bucket.parameters.front());
    const std::int64_t width = options_.gather.width;
    if (options_.contiguous && !options_.reduceScatter &&
        bucket.elements <= options_.bucketElements) {  // all-reduced, then divided into a copy
        return ranks > 1 ? device_.take(bucket.elements * wire,
                                        MemoryKind::Communication,
                                        kReducePool,
                                        "averaged gradients")
                         : kNoStorage;
    }
    std::vector<Storage> casts;
    std::int64_t padded = 0;
    for (const std::size_t index : bucket.parameters) {
        padded += gathering_.shardElements(index) * ranks;
        if (wire != width && gradients_[index] != kNoStorage) {
            casts.push_back(device_.take(parameters_[index].elements * wire,
                                         MemoryKind::Communication,
                                         kReducePool,
                                         "gradients on the wire"));
        }
    }
    Storage flat = kNoStorage;
    if (bucket.parameters.size() > 1 || padded != bucket.elements) {
        flat =
            device_.take(padded * wire, MemoryKind::Communication, kReducePool, "flat gradients");
    } else if (!casts.empty()) {
        return casts.front();
    }
    for (const Storage cast : casts) {
        device_.release(cast);
    }
    return flat;
}

void Zero3Engine::reduceBucket(Bucket& bucket, std::int64_t wire) {
    if (bucket.parameters.empty()) {
        return;
    }
    Storage flat = scatter(bucket, wire);
    const auto partitions = [&](std::int64_t width) {
        std::vector<Storage> made;
        for (const std::size_t index : bucket.parameters) {
            made.push_back(device_.take(gathering_.shardElements(index) * width,
                                        MemoryKind::Gradients,
                                        kReducePool,
                                        "gradient partitions"));
        }
        drop(flat);
        return made;
    };
    const bool scaled = gathering_.ranksOf(bucket.parameters.front()) != options_.gather.ranks;
    std::vector<Storage> sums;
    if (scaled) {  // a mean over all ranks, of what only some have
        sums = partitions(wire);
    }
    if (wire != options_.sumWidth) {
        for (const Storage before : std::exchange(sums, partitions(options_.sumWidth))) {
            device_.release(before);
        }
    }
    for (const std::size_t index : bucket.parameters) {
        keepPartition(index);
    }
    for (const Storage gradient : std::exchange(awaitSwap_, {})) {
        device_.release(gradient);
    }
    for (const Storage sum : sums) {
        device_.release(sum);
    }
    drop(flat);
    bucket.parameters.clear();
    bucket.elements = 0;
}

/// Added to this rank's partition, on the device or by way of it.
void Zero3Engine::keepPartition(std::size_t index) {
    const std::int64_t shard = gathering_.shardElements(index);
    if (options_.offloadOptimizer) {
        const Storage partition = device_.take(
            shard * options_.sumWidth, MemoryKind::Gradients, kReducePool, "gradient partition");
        if (boundary_) {
            takeBriefly(std::min(shard, kNormElements) * kFp64,
                        MemoryKind::Workspace,
                        "gradient norm",
                        kReducePool);
            if (options_.sumWidth != kFp32) {
                const Storage wide = device_.take(
                    shard * kFp32, MemoryKind::Gradients, kReducePool, "fp32 gradient partition");
                if (options_.swap.optimizer) {
                    awaitSwap_.push_back(wide);
                } else {
                    device_.release(wide);
                }
            }
        }
        device_.release(partition);
    }
    drop(gradients_[index]);
}

/// The last bucket; then what was entered and never left.
void Zero3Engine::endBackward() {
    for (auto& [wire, bucket] : buckets_) {
        reduceBucket(bucket, wire);
    }
    gathering_.endPass();
}

void Zero3Engine::beginMicroStep(std::int64_t index, std::int64_t count) {
    boundary_ = index + 1 == count;
}

}  // namespace fabricast
