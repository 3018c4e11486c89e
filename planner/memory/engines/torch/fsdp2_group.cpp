#include "planner/memory/engines/torch/fsdp2_group.h"

#include "planner/base/integers.h"
#include "planner/sharding/fsdp2_units.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {
constexpr std::int16_t kGroupGatherPool = 1;
constexpr std::int16_t kGroupReducePool = 2;
/// What a block of torch's copy of gradients writes, and a number of the table that it reads.
constexpr std::int64_t kCopyBlock = 2048;
constexpr std::int64_t kCopyNumber = 8;

std::size_t weightIndex(int id) {
    return static_cast<std::size_t>(id);
}
bool anyOf(const std::vector<Storage>& storages) {
    return std::any_of(
        storages.begin(), storages.end(), [](Storage storage) { return storage != kNoStorage; });
}
}  // namespace

int Fsdp2Group::add(const WeightUse& weight) {
    weights_.push_back(weight);
    if (weight.tied && options_->tiesOneParameter) {
        weights_.back().elements = 0;  // gathered and reduced with the table's first use
    }
    parameters_.push_back(kNoStorage);
    gradients_.push_back(kNoStorage);
    accumulated_.push_back(kNoStorage);
    return static_cast<int>(weights_.size()) - 1;
}

bool Fsdp2Group::hasGradients() const {
    return anyOf(gradients_);
}

bool Fsdp2Group::hasAccumulated() const {
    return anyOf(accumulated_);
}

bool Fsdp2Group::splitsInner(const WeightUse& weight) const {
    return weight.experts > 0 && options_->cutsExpertRows;
}

/// Codes of 4 bits lie in a column of bf16 numbers.
std::int64_t Fsdp2Group::shardOf(const WeightUse& weight) const {
    if (weight.codeBytes > 0) {
        const std::int64_t numbers = ceilDivide(weight.codeBytes, std::int64_t{2});
        return fsdpShard({.stack = 1, .rows = numbers, .columns = 1, .alongRows = true}, ranks_);
    }
    const std::int64_t stack = std::max<std::int64_t>(weight.experts, 1);
    const std::int64_t columns = std::max<std::int64_t>(weight.columns, 1);
    return fsdpShard({.stack = stack,
                      .rows = weight.elements / (stack * columns),
                      .columns = columns,
                      .alongRows = weight.experts == 0 || options_->cutsExpertRows},
                     ranks_);
}

std::int64_t Fsdp2Group::shardBytes() const {
    std::int64_t sum = 0;
    for (const WeightUse& weight : weights_) {
        sum += weight.tied ? 0 : shardOf(weight) * storedWidth(weight);
    }
    return sum;
}

std::int64_t Fsdp2Group::wholeBytes() const {
    std::int64_t sum = 0;
    for (const WeightUse& weight : weights_) {
        sum += weight.packedBytes - weight.codeBytes;
    }
    return sum;
}

std::int64_t Fsdp2Group::castBytes() const {
    std::int64_t sum = 0;
    for (const WeightUse& weight : weights_) {
        const bool cast = !weight.tied && storedWidth(weight) != options_->computeWidth;
        sum += cast ? shardOf(weight) * options_->computeWidth : 0;
    }
    return sum;
}

std::vector<StepTensor> Fsdp2Group::shardTensors() const {
    std::vector<StepTensor> tensors;
    for (const WeightUse& weight : weights_) {
        if (weight.trained && !weight.tied) {
            const std::int64_t master = options_->masterWidth;
            const bool isMatrix = weight.columns > 0 && weight.experts == 0;
            tensors.push_back({.elements = shardOf(weight),
                               .width = master > 0 ? master : storedWidth(weight),
                               .innermost = weight.columns,
                               .hiddenMatrix = isMatrix && weight.inLayer,
                               .wholeRows = isMatrix ? weight.elements / weight.columns : 0});
        }
    }
    return tensors;
}

void Fsdp2Group::drop(Storage& storage) {
    if (storage != kNoStorage) {
        device_->release(storage);
        storage = kNoStorage;
    }
}

/// The shard is cast to the compute type, and gathered into one flat buffer. A group of one rank
/// gathers nothing.
void Fsdp2Group::unshard() {
    if (unsharded_ || onItsWay_) {
        return;
    }
    onItsWay_ = true;
    if (ranks_ == 1 && !options_->offload) {
        return;
    }
    const std::int64_t width = options_->computeWidth;
    Storage cast = kNoStorage;
    Storage fetched = kNoStorage;
    if (options_->offload) {
        fetched = device_->take(
            shardBytes(), MemoryKind::Gathered, kGroupGatherPool, "shard from the host");
    }
    if (const std::int64_t bytes = castBytes(); bytes > 0) {
        cast = device_->take(bytes, MemoryKind::Gathered, kGroupGatherPool, "cast shard");
    }
    std::int64_t whole = 0;
    for (const WeightUse& weight : weights_) {
        whole += shardOf(weight) * ranks_;
    }
    gathered_ =
        device_->take(whole * width, MemoryKind::Gathered, kGroupGatherPool, "all-gather output");
    drop(cast);
    drop(fetched);
}

/// One weight after another is cast and copied; its cast goes when the next one's is made.
void Fsdp2Group::copyAlone() {
    Storage before = kNoStorage;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const std::int64_t bytes = shardOf(weights_[i]) * options_->computeWidth;
        Storage cast = kNoStorage;
        if (storedWidth(weights_[i]) != options_->computeWidth) {
            cast = device_->take(bytes, MemoryKind::Gathered, 0, "cast shard");
        }
        drop(before);
        parameters_[i] = device_->take(bytes, MemoryKind::Gathered, 0, "unsharded parameters");
        before = cast;
    }
    drop(before);
}

