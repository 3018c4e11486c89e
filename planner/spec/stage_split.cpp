#include "planner/spec/stage_split.h"

namespace fabricast {
namespace {

constexpr std::int64_t kMostLayers = 1'000'000;

Result<std::vector<std::int64_t>> refuse(std::string why, std::string hint = {}) {
    return fail(Error::Code::BadInput, "layout.pp", std::move(why), std::move(hint));
}

bool outOfRange(std::int64_t number, std::int64_t least) {
    return number < least || number > kMostLayers;
}

// The first and the last rank's layers are given: each of their chunks holds an equal part, and
// the ranks between share what is left.
Result<std::vector<std::int64_t>> splitWithGivenEnds(std::int64_t layers, const StageSplit& split) {
    const std::int64_t first = split.pipeline.firstStageLayers;
    const std::int64_t last = split.pipeline.lastStageLayers;
    const std::int64_t given = (first > 0 ? 1 : 0) + (last > 0 ? 1 : 0);
    const std::int64_t between = split.stages - given;
    const std::int64_t left = layers - first - last;
    if (between < 1 || left < between || left % between != 0) {
        return refuse(std::to_string(left) + " layers are left for the " + std::to_string(between) +
                      " pipeline stages whose number of layers is not given");
    }
    const std::int64_t middle = left / between;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(split.stages * split.chunks));
    for (std::int64_t chunk = 0; chunk < split.chunks; ++chunk) {
        for (std::int64_t stage = 0; stage < split.stages; ++stage) {
            const bool isFirst = stage == 0 && first > 0;
            const bool isLast = stage == split.stages - 1 && last > 0;
            const std::int64_t ofRank = isFirst ? first : (isLast ? last : middle);
            if (ofRank % split.chunks != 0) {
                return refuse(std::to_string(ofRank) + " layers of a stage do not divide into " +
                              std::to_string(split.chunks) + " chunks");
            }
            sizes[static_cast<std::size_t>(chunk * split.stages + stage)] = ofRank / split.chunks;
        }
    }
    return sizes;
}

}  // namespace

bool splitsEvenly(std::int64_t layers, const StageSplit& split) {
    if (outOfRange(split.stages, 1) || outOfRange(split.chunks, 1) || outOfRange(layers, 0)) {
        return false;
    }
    const std::int64_t counted =
        layers + split.pipeline.embeddingWeight + split.pipeline.headWeight;
    return counted % (split.stages * split.chunks) == 0;
}

// torchtitan's pipeline split: embedding and head count as layers, every chunk gets an equal share,
// the first ones take the remainder, and then the two ends give back what is not a layer.
// Megatron's account-for flags are the same without a remainder.
Result<std::vector<std::int64_t>> splitLayers(std::int64_t layers, const StageSplit& split) {
    const PipelineSettings& ends = split.pipeline;
    if (outOfRange(layers, 0) || outOfRange(split.stages, 1) || outOfRange(split.chunks, 1) ||
        outOfRange(ends.embeddingWeight, 0) || outOfRange(ends.headWeight, 0) ||
        outOfRange(ends.firstStageLayers, 0) || outOfRange(ends.lastStageLayers, 0)) {
        return refuse("a number of layers or stages is out of range");
    }
    const std::int64_t chunks = split.stages * split.chunks;
    if (chunks == 1) {
        return std::vector{layers};
    }
    const std::int64_t counted = layers + ends.embeddingWeight + ends.headWeight;
    if (chunks > counted) {
        return refuse("Number of stages (" + std::to_string(chunks) +
                          ") cannot be greater than effective layers (" + std::to_string(counted) +
                          ")",
                      split.chunks == 1 ? "pp=" + std::to_string(layers)
                                        : "pp times vpp of at most " + std::to_string(counted));
    }
    if (ends.firstStageLayers > 0 || ends.lastStageLayers > 0) {
        return splitWithGivenEnds(layers, split);
    }
    const std::int64_t share = counted / chunks;
    if (ends.embeddingWeight > share || ends.headWeight > share) {
        return refuse("the embedding or head counts as more layers than a stage has (" +
                      std::to_string(share) + ")");
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(chunks), share);
    for (std::int64_t extra = 0; extra < counted % chunks; ++extra) {
        ++sizes[static_cast<std::size_t>(extra)];
    }
    sizes.front() -= ends.embeddingWeight;
    sizes.back() -= ends.headWeight;
    return sizes;
}

std::int64_t checkpointedLayers(const RecomputeSettings& recompute, std::int64_t layers) {
    switch (recompute.kind) {
        case Checkpointing::None:
            return 0;
        case Checkpointing::Block:
            return std::min(layers, recompute.layers);
        case Checkpointing::Selective:
        case Checkpointing::Full:
        case Checkpointing::Modules:
            break;
    }
    return layers;
}

}  // namespace fabricast
