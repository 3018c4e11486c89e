#include "planner/base/small_letters.h"
#include "planner/launch/torchtitan_model.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

std::int64_t degreeOf(const LintFile& file, const std::string& axis, std::int64_t usual = 1) {
    return file.whole("parallelism." + axis + "_degree", usual);
}

bool isTaken(const std::string& value, std::span<const std::string_view> words) {
    return value.empty() || std::ranges::find(words, value) != words.end();
}

/// Ranks that all axes but data_parallel_shard make, at most 10^9.
std::int64_t otherRanks(const LintFile& file) {
    std::int64_t ranks = 1;
    for (const char* const axis :
         {"data_parallel_replicate", "tensor_parallel", "context_parallel", "pipeline_parallel"}) {
        ranks *= std::clamp<std::int64_t>(degreeOf(file, axis), 1, 1'000'000);
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
        const std::int64_t said = std::max<std::int64_t>(1, degreeOf(file, axis));
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
    const std::int64_t shards = degreeOf(file, "data_parallel_shard", -1);
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
        const std::int64_t degree = std::max<std::int64_t>(1, degreeOf(file, axis));
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
    const std::int64_t shards = degreeOf(view.file, "data_parallel_shard", -1);
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
    const std::int64_t replicas = degreeOf(file, "data_parallel_replicate");
    const std::int64_t said = degreeOf(file, "data_parallel_shard", -1);
    const std::int64_t shards = said < 0 ? view.gpus().value_or(0) / otherRanks(file) : said;
    const bool isSplit =
        degreeOf(file, "tensor_parallel") > 1 || degreeOf(file, "pipeline_parallel") > 1;
    const bool isDdp = replicas > 1 && shards == 1 && degreeOf(file, "context_parallel") <= 1;
    if (file.isArguments() || !isDdp || !isSplit) {
        return {};
    }
    return {{file.at("parallelism.data_parallel_replicate_degree"),
             "DDP of " + std::to_string(replicas) + " replicas, and tensor or pipeline ranks",
             degreeText(file, "data_parallel_replicate", 1) + ", " +
                 degreeText(file, "data_parallel_shard", replicas)}};
}

/// As TOML and as arguments have them.
constexpr std::array<std::string_view, 5> kModes = {
    "none", "selective", "full", "memory_budget", "memory-budget"};

LintHits wrongMode(const LintView& view) {
    const std::string mode = view.file.text("activation_checkpoint.mode");
    return isTaken(mode, kModes) ? LintHits{}
                                 : LintHits{{view.file.at("activation_checkpoint.mode"),
                                             R"(mode ")" + mode + R"(" of activation_checkpoint)",
                                             "none, selective, full or memory_budget"}};
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
    if (degreeOf(view.file, "pipeline_parallel") <= 1 || isTaken(schedule, kSchedules)) {
        return {};
    }
    return {{view.file.at(kSchedule),
             R"(schedule ")" + view.file.text(kSchedule) + R"(")",
             "1F1B, Interleaved1F1B, …"}};
}

LintHits uncompiled(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (file.isOn("compile.enable")) {
        return hits;
    }
    for (const char* const path :
         {"parallelism.enable_async_tensor_parallel", "compile.enable_async_tensor_parallel"}) {
        if (file.isOn(path) && degreeOf(file, "tensor_parallel") > 1) {
            hits.push_back(
                {file.at(path), "asynchronous TP without compile", "compile.enable = true"});
        }
    }
    if (file.text("activation_checkpoint.mode").starts_with("memory")) {
        hits.push_back({file.at("activation_checkpoint.mode"),
                        "memory_budget without compile",
                        "compile.enable = true"});
    }
    return hits;
}

LintHits unevenMicrobatches(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t batch = file.whole("training.local_batch_size", 8);
    const std::int64_t micro = file.whole("parallelism.pipeline_parallel_microbatch_size", 1);
    if (degreeOf(file, "pipeline_parallel") <= 1 || micro <= 0 || batch % micro == 0) {
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
    const std::int64_t stages = degreeOf(file, "pipeline_parallel") * (isSingle(file) ? 1 : 2);
    const std::int64_t micro = file.whole("parallelism.pipeline_parallel_microbatch_size", 1);
    const std::int64_t batches =
        file.whole("training.local_batch_size", 8) / std::max<std::int64_t>(1, micro);
    // None at all is a batch that its microbatches do not divide: TT05.
    if (degreeOf(file, "pipeline_parallel") <= 1 || batches >= stages || batches == 0) {
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
    const std::int64_t cp = degreeOf(file, "context_parallel");
    const std::int64_t tp = degreeOf(file, "tensor_parallel");
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
    sizes.tp = degreeOf(view.file, "tensor_parallel");
    sizes.ep = degreeOf(view.file, "expert_parallel");
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

/// build_optimizers (torchtitan/components/optimizer.py of 0.2.2) knows these two by name; in 0.3 a
/// model's config has a class of its own.
LintHits unknownOptimizer(const LintView& view) {
    const std::string name = view.file.text("optimizer.name");
    return name.empty() || name == "Adam" || name == "AdamW" || view.file.isArguments()
               ? LintHits{}
               : LintHits{{view.file.at("optimizer.name"),
                           "optimizer.name is " + name,
                           "optimizer.name = \"AdamW\""}};
}

bool convertsToFloat8(const LintFile& file) {
    const LaunchKey* const key = file.at("model.converters");
    return key != nullptr && std::ranges::any_of(key->values, [](const std::string& one) {
               return one.find("float8") != std::string::npos;
           });
}

LintHits roundedHead(const LintView& view) {
    const LintFile& file = view.file;
    const LaunchKey* const filter = file.at("quantize.linear.float8.filter_fqns");
    const bool keeps =
        filter != nullptr && std::ranges::any_of(filter->values, [](const std::string& one) {
            return one == "output" || one == "lm_head";
        });
    if (!convertsToFloat8(file) || keeps) {
        return {};
    }
    return {{filter != nullptr ? filter : file.at("model.converters"),
             "the last layer is computed in float8 too",
             R"(quantize.linear.float8.filter_fqns = ["output"])"}};
}

/// Its keys are read by the converter, which is not there.
LintHits unreadFloat8(const LintView& view) {
    const LintFile& file = view.file;
    if (file.isArguments() || convertsToFloat8(file)) {
        return {};
    }
    static constexpr std::string_view kPart = "quantize.linear.float8.";
    const auto all = file.keys().all();
    const auto first =
        std::ranges::find_if(all, [](const LaunchKey& key) { return key.path.starts_with(kPart); });
    return first == all.end()
               ? LintHits{}
               : LintHits{{file.at(first->path),
                           "[quantize.linear.float8] without model.converters",
                           R"(model.converters = ["quantize.linear.float8"])" +
                               std::string(
                                   file.isOn("compile.enable") ? "" : ", compile.enable = true")}};
}

LintHits slowFloat8(const LintView& view) {
    if (!convertsToFloat8(view.file) || view.file.isOn("compile.enable")) {
        return {};
    }
    return {{view.file.at("model.converters"), "float8 without compile", "compile.enable = true"}};
}

LintHits gatheredRows(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = "quantize.linear.float8.enable_fsdp_float8_all_gather";
    if (!file.isOn(path) || file.text("quantize.linear.float8.recipe_name").empty()) {
        return {};
    }
    return {{file.at(path),
             "float8 all-gathers with recipe " + file.text("quantize.linear.float8.recipe_name"),
             "leave recipe_name out, which means tensorwise"}};
}

LintHits graphsOfPipelines(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.isArguments() || degreeOf(file, "pipeline_parallel") <= 1 ||
        file.isOn("training.disable_cuda_graphs")) {
        return {};
    }
    return {{file.at("parallelism.pipeline_parallel_degree"),
             "a pipeline, and CUDA graphs are not disabled",
             "--training.disable_cuda_graphs"}};
}

LintHits reducedEachPass(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t all = file.whole("training.global_batch_size", -1);
    const std::int64_t local = file.whole("training.local_batch_size", 8);
    const std::optional<std::int64_t> gpus = view.gpus();
    const std::int64_t replicas = degreeOf(file, "data_parallel_replicate");
    const std::int64_t split = otherRanks(file) / std::max<std::int64_t>(1, replicas);
    if (all <= 0 || local <= 0 || !gpus || split <= 0 || *gpus < split) {
        return {};
    }
    const std::int64_t passes = all / std::max<std::int64_t>(1, local * (*gpus / split));
    constexpr std::int64_t kMany = 4;
    if (passes < kMany || degreeOf(file, "pipeline_parallel") > 1) {
        return {};
    }
    return {
        {file.at("training.global_batch_size"),
         "a step is " + std::to_string(passes) + " passes, and each reduces all gradients in fp32",
         "a larger local_batch_size, with full recomputation where memory is short"}};
}

LintHits fp32Products(const LintView& view) {
    const char* const path = "training.mixed_precision_param";
    return view.file.text(path) == "float32" ? LintHits{{view.file.at(path),
                                                         "mixed_precision_param is float32",
                                                         R"(mixed_precision_param = "bfloat16")"}}
                                             : LintHits{};
}

/// The flavor of a TOML, which is of 0.2.2, or the config of arguments, which are of 0.3.0, where
/// the folder is torchtitan's own and nothing of the user's may add to it.
LintHits unknownModel(const LintView& view) {
    const LintFile& file = view.file;
    const bool named = file.isArguments();
    const char* const path = named ? "config" : "model.flavor";
    const std::string folder = file.text(named ? "module" : "model.name");
    const auto names = titanNames(folder, named);
    const bool isOwn = !file.text("experimental.custom_import").empty() ||
                       !file.text("job.custom_config_module").empty();
    if (!names || !file.has(path) || isOwn || isTaken(file.text(path), *names)) {
        return {};
    }
    const std::string release = named ? "0.3.0" : "0.2.2";
    const std::string which = named ? "config" : "flavor";
    if (names->empty()) {
        return {{file.at(path),
                 "torchtitan " + release + " has no folder " + folder,
                 "torchtitan " + std::string(named ? "0.2.2" : "0.3.0") + ", which has it"}};
    }
    std::string list;
    for (const std::string_view one : *names) {
        const bool isTried = one.find("debug") != std::string_view::npos;
        list += isTried ? "" : (list.empty() ? "" : ", ") + std::string(one);
    }
    return {{file.at(path),
             folder + " of torchtitan " + release + " has no " + which + " " + file.text(path),
             "one of " + list}};
}

constexpr std::array kTitanRules = {
    LintRule{"TT01",
             LintSeverity::Error,
             "degrees of another size than the run",
             "torchtitan ends at the start.",
             &wrongProduct},
    LintRule{"TT02",
             LintSeverity::Error,
             "a mode of checkpointing that there is not",
             "The parser takes any word; the model cannot be made.",
             &wrongMode},
    LintRule{"TT03",
             LintSeverity::Error,
             "a schedule that there is not",
             "The parser takes any word; the pipeline cannot be made.",
             &wrongSchedule},
    LintRule{"TT04",
             LintSeverity::Error,
             "what needs compile without it",
             "torchtitan ends when the model is made.",
             &uncompiled},
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
    LintRule{"TT09",
             LintSeverity::Warning,
             "the last layer in float8",
             "Its sums are the most sensitive to rounding; the loss is worse for little time.",
             &roundedHead},
    LintRule{"TT10",
             LintSeverity::Warning,
             "float8 without compile",
             "Scaling and casting are kernels of their own: it is slower than bf16.",
             &slowFloat8},
    LintRule{"TT11",
             LintSeverity::Error,
             "float8 all-gathers with a recipe",
             "Only the default, tensorwise, has them: torchtitan ends at the start.",
             &gatheredRows},
    LintRule{"TT12",
             LintSeverity::Error,
             "CUDA graphs of a pipeline",
             "0.3.0 refuses it when it reads its arguments.",
             &graphsOfPipelines},
    LintRule{"TT13",
             LintSeverity::Note,
             "gradients that are reduced in every pass",
             "FSDP of torchtitan does not wait for the last pass: communication is multiplied.",
             &reducedEachPass},
    LintRule{"TT14",
             LintSeverity::Warning,
             "products in fp32",
             "They run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fp32Products},
    LintRule{"TT15",
             LintSeverity::Warning,
             "float8 that nothing converts to",
             "torchtitan reads these keys where a converter asks for them: products are in bf16.",
             &unreadFloat8},
    LintRule{"TT16",
             LintSeverity::Error,
             "replicas of DDP that are split in other ways, too",
             "torchtitan ends when the model is made: DDP has not supported > 1D parallelism.",
             &replicasBesideOthers},
    LintRule{"TT17",
             LintSeverity::Error,
             "a size of a model that the package does not have",
             "torchtitan ends at the start: its config would be yours, by a module that adds it.",
             &unknownModel},
    LintRule{"TT18",
             LintSeverity::Error,
             "fewer micro-batches than stages of 1F1B",
             "torch refuses the schedule: torchtitan ends before the first step.",
             &refusedMicrobatches},
    LintRule{"TT19",
             LintSeverity::Error,
             "an optimizer that torchtitan does not have",
             "It ends at the start: Optimizer not added.",
             &unknownOptimizer}};

}  // namespace

std::span<const LintRule> titanRules() {
    return kTitanRules;
}

}  // namespace fabricast
