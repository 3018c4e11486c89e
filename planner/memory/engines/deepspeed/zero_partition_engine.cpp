#include "planner/memory/engines/deepspeed/zero_partition_engine.h"

#include <algorithm>
#include <utility>

namespace fabricast {

ZeroPartitionEngine::ZeroPartitionEngine(Device& device,
                                         const std::vector<ZeroParameter>& parameters,
                                         ZeroPartitionOptions options)
    : device_(device), options_(options), cut_(parameters, options.cut, options.expertCut) {
    for (const ZeroParameter& parameter : parameters) {
        indexOf_[{parameter.unit, parameter.weight}] = parameters_.size();
        parameters_.push_back({.at = parameter});
        buckets_[parameter.wireWidth];
    }
}

void ZeroPartitionEngine::drop(Storage& reference) {
    if (reference != kNoStorage) {
        device_.release(reference);
        reference = kNoStorage;
    }
}

void ZeroPartitionEngine::refer(Storage& reference, Storage storage) {
    device_.retain(storage);
    drop(reference);
    reference = storage;
}

void ZeroPartitionEngine::takeBriefly(std::int64_t bytes, MemoryKind kind, std::string_view what) {
    device_.release(device_.take(bytes, kind, pool(), what));
}

void ZeroPartitionEngine::setUpBuckets() {
    if (bucketsReady_) {
        return;
    }
    bucketsReady_ = true;
    for (auto& [wire, bucket] : buckets_) {
        bucket.index = 0;
        for (int copy = 0; options_.contiguous && copy < (options_.overlap ? 2 : 1); ++copy) {
            bucket.buffers.push_back(device_.take(options_.bucketElements * bufferWidth(),
                                                  MemoryKind::Communication,
                                                  0,
                                                  "reduce bucket"));
        }
    }
}

/// ZeRO-1 with sums of another type casts each gradient and adds it to a sum beside the parameter.
void ZeroPartitionEngine::sumGradient(Parameter& parameter) {
    const Storage wide = device_.take(
        parameter.at.elements * options_.sumWidth, MemoryKind::Gradients, 0, "gradient sums");
    if (parameter.sum == kNoStorage) {
        parameter.sum = wide;
    } else {
        device_.release(wide);
    }
    drop(parameter.gradient);
}

void ZeroPartitionEngine::takeGradient(int unit, int weight, Storage gradient) {
    const std::size_t index = indexOf_.at({unit, weight});
    Parameter& parameter = parameters_[index];
    if (parameter.gradient == kNoStorage) {
        device_.rename(gradient, MemoryKind::Gradients);
        parameter.gradient = gradient;
    } else {
        device_.release(gradient);  // added in place
    }
    setUpBuckets();
    if (sumsInParameter()) {
        sumGradient(parameter);
    }
    if (options_.partitionGradients || (options_.overlap && boundary_)) {
        fillBucket(index);
    }
}

/// Copies a gradient into its bucket, whose view it becomes; one that no bucket could hold is
/// reduced where it is.
void ZeroPartitionEngine::fillBucket(std::size_t index) {
    Parameter& parameter = parameters_[index];
    Bucket& bucket = buckets_[parameter.at.wireWidth];
    if (overflowsBucket(bucket.elements, parameter.at.elements, options_.bucketElements)) {
        reduceBucket(bucket);
        if (options_.contiguous && options_.overlap) {
            bucket.index = 1 - bucket.index;
        }
    }
    Storage& gradient = reducible(parameter);
    const bool oversized = parameter.at.elements > options_.bucketElements;
    if (options_.contiguous && !oversized) {
        refer(gradient, bucket.buffers[bucket.index]);
    } else if (options_.contiguous && options_.offloadOptimizer) {
        const Storage copy =
            device_.take(device_.bytes(gradient), MemoryKind::Gradients, 0, "oversized gradient");
        drop(gradient);
        gradient = copy;
    }
    bucket.elements += parameter.at.elements;
    bucket.parameters.push_back(index);
}

void ZeroPartitionEngine::reduceBucket(Bucket& bucket) {
    averageBucket(bucket);
    releaseReduced(bucket);
}

/// With fp32 sums of a 16-bit model, owned slices are added to one fp32 partition as they arrive.
void ZeroPartitionEngine::addToPartition(std::int64_t elements) {
    if (options_.sumWidth > options_.width) {
        takeBriefly(elements * options_.sumWidth, MemoryKind::Gradients, "cast slice");
    }
}

std::vector<ZeroPartitionEngine::Pieces> ZeroPartitionEngine::piecesOf(const Bucket& bucket) const {
    std::vector<Pieces> pieces;
    std::int64_t owner = -1;
    for (const std::size_t index : bucket.parameters) {
        const ZeroGroups::Group& group = cut_.of(index);
        if (!options_.contiguous) {  // whole gradients, flattened together
            pieces.push_back({group.experts, parameters_[index].at.elements, false});
            continue;
        }
        for (const ZeroPartition::Slice& slice : cut_.slices(index)) {
            const bool mine = slice.rank == group.cut.rank();
            const bool apart = sumsApart() && mine;
            if (!pieces.empty() && pieces.back().experts == group.experts && owner == slice.rank &&
                !apart) {
                pieces.back().elements += slice.elements;
            } else {
                pieces.push_back({group.experts, slice.elements, mine});
            }
            owner = slice.rank;
        }
    }
    return pieces;
}

/// Slices of a bucket by the rank that owns them are put together into flat copies, each as soon as
/// it passes the bucket size; a single slice needs none. Those of experts are reduced by
/// themselves, among the ranks that have them.
void ZeroPartitionEngine::averageBucket(Bucket& bucket) {
    const std::vector<Pieces> pieces = piecesOf(bucket);
    if (sumsApart() && partitionSum_ == kNoStorage &&
        std::any_of(pieces.begin(), pieces.end(), [](const Pieces& piece) { return piece.mine; })) {
        partitionSum_ = device_.take(cut_.groups().front().cut.partition() * options_.sumWidth,
                                     MemoryKind::Gradients,
                                     pool(),
                                     "gradient partition");
    }
    const bool first = !pieces.empty() && pieces.front().experts;
    reduceFlat(bucket, pieces, first);
    reduceFlat(bucket, pieces, !first);
}

void ZeroPartitionEngine::reduceFlat(const Bucket& bucket,
                                     const std::vector<Pieces>& pieces,
                                     bool experts) {
    const std::int64_t wire = bucket.parameters.empty()
                                  ? bufferWidth()
                                  : parameters_[bucket.parameters.front()].at.wireWidth;
    std::vector<Pieces> together;
    std::int64_t elements = 0;
    const auto flush = [&] {
        Storage flat = kNoStorage;
        Storage cast = kNoStorage;
        if (together.size() > 1 && (options_.reduceScatter || !options_.contiguous)) {
            flat = device_.take(
                elements * bufferWidth(), MemoryKind::Communication, pool(), "flat gradients");
        }
        if (wire != bufferWidth()) {
            cast = device_.take(
                elements * wire, MemoryKind::Communication, pool(), "gradients on the wire");
        }
        for (const Pieces& piece : together) {
            if (sumsApart() && piece.mine) {
                addToPartition(piece.elements);
            }
        }
        drop(cast);
        drop(flat);
        together.clear();
        elements = 0;
    };
    for (const Pieces& piece : pieces) {
        if (piece.experts != experts) {
            continue;
        }
        together.push_back(piece);
        elements += piece.elements;
        if (options_.reduceScatter && options_.contiguous && elements > options_.bucketElements) {
            flush();
        }
    }
    if (!together.empty()) {
        flush();
    }
}

/// What belongs to other ranks is freed; what touches this rank's partition is kept, whole.
void ZeroPartitionEngine::releaseReduced(Bucket& bucket) {
    for (const std::size_t index : std::exchange(bucket.parameters, {})) {
        if (!cut_.owns(index)) {
            if (!options_.partitionGradients) {
                continue;
            }
            if (options_.overlap && !options_.contiguous) {
                reducedBefore_.push_back(index);
            } else {
                drop(reducible(parameters_[index]));
            }
        } else if (options_.contiguous) {
            keepOwned(index);
        }
    }
    bucket.elements = 0;
}

void ZeroPartitionEngine::keepOwned(std::size_t index) {
    if (options_.offloadOptimizer) {
        offloadOwned(index);
        return;
    }
    Parameter& parameter = parameters_[index];
    if (sumsApart()) {
        if (sumsInParameter()) {
            drop(parameter.sum);
        }
        return;
    }
    if (owned_ == kNoStorage) {
        std::int64_t elements = 0;
        for (std::size_t other = 0; other < parameters_.size(); ++other) {
            elements += cut_.owns(other) ? parameters_[other].at.elements : 0;
        }
        owned_ = device_.take(
            elements * options_.width, MemoryKind::Gradients, pool(), "owned gradients");
    }
    refer(parameter.gradient, owned_);
}

/// The norm in double precision, a copy in fp32, and off to the host.
void ZeroPartitionEngine::offloadOwned(std::size_t index) {
    if (!boundary_) {
        return;
    }
    const std::int64_t piece = cut_.pieceElements(index);
    takeBriefly(piece * kFp64, MemoryKind::Workspace, "gradient norm");
    if (!sumsApart() && options_.width != kFp32) {
        takeBriefly(piece * kFp32, MemoryKind::Gradients, "fp32 gradient");
    }
    drop(reducible(parameters_[index]));
}

void ZeroPartitionEngine::endBackward() {
    if (!options_.partitionGradients && !boundary_) {
        return;
    }
    if (!options_.partitionGradients && !options_.overlap) {
        for (std::size_t index = 0; index < parameters_.size(); ++index) {
            if (reducible(parameters_[index]) != kNoStorage) {
                fillBucket(index);
            }
        }
    }
    closeBackward();
}

/// What is left is reduced; buckets go, and all gradients but those kept for the step.
void ZeroPartitionEngine::closeBackward() {
    for (auto& [wire, bucket] : buckets_) {
        averageBucket(bucket);
    }
    for (auto& [wire, bucket] : buckets_) {
        releaseReduced(bucket);
    }
    for (const std::size_t index : std::exchange(reducedBefore_, {})) {
        drop(reducible(parameters_[index]));
    }
    if (!options_.offloadOptimizer) {
        keepForNextMicroStep();
    }
    for (auto& [wire, bucket] : buckets_) {
        for (const Storage buffer : std::exchange(bucket.buffers, {})) {
            device_.release(buffer);
        }
    }
    bucketsReady_ = false;
    drop(owned_);
    for (Parameter& parameter : parameters_) {
        drop(parameter.gradient);
    }
}

void ZeroPartitionEngine::keepForNextMicroStep() {
    if (sumsApart()) {
        return;
    }
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
        Parameter& parameter = parameters_[index];
        if (cut_.owns(index) && parameter.kept == kNoStorage && parameter.gradient != kNoStorage) {
            refer(parameter.kept, parameter.gradient);
        }
    }
}

void ZeroPartitionEngine::beginMicroStep(std::int64_t index, std::int64_t count) {
    boundary_ = index + 1 == count;
    accumulates_ = accumulates_ || count > 1;
}

}  // namespace fabricast