/// What is cut along an inner dimension is copied twice, to put its pieces in order.
void Fsdp2Group::copyOut() {
    std::vector<Storage> unordered;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const std::int64_t bytes = shardOf(weights_[i]) * ranks_ * options_->computeWidth;
        parameters_[i] = device_->take(bytes, MemoryKind::Gathered, 0, "unsharded parameters");
        if (splitsInner(weights_[i])) {
            unordered.push_back(
                device_->take(bytes, MemoryKind::Gathered, 0, "unsharded parameters, by rank"));
        }
    }
    for (Storage& storage : unordered) {
        drop(storage);
    }
}

Storage Fsdp2Group::waitForUnshard() {
    if (!onItsWay_) {
        return kNoStorage;
    }
    if (gathered_ == kNoStorage) {
        copyAlone();
    } else {
        copyOut();
    }
    onItsWay_ = false;
    unsharded_ = true;
    return std::exchange(gathered_, kNoStorage);
}

void Fsdp2Group::reshard() {
    for (Storage& parameter : parameters_) {
        drop(parameter);
    }
    unsharded_ = false;
}

void Fsdp2Group::forgetGather() {
    drop(gathered_);
    onItsWay_ = false;
}

/// Autograd adds a gradient in place to what is there. Where the group's backward was not entered,
/// as the head's is not under a chunked loss, each gradient is cast to the reduce type first.
void Fsdp2Group::takeGradient(int weight, Storage gradient) {
    device_->rename(gradient, MemoryKind::Gradients);
    const std::size_t i = weightIndex(weight);
    if (!inBackward_) {
        gradient = widened(i, gradient);
    }
    Storage& slot = inBackward_ && accumulated_[i] == kNoStorage ? gradients_[i] : accumulated_[i];
    if (slot == kNoStorage) {
        slot = gradient;
    } else {
        device_->release(gradient);
    }
}

Storage Fsdp2Group::widened(std::size_t weight, Storage gradient) {
    if (options_->reduceWidth == options_->computeWidth) {
        return gradient;
    }
    const Storage wide = device_->take(weights_[weight].elements * options_->reduceWidth,
                                       MemoryKind::Gradients,
                                       0,
                                       "unsharded gradients");
    device_->release(gradient);
    return wide;
}

void Fsdp2Group::keepUnsharded() {
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
        if (gradients_[i] != kNoStorage) {
            accumulated_[i] = widened(i, std::exchange(gradients_[i], kNoStorage));
        }
    }
}

/// The copy into the reduce-scatter's input reads six numbers of each gradient and two more, and
/// for each block of a rank's part of which gradient it is.
std::int64_t Fsdp2Group::copyTableBytes() const {
    std::int64_t numbers = 2;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        if (gradients_[i] != kNoStorage || accumulated_[i] != kNoStorage) {
            numbers += 6 + ceilDivide(shardOf(weights_[i]) * options_->reduceWidth, kCopyBlock);
        }
    }
    return numbers * kCopyNumber;
}

Storage Fsdp2Group::reduceScatter() {
    std::int64_t shard = 0;
    std::int64_t stored = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        Storage& gradient = accumulated_[i] != kNoStorage ? accumulated_[i] : gradients_[i];
        if (gradient == kNoStorage) {
            continue;
        }
        shard += shardOf(weights_[i]);
        stored += shardOf(weights_[i]) * storedWidth(weights_[i]);
        if (splitsInner(weights_[i])) {
            const Storage ordered = device_->take(device_->bytes(gradient),
                                                  MemoryKind::Communication,
                                                  0,
                                                  "unsharded gradients, by rank");
            drop(gradient);
            gradient = ordered;
        }
    }
    if (shard == 0) {
        return kNoStorage;
    }
    const Storage input = device_->take(shard * ranks_ * options_->reduceWidth,
                                        MemoryKind::Communication,
                                        0,
                                        "reduce-scatter input");
    device_->release(device_->take(
        copyTableBytes(), MemoryKind::Communication, 0, "table of the copied gradients"));
    for (auto* list : {&gradients_, &accumulated_}) {
        for (Storage& gradient : *list) {
            drop(gradient);
        }
    }
    Storage reduced = device_->take(shard * options_->reduceWidth,
                                    MemoryKind::Gradients,
                                    kGroupReducePool,
                                    "sharded gradients");
    const bool keepsReduceType = options_->masterWidth > 0;
    if (shard * options_->reduceWidth != stored && !keepsReduceType) {
        const Storage cast =
            device_->take(stored, MemoryKind::Gradients, kGroupReducePool, "sharded gradients");
        device_->release(reduced);
        reduced = cast;
    }
    keepShard(reduced, stored);
    return input;
}

/// The reduced shard stays until the step, is added to the earlier micro-steps' sum, or, with
/// offload, goes to the host.
void Fsdp2Group::keepShard(Storage reduced, std::int64_t stored) {
    if (options_->offload) {
        device_->release(reduced);
    } else if (shardGradient_ == kNoStorage) {
        shardGradient_ = reduced;
    } else if (stored > device_->bytes(shardGradient_)) {
        device_->release(shardGradient_);  // more of the group's weights have one now
        shardGradient_ = reduced;
    } else {
        device_->release(reduced);
    }
}

void Fsdp2Group::dropShardGradient() {
    drop(shardGradient_);
}

}  // namespace fabricast
