#include "planner/base/small_letters.h"
#include "planner/lint/framework_files.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

/// Ranks that all axes but data_parallel_shard make, at most 10^9.
std::int64_t otherRanks(const LintFile& file) {
    std::int64_t ranks = 1;
    for (const char* const axis :
         {"data_parallel_replicate", "tensor_parallel", "context_parallel", "pipeline_parallel"}) {
        ranks *= std::clamp<std::int64_t>(titanDegree(file, axis), 1, 1'000'000);
        ranks = std::min<std::int64_t>(ranks, 1'000'000'000);
    }
    return ranks;
}

/// A degree as it is written where it stands: in a TOML, or behind a command.
std::string degreeText(const LintFile& file, const std::string& axis, std::int64_t degree) {
    const std::string path = "parallelism." + axis + "_degree";
    const LaunchKey* const key = file.at(path);
    const bool isTyped = file.isArguments() || (key != nullptr && !key->file.empty());
    return isTyped ? "--" + path + " " + std::to_string(degree)
                   : path + " = " + std::to_string(degree);
}

/// Degrees that make the ranks that start: each of them at most what the others leave of it.
std::string degreesFor(const LintFile& file, std::int64_t gpus) {
    std::string degrees;
    for (const char* const axis :
         {"data_parallel_replicate", "tensor_parallel", "context_parallel", "pipeline_parallel"}) {
        const std::int64_t said = std::max<std::int64_t>(1, titanDegree(file, axis));
        const std::int64_t kept = std::gcd(said, gpus);
        if (kept != said) {
            degrees += degreeText(file, axis, kept) + ", ";
        }
        gpus /= kept;
    }
    return degrees + degreeText(file, "data_parallel_shard", gpus);
}

/// What to type: degrees of the ranks that start, or as many ranks.
std::string productFix(const LintFile& file, std::int64_t gpus) {
    const std::int64_t shards = titanDegree(file, "data_parallel_shard", -1);
    const std::int64_t wanted = otherRanks(file) * std::clamp<std::int64_t>(shards, 1, 1'000'000);
    return degreesFor(file, gpus) + ", or start " +
           (shards < 0 ? "a multiple of " : std::string()) + std::to_string(wanted) + " ranks";
}

/// The degree to look at: one that a script types over its TOML, if the ranks rule it out before
/// others; else the file's own.
const LaunchKey* wrongDegree(const LintFile& file, std::int64_t gpus) {
    const LaunchKey* typed = nullptr;
    for (const char* const axis : {"data_parallel_replicate",
                                   "data_parallel_shard",
                                   "tensor_parallel",
                                   "context_parallel",
                                   "pipeline_parallel"}) {
        const LaunchKey* const key = file.at("parallelism." + std::string(axis) + "_degree");
        const std::int64_t degree = std::max<std::int64_t>(1, titanDegree(file, axis));
        if (key != nullptr && !key->file.empty() && (typed == nullptr || gpus % degree != 0)) {
            typed = key;
        }
    }
    const LaunchKey* const shards = file.at("parallelism.data_parallel_shard_degree");
    const LaunchKey* const own =
        shards != nullptr ? shards : file.at("parallelism.tensor_parallel_degree");
    return typed != nullptr ? typed : own;
}

LintHits wrongProduct(const LintView& view) {
    const std::optional<std::int64_t> gpus = view.gpus();
    const std::int64_t shards = titanDegree(view.file, "data_parallel_shard", -1);
    const std::int64_t others = otherRanks(view.file);
    const bool holds =
        !gpus || (shards < 0 ? *gpus % others == 0
                             : *gpus == others * std::min<std::int64_t>(shards, 1'000'000));
    if (holds) {
        return {};
    }
    return {{wrongDegree(view.file, *gpus),
             "the degrees make " + std::to_string(others) +
                 (shards < 0 ? " and a whole number of shards" : " x " + std::to_string(shards)) +
                 ", and " + std::to_string(*gpus) + " ranks start",
             productFix(view.file, *gpus)}};
}

/// Of 0.2.2, models/llama3/infra/parallelize.py; 0.3.0, of arguments alone, has no DDP.
LintHits replicasBesideOthers(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t replicas = titanDegree(file, "data_parallel_replicate");
    const std::int64_t said = titanDegree(file, "data_parallel_shard", -1);
    const std::int64_t shards = said < 0 ? view.gpus().value_or(0) / otherRanks(file) : said;
    const bool isSplit =
        titanDegree(file, "tensor_parallel") > 1 || titanDegree(file, "pipeline_parallel") > 1;
    const bool isDdp = replicas > 1 && shards == 1 && titanDegree(file, "context_parallel") <= 1;
    if (file.isArguments() || !isDdp || !isSplit) {
        return {};
    }
    return {{file.at("parallelism.data_parallel_replicate_degree"),
             "DDP of " + std::to_string(replicas) + " replicas, and tensor or pipeline ranks",
             degreeText(file, "data_parallel_replicate", 1) + ", " +
                 degreeText(file, "data_parallel_shard", replicas)}};
}

/// torch compares names of schedules in small letters (get_schedule_class).
constexpr std::array<std::string_view, 9> kSchedules = {"1f1b",
                                                        "gpipe",
                                                        "interleaved1f1b",
                                                        "interleavedzerobubble",
                                                        "loopedbfs",
                                                        "zbvzerobubble",
                                                        "dualpipev",
                                                        "pipelineschedulesingle",
                                                        "pipelineschedulemulti"};
constexpr const char* kSchedule = "parallelism.pipeline_parallel_schedule";

std::string scheduleOf(const LintFile& file) {
    return inSmallLetters(file.text(kSchedule));
}

LintHits wrongSchedule(const LintView& view) {
    const std::string schedule = scheduleOf(view.file);
    if (titanDegree(view.file, "pipeline_parallel") <= 1 || isUnsetOrOneOf(schedule, kSchedules)) {
        return {};
    }
    return {{view.file.at(kSchedule),
             R"(schedule ")" + view.file.text(kSchedule) + R"(")",
             "1F1B, Interleaved1F1B, …"}};
}

LintHits unevenMicrobatches(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t batch = file.whole("training.local_batch_size", 8);
    const std::int64_t micro = file.whole("parallelism.pipeline_parallel_microbatch_size", 1);
    if (titanDegree(file, "pipeline_parallel") <= 1 || micro <= 0 || batch % micro == 0) {
        return {};
    }
    return {{file.at("parallelism.pipeline_parallel_microbatch_size"),
             "local_batch_size " + std::to_string(batch) + " is not a multiple of " +
                 std::to_string(micro) + ", a micro-batch",
             "pipeline_parallel_microbatch_size = 1"}};
}

bool isSingle(const LintFile& file) {
    const std::string schedule = scheduleOf(file);
    return schedule.empty() || schedule == "1f1b" || schedule == "gpipe";
}

/// Of torch's Schedule1F1B, which refuses what the others wait for.
bool isOneFOneB(const LintFile& file) {
    const std::string schedule = scheduleOf(file);
    return schedule.empty() || schedule == "1f1b";
}

LintHits tooFewMicrobatches(const LintView& view, bool isRefused) {
    const LintFile& file = view.file;
    if (isOneFOneB(file) != isRefused) {
        return {};
    }
    const std::int64_t stages = titanDegree(file, "pipeline_parallel") * (isSingle(file) ? 1 : 2);
    const std::int64_t micro = file.whole("parallelism.pipeline_parallel_microbatch_size", 1);
    const std::int64_t batches =
        file.whole("training.local_batch_size", 8) / std::max<std::int64_t>(1, micro);
    // None at all is a batch that its microbatches do not divide: TT05.
    if (titanDegree(file, "pipeline_parallel") <= 1 || batches >= stages || batches == 0) {
        return {};
    }
    const LaunchKey* const at = file.at("training.local_batch_size");
    return {{at != nullptr ? at : file.at("parallelism.pipeline_parallel_degree"),
             std::to_string(batches) + " micro-batch" + (batches == 1 ? "" : "es") + " for " +
                 std::to_string(stages) + " stages",
             (file.isArguments() ? "--training.local_batch_size " : "local_batch_size = ") +
                 std::to_string(stages * std::max<std::int64_t>(1, micro)) + ", or more"}};
}

LintHits fewMicrobatches(const LintView& view) {
    return tooFewMicrobatches(view, false);
}

LintHits refusedMicrobatches(const LintView& view) {
    return tooFewMicrobatches(view, true);
}

LintHits unevenSequence(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t cp = titanDegree(file, "context_parallel");
    const std::int64_t tp = titanDegree(file, "tensor_parallel");
    const std::int64_t parts = std::max<std::int64_t>(1, tp) * (cp > 1 ? 2 * cp : 1);
    const std::int64_t tokens = file.whole("training.seq_len", 2048);
    if (parts <= 1 || tokens % parts == 0) {
        return {};
    }
    return {{file.at("training.seq_len"),
             "seq_len " + std::to_string(tokens) + " is not a multiple of " +
                 std::to_string(parts) + " (tp, and twice cp)",
             "a multiple of " + std::to_string(parts)}};
}

/// As torchtitan's stack refuses them in a plan.
LintHits unevenRanks(const LintView& view) {
    constexpr std::array kDivides = {SizeDivision::HeadsByTp,
                                     SizeDivision::KvHeadsByTp,
                                     SizeDivision::VocabByTp,
                                     SizeDivision::ExpertsByEp};
    SaidSizes sizes = view.facts.model;
    sizes.tp = titanDegree(view.file, "tensor_parallel");
    sizes.ep = titanDegree(view.file, "expert_parallel");
    LintHits hits;
    for (const UnevenSizes& one : unevenSizes(sizes, kDivides)) {
        const bool ofExperts = one.division == SizeDivision::ExpertsByEp;
        hits.push_back({view.file.at(ofExperts ? "parallelism.expert_parallel_degree"
                                               : "parallelism.tensor_parallel_degree"),
                        one.text,
                        "a degree that divides " + std::to_string(one.whole)});
    }
    return hits;
}

LintHits reducedEachPass(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t all = file.whole("training.global_batch_size", -1);
    const std::int64_t local = file.whole("training.local_batch_size", 8);
    const std::optional<std::int64_t> gpus = view.gpus();
    const std::int64_t replicas = titanDegree(file, "data_parallel_replicate");
    const std::int64_t split = otherRanks(file) / std::max<std::int64_t>(1, replicas);
    if (all <= 0 || local <= 0 || !gpus || split <= 0 || *gpus < split) {
        return {};
    }
    const std::int64_t passes = all / std::max<std::int64_t>(1, local * (*gpus / split));
    constexpr std::int64_t kMany = 4;
    if (passes < kMany || titanDegree(file, "pipeline_parallel") > 1) {
        return {};
    }
    return {
        {file.at("training.global_batch_size"),
         "a step is " + std::to_string(passes) + " passes, and each reduces all gradients in fp32",
         "a larger local_batch_size, with full recomputation where memory is short"}};
}

constexpr std::array kTitanLayoutRules = {
    LintRule{"TT01",
             LintSeverity::Error,
             "degrees of another size than the run",
             "torchtitan ends at the start.",
             &wrongProduct},
    LintRule{"TT03",
             LintSeverity::Error,
             "a schedule that there is not",
             "The parser takes any word; the pipeline cannot be made.",
             &wrongSchedule},
    LintRule{"TT05",
             LintSeverity::Error,
             "a batch that micro-batches do not divide",
             "torchtitan ends at the start.",
             &unevenMicrobatches},
    LintRule{"TT06",
             LintSeverity::Warning,
             "fewer micro-batches than stages",
             "Most of the step is spent waiting for the pipeline to fill.",
             &fewMicrobatches},
    LintRule{"TT07",
             LintSeverity::Error,
             "a sequence that its ranks do not divide",
             "The shards of a sequence must be equal.",
             &unevenSequence},
    LintRule{"TT08",
             LintSeverity::Error,
             "ranks that the model's sizes do not divide over",
             "torchtitan copies no heads and pads no sizes: it ends when the model is made.",
             &unevenRanks},
    LintRule{"TT13",
             LintSeverity::Note,
             "gradients that are reduced in every pass",
             "FSDP of torchtitan does not wait for the last pass: communication is multiplied.",
             &reducedEachPass},
    LintRule{"TT16",
             LintSeverity::Error,
             "replicas of DDP that are split in other ways, too",
             "torchtitan ends when the model is made: DDP has not supported > 1D parallelism.",
             &replicasBesideOthers},
    LintRule{"TT18",
             LintSeverity::Error,
             "fewer micro-batches than stages of 1F1B",
             "torch refuses the schedule: torchtitan ends before the first step.",
             &refusedMicrobatches}};

}  // namespace

std::span<const LintRule> titanLayoutRules() {
    return kTitanLayoutRules;
}

}  // namespace fabricast
