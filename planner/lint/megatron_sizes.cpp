#include "planner/lint/megatron_sizes.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostSize = 1'000'000;

std::int64_t sizeOf(const LintFile& file, const char* flag, std::int64_t usual = 1) {
    return std::clamp<std::int64_t>(file.whole(flag, usual), 1, kMostSize);
}

std::optional<std::int64_t> countOf(const LintFile& file, const char* flag) {
    const std::int64_t count = file.whole(flag, 0);
    return count > 0 && count <= 1'000'000'000 ? std::optional(count) : std::nullopt;
}

/// Model chunks of a rank, of whichever argument says it.
std::int64_t chunksOf(const LintFile& file, const MegatronSizes& sizes) {
    if (file.has("--num-virtual-stages-per-pipeline-rank")) {
        return sizeOf(file, "--num-virtual-stages-per-pipeline-rank");
    }
    const std::int64_t each = file.whole("--num-layers-per-virtual-pipeline-stage", 0);
    const std::int64_t extra = (file.has("--account-for-embedding-in-pipeline-split") ? 1 : 0) +
                               (file.has("--account-for-loss-in-pipeline-split") ? 1 : 0);
    if (each <= 0 || !sizes.layers) {
        return 1;
    }
    return std::max<std::int64_t>(1, (*sizes.layers + extra) / sizes.pp / each);
}

}  // namespace

std::optional<std::int64_t> MegatronSizes::dataRanks() const {
    const std::int64_t model = tp * pp * cp * weightShards;
    return ranks && *ranks % model == 0 ? std::optional(*ranks / model) : std::nullopt;
}

MegatronSizes megatronSizes(const LintView& view) {
    const LintFile& file = view.file;
    MegatronSizes sizes{.tp = sizeOf(file, "--tensor-model-parallel-size"),
                        .pp = sizeOf(file, "--pipeline-model-parallel-size"),
                        .cp = sizeOf(file, "--context-parallel-size"),
                        .ep = sizeOf(file, "--expert-model-parallel-size"),
                        .experts = std::max<std::int64_t>(0, file.whole("--num-experts", 0)),
                        .layers = countOf(file, "--num-layers"),
                        .heads = countOf(file, "--num-attention-heads"),
                        .sequence = countOf(file, "--seq-length"),
                        .microBatch = sizeOf(file, "--micro-batch-size"),
                        .batch = countOf(file, "--global-batch-size"),
                        .ranks = view.gpus(),
                        .sequenceParallel = file.has("--sequence-parallel")};
    sizes.etp = sizeOf(file, "--expert-tensor-parallel-size", sizes.tp);
    sizes.weightShards = std::max<std::int64_t>(
        1, sizeOf(file, "--tensor-parallel-num-weight-shards", sizes.tp) / sizes.tp);
    sizes.chunks = chunksOf(file, sizes);
    return sizes;
}

bool usesFsdp2(const LintFile& file) {
    return file.has("--use-torch-fsdp2");
}

bool usesMegatronFsdp(const LintFile& file) {
    return file.has("--use-megatron-fsdp") || file.has("--use-custom-fsdp");
}

LintHit hitAt(const LintFile& file, const char* flag, std::string what, std::string fix) {
    return {file.at(flag), std::move(what), std::move(fix)};
}

LintHits hitsAt(const LintFile& file, const char* flag, std::string what, std::string fix) {
    return {hitAt(file, flag, std::move(what), std::move(fix))};
}

}  // namespace fabricast
