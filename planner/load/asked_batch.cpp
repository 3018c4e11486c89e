#include "planner/load/asked_batch.h"

#include <algorithm>
#include <cmath>

namespace fabricast {

namespace {

constexpr std::int64_t kUsualSequence = 4096;

/// Of the multiples of `step` within a twentieth of `wanted`, the one that most powers of two
/// divide, and of those the nearest; else the nearest multiple.
std::int64_t roundBatch(double wanted, std::int64_t step) {
    constexpr double kNear = 0.05;
    const auto multiple = [&](double samples) {
        return std::max<std::int64_t>(1, std::llround(samples / static_cast<double>(step))) * step;
    };
    for (std::int64_t unit = std::int64_t{1} << 30; unit >= 1; unit /= 2) {
        const auto whole = static_cast<double>(unit * step);
        const double rounded = std::max(1.0, std::round(wanted / whole)) * whole;
        if (std::abs(rounded - wanted) <= kNear * wanted) {
            return static_cast<std::int64_t>(rounded);
        }
    }
    return multiple(wanted);
}

}  // namespace

Result<std::int64_t> samplesOfTokens(const WorkloadRequest& workload,
                                     std::int64_t sequence,
                                     std::int64_t step,
                                     std::vector<std::string>& assumed) {
    const std::int64_t tokens = workload.globalBatchTokens->count();
    if (tokens < sequence) {
        return fail(Error::Code::BadInput,
                    workload.globalBatchWhere,
                    std::to_string(tokens) + " tokens are less than a sequence of " +
                        std::to_string(sequence),
                    "1, a number of samples");
    }
    const double wanted = static_cast<double>(tokens) / static_cast<double>(sequence);
    const bool isWhole = tokens % sequence == 0;
    const std::int64_t samples = isWhole ? tokens / sequence : roundBatch(wanted, step);
    if (samples > kLargestBatch) {
        return fail(Error::Code::BadInput,
                    workload.globalBatchWhere,
                    std::to_string(samples) + " sequences are more than the " +
                        std::to_string(kLargestBatch) + " that a batch may have",
                    std::to_string(kLargestBatch) + ", a number of samples");
    }
    if (!isWhole) {
        assumed.push_back("global batch " + std::to_string(samples) + ": " +
                          std::to_string(samples * sequence) + " tokens, for " +
                          std::to_string(tokens));
    }
    return samples;
}

std::int64_t usualBatch(std::int64_t gpus,
                        std::int64_t sequence,
                        std::vector<std::string>& assumed) {
    constexpr std::int64_t kSamplesOfGpu = 16;
    constexpr std::int64_t kMostTokens = std::int64_t{4} << 20;
    const std::int64_t most =
        std::clamp<std::int64_t>(kMostTokens / sequence, 1, kSamplesOfGpu * gpus);
    std::int64_t batch = gpus;
    while (batch % 2 == 0) {
        batch /= 2;
    }
    batch = batch > most ? 1 : batch;
    while (batch * 2 <= most) {
        batch *= 2;
    }
    assumed.push_back("global batch " + std::to_string(batch) +
                      " (default: 16 sequences a GPU, at most 4M tokens; --global-batch sets it)");
    return batch;
}

Result<std::int64_t> batchOfRanks(const WorkloadRequest& workload,
                                  std::int64_t ranks,
                                  std::vector<std::string>& assumed) {
    const std::int64_t each = *workload.globalBatchPerRank;
    if (each > kLargestBatch / std::max<std::int64_t>(1, ranks)) {
        return fail(Error::Code::BadInput,
                    workload.globalBatchWhere,
                    std::to_string(each) + " samples of " + std::to_string(ranks) +
                        " ranks are more than the " + std::to_string(kLargestBatch) +
                        " that a batch may have",
                    "fewer samples per rank");
    }
    const std::string samples = std::to_string(each) + (each == 1 ? " sample" : " samples");
    const std::string ofRanks =
        ranks == 1 ? " of one data parallel rank"
                   : " of each of " + std::to_string(ranks) + " data parallel ranks";
    assumed.push_back("global batch " + std::to_string(each * ranks) + ": " + samples + ofRanks);
    return each * ranks;
}

Result<std::int64_t> globalBatchOf(const WorkloadRequest& workload,
                                   std::int64_t sequence,
                                   const Layout& layout,
                                   std::vector<std::string>& assumed) {
    if (workload.globalBatch) {
        return *workload.globalBatch;
    }
    if (workload.globalBatchTokens) {
        return samplesOfTokens(workload, sequence, layout.dp * layout.microBatch, assumed);
    }
    if (workload.globalBatchPerRank) {
        return batchOfRanks(workload, layout.dp, assumed);
    }
    const std::int64_t batch = layout.dp * layout.microBatch * layout.pp;
    assumed.push_back("global batch " + std::to_string(batch) +
                      " (default: dp x micro_batch x pp; --global-batch sets it)");
    return batch;
}

std::int64_t sequenceOf(const WorkloadRequest& workload,
                        const ModelSpec& model,
                        std::vector<std::string>& assumed) {
    if (workload.sequence) {
        if (!workload.sequenceTyped.empty()) {
            assumed.push_back("sequence " + std::to_string(*workload.sequence) + ": " +
                              workload.sequenceTyped + " in units of 1024");
        }
        return *workload.sequence;
    }
    const std::int64_t sequence =
        model.maxPositions > 0 ? std::min(model.maxPositions, kUsualSequence) : kUsualSequence;
    assumed.push_back("sequence " + std::to_string(sequence) + " (default)");
    return sequence;
}

Result<void> checkPositions(const ModelSpec& model,
                            std::int64_t sequence,
                            std::vector<std::string>& assumed) {
    if (model.position == PositionKind::Learned && sequence > model.learnedPositions) {
        return fail(Error::Code::BadInput,
                    "workload.sequence",
                    model.name + " has " + std::to_string(model.learnedPositions) +
                        " positions, fewer than a sequence of " + std::to_string(sequence),
                    "--seq " + std::to_string(model.learnedPositions));
    }
    if (model.maxPositions > 0 && sequence > model.maxPositions) {
        assumed.push_back("positions beyond the model's " + std::to_string(model.maxPositions));
    }
    return {};
}

}  // namespace fabricast
