#include "planner/launch/launch_files.h"
#include "planner/lint/megatron_sizes.h"

#include <array>

namespace fabricast {
namespace {

/// OptimizerParamScheduler; training counts where --lr-decay-… does not.
LintHits longWarmup(const LintView& view) {
    const LintFile& file = view.file;
    for (const char* const unit : {"iters", "samples"}) {
        const std::string warmup = std::string("--lr-warmup-") + unit;
        const std::string decay = std::string("--lr-decay-") + unit;
        const std::string whole = std::string("--train-") + unit;
        const std::string& end = file.has(decay) ? decay : whole;
        const std::int64_t first = file.whole(warmup, 0);
        const std::int64_t last = file.whole(end, 0);
        if (first > 0 && last > 0 && first >= last) {
            return {
                {file.at(warmup),
                 warmup + " " + std::to_string(first) + ", and " + end + " " + std::to_string(last),
                 "a " + warmup + " below " + std::to_string(last)}};
        }
    }
    return {};
}

/// What validate_args (megatron/training/arguments.py:1233-1262 of 0.19) asserts of a run that
/// trains, in iterations or in samples.
LintHits mixedUnits(const LintView& view) {
    constexpr std::array<const char*, 3> kOfSamples = {
        "--train-samples", "--lr-decay-samples", "--lr-warmup-samples"};
    constexpr std::array<const char*, 2> kOfIterations = {"--lr-decay-iters", "--lr-warmup-iters"};
    const LintFile& file = view.file;
    const bool trains = !file.has("--skip-train");
    const bool inIterations = trains && file.whole("--train-iters", 0) > 0;
    const bool inSamples = trains && file.whole("--train-samples", 0) > 0;
    LintHits hits;
    const auto add = [&](const char* other, const char* unit) {
        if (file.whole(other, 0) > 0) {
            hits.push_back(hitAt(file,
                                 other,
                                 std::string(other) + " beside " + unit,
                                 std::string("leave ") + other + " out"));
        }
    };
    for (const char* const other : kOfSamples) {
        if (inIterations) {
            add(other, "--train-iters");
        }
    }
    for (const char* const other : kOfIterations) {
        if (inSamples && !inIterations) {
            add(other, "--train-samples");
        }
    }
    return hits;
}

/// validate_args asserts it (arguments.py:1320 of 0.19), and so does the scheduler.
LintHits risingRate(const LintView& view) {
    const LintFile& file = view.file;
    const std::optional<double> rate = file.number("--lr");
    const std::optional<double> least = file.number("--min-lr");
    return rate && least && *least > *rate
               ? LintHits{hitAt(
                     file,
                     "--min-lr",
                     "--min-lr " + file.text("--min-lr") + " is above --lr " + file.text("--lr"),
                     "--min-lr " + decimalText(*rate / 10.0) + ", or a higher --lr")}
               : LintHits{};
}

/// validate_args asserts it whatever positions are (arguments.py:1314 of 0.19); Bridge and NeMo,
/// which do not call it, do not.
LintHits fewPositions(const LintView& view) {
    const LintFile& file = view.file;
    if (file.opened().words != MegatronWords::Arguments) {
        return {};
    }
    const std::int64_t length = file.whole("--seq-length", 0);
    const std::int64_t positions = file.whole("--max-position-embeddings", 0);
    if (length <= 0 || positions <= 0 || positions >= length) {
        return {};
    }
    return {{file.at("--max-position-embeddings"),
             "--max-position-embeddings " + std::to_string(positions) + ", and --seq-length " +
                 std::to_string(length),
             "--max-position-embeddings " + std::to_string(length)}};
}

constexpr std::array kMegatronRateRules = {
    LintRule{"MG51",
             LintSeverity::Error,
             "a warmup that is no shorter than the decay",
             "The scheduler ends the run at the start: its warmup is part of its decay.",
             &longWarmup},
    LintRule{"MG52",
             LintSeverity::Error,
             "sequences longer than the positions",
             "Megatron ends at the start.",
             &fewPositions},
    LintRule{"MG53",
             LintSeverity::Error,
             "a run in iterations and in samples",
             "Megatron ends at the start: its lengths are all of one or all of the other.",
             &mixedUnits},
    LintRule{"MG54",
             LintSeverity::Error,
             "a least learning rate above the first",
             "Megatron ends at the start.",
             &risingRate}};

}  // namespace

std::span<const LintRule> megatronRateRules() {
    return kMegatronRateRules;
}

}  // namespace fabricast
