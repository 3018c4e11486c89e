#include "study/superseded_keys.h"

#include "planner/base/checked.h"
#include "planner/text/json_builder.h"
#include "study/question_flags.h"
#include "study/saved_questions.h"
#include "study/typed_edits.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kSuperseded = {
    SupersededKey{"imported.batch_ranks", "workload.global_batch"},
    SupersededKey{"imported.batch_ranks", "layout.micro_batch"},
    SupersededKey{"imported.batch_ranks", "stack"},
    SupersededKey{"imported.one_process", "layout.dp"},
    SupersededKey{"imported.one_process", "stack"},
    SupersededKey{"imported.per_node", "layout.dp"},
    SupersededKey{"imported.per_node", "cluster.nodes"},
    SupersededKey{"imported.per_node", "cluster.gpus"},
    SupersededKey{"imported.per_node", "cluster.gpus_per_node"},
    SupersededKey{"imported.gpus", "layout.dp"},
    SupersededKey{"imported.gpus", "cluster.nodes"},
    SupersededKey{"imported.gpus", "cluster.gpus"},
    SupersededKey{"imported.device_map", "layout.dp"},
    SupersededKey{"imported.device_map", "stack"},
    SupersededKey{"imported.open.settings.train", "settings.tuning"},
    SupersededKey{"imported.open.workload.optimizer", "settings.optimizer.kind"},
    SupersededKey{"imported.alone", "stack"},
    SupersededKey{"cluster.gpu", "cluster.name", true},
    SupersededKey{"cluster.gpus_per_node", "cluster.name"},
    SupersededKey{"cluster.name", "cluster.gpu", true},
    SupersededKey{"cluster.gpus", "cluster.nodes", true},
    SupersededKey{"cluster.nodes", "cluster.gpus", true},
    SupersededKey{"price.usd_per_gpu_hour", "price.profile", true},
    SupersededKey{"price.profile", "price.usd_per_gpu_hour", true},
    SupersededKey{"search.stacks", "stack", true},
    SupersededKey{"stack", "search.stacks", true},
    SupersededKey{"settings.kernels.quantization", "workload.precision", true},
    SupersededKey{"settings.optimizer.kind", "workload.optimizer", true},
    SupersededKey{"settings.recompute", "layout.recompute", true},
    SupersededKey{"settings.train", "settings.tuning"},
    SupersededKey{"settings.megatron.pipeline_inside", "layout.placement"},
    SupersededKey{"layout.copies", "layout.shard_size", true},
    SupersededKey{"layout.shard_size", "layout.copies", true}};

/// Precisions that say the type of every tensor; the others are only about matrix products.
constexpr std::array<std::string_view, 4> kWholePrecisions = {"bf16", "fp16", "fp32", "pure_bf16"};

/// What an answer states only because its stack does so by default: keys of a layout that another
/// stack spells differently.
constexpr std::array<std::string_view, 10> kStackLayout = {"layout.shard",
                                                           "layout.shard_size",
                                                           "layout.copies",
                                                           "layout.sp",
                                                           "layout.vpp",
                                                           "layout.schedule",
                                                           "layout.group",
                                                           "layout.cp_kind",
                                                           "layout.etp",
                                                           "layout.placement"};

bool isFlag(const std::string& origin) {
    return flagTyped(origin) != nullptr;
}

/// What an answer keeps under another stack; its other settings are the defaults of the old one.
constexpr std::array<std::string_view, 5> kKeptSettings = {"settings.recompute",
                                                           "settings.tuning",
                                                           "settings.train",
                                                           "settings.lora",
                                                           "settings.optimizer.kind"};

constexpr std::array<std::string_view, 3> kPipelineLayout = {
    "layout.schedule", "layout.vpp", "layout.group"};

Result<JsonValue> withoutAnswersDefaults(JsonValue root, const Edit& edit) {
    if (edit.path == "workload.precision") {
        return JsonBuilder::without(std::move(root), "settings.precision");
    }
    if (edit.path != "stack") {
        return root;
    }
    JsonValue other = JsonBuilder::without(root, "settings");
    for (const std::string_view path : kStackLayout) {
        other = JsonBuilder::without(std::move(other), path);
    }
    for (const std::string_view path : kKeptSettings) {
        if (const JsonValue* kept = valueAt(root, path)) {
            FABRICAST_ASSIGN(other, JsonBuilder("").with(std::move(other), path, *kept));
        }
    }
    return other;
}

/// One stage has no schedule: that of a file does not stand in its way.
JsonValue withoutFilesSchedule(JsonValue root, const Edit& edit) {
    if (edit.path != "layout.pp" || edit.value != "1") {
        return root;
    }
    for (const std::string_view path : kPipelineLayout) {
        const JsonValue* const said = valueAt(root, path);
        if (said != nullptr && said->line() > 0) {
            root = JsonBuilder::without(std::move(root), path);
        }
    }
    return root;
}

/// How many data ranks a launch file starts follows from the GPUs, where those are said.
Result<JsonValue> withoutRanks(JsonValue root, const Edit& edit) {
    const JsonValue* const ranks = valueAt(root, "layout.dp");
    const JsonValue* const notes = valueAt(root, "imported.notes");
    if (ranks == nullptr || notes == nullptr) {
        return root;
    }
    const JsonBuilder build(whereOf(edit));
    JsonValue said = *notes;
    if (ranks->shown() != edit.value) {
        JsonBuilder::appendItem(said,
                                build.string("dp " + ranks->shown() + " of the file is left out: " +
                                             typed(std::span(&edit, 1)) + " says how many"));
    }
    FABRICAST_ASSIGN(root, build.with(std::move(root), "imported.notes", std::move(said)));
    return JsonBuilder::without(std::move(root), "layout.dp");
}

/// torchtune's config does not say which recipe reads it: of one GPU it is the single-device one,
/// which shards nothing and leaves FSDP's keys alone.
Result<JsonValue> onOneGpu(JsonValue root, const Edit& edit) {
    const JsonValue* const alone = valueAt(root, "imported.alone");
    if (alone == nullptr || edit.path != "cluster.gpus" || edit.value != "1") {
        return root;
    }
    const JsonBuilder build(whereOf(edit));
    FABRICAST_ASSIGN(const std::string stack, alone->text());
    for (const char* const path : {"settings.torch", "layout.offload", "imported.alone"}) {
        root = JsonBuilder::without(std::move(root), path);
    }
    FABRICAST_ASSIGN(root, build.with(std::move(root), "stack", build.string(stack)));
    FABRICAST_ASSIGN(root, build.with(std::move(root), "layout.shard", build.string("none")));
    return build.with(std::move(root),
                      "imported.assumed.stack",
                      build.string("one GPU, of which the single-device recipe reads this config "
                                   "(a script with \"tune run RECIPE --config …\" says which); it "
                                   "has no wrapper around the model and is forecast as Axolotl's"));
}

/// More than any cluster that is read has.
constexpr std::int64_t kMostStartedGpus = 16'777'216;

/// A number of a layout; 1 where it is not said, 0 where it is none.
std::int64_t degreeOf(const JsonValue& root, std::string_view key) {
    const JsonValue* const said = valueAt(root, "layout." + std::string(key));
    return said == nullptr ? 1 : said->integer({1, kMostStartedGpus}).value_or(0);
}

/// How many GPUs a launch file starts is kept where keys of its layout go.
Result<JsonValue> withStartedGpus(JsonValue root, const Edit& edit) {
    const bool isOfLayout = edit.path == "layout" || edit.path.starts_with("layout.");
    if (!isOfLayout || root.find("imported") == nullptr || !valueAt(root, "layout.dp") ||
        valueAt(root, "imported.gpus") != nullptr) {
        return root;
    }
    std::int64_t gpus = 1;
    for (const std::string_view key : {"dp", "tp", "pp", "cp"}) {
        gpus = saturatingProduct(gpus, degreeOf(root, key));
    }
    if (gpus < 1 || gpus > kMostStartedGpus) {
        return root;  // whose layout is refused
    }
    const JsonBuilder build(whereOf(edit));
    return build.with(std::move(root), "imported.gpus", build.integer(gpus, std::to_string(gpus)));
}

Result<JsonValue> without(JsonValue root, std::string_view path) {
    const std::string_view stays = keptOf(path);
    const JsonValue* const said = stays.empty() ? nullptr : valueAt(root, stays);
    if (said == nullptr) {
        return JsonBuilder::without(std::move(root), path);
    }
    JsonValue kept = *said;
    root = JsonBuilder::without(std::move(root), path);
    return JsonBuilder("").with(std::move(root), stays, std::move(kept));
}

}  // namespace

std::string_view keptOf(std::string_view path) {
    return path == "cluster"              ? "cluster.reserve"
           : path == "settings.precision" ? "settings.precision.tf32"
                                          : "";
}

std::span<const SupersededKey> supersededKeys() {
    return kSuperseded;
}

std::string whereOf(const Edit& edit) {
    return isFlag(edit.origin) || edit.origin.empty() ? edit.origin : edit.origin + " " + edit.path;
}

std::vector<std::string_view> supersededBy(const Edit& edit) {
    std::vector<std::string_view> paths;
    for (const SupersededKey& one : kSuperseded) {
        if (one.by == edit.path) {
            paths.push_back(one.path);
        }
    }
    const bool isWhole = std::ranges::find(kWholePrecisions, edit.value) != kWholePrecisions.end();
    if (edit.path == "workload.precision" && isWhole) {
        paths.push_back("settings.precision");
    }
    if (edit.path == "settings.tuning" && edit.value == "full") {
        paths.emplace_back("settings.lora");
    }
    const QuestionFlag* flag = flagTyped(edit.origin);
    if (flag != nullptr && !flag->replaces.empty()) {
        paths.push_back(flag->replaces);
    }
    return paths;
}

Result<JsonValue> withoutSuperseded(JsonValue root, const Edit& edit, bool isAnswer) {
    if (isAnswer) {
        FABRICAST_ASSIGN(root, withoutAnswersDefaults(std::move(root), edit));
    }
    root = withoutFilesSchedule(std::move(root), edit);
    const bool divides = edit.path == "cluster.nodes" || edit.path == "cluster.gpus";
    if (divides && root.find("imported") != nullptr) {
        FABRICAST_ASSIGN(root, withoutRanks(std::move(root), edit));
    }
    FABRICAST_ASSIGN(root, onOneGpu(std::move(root), edit));
    FABRICAST_ASSIGN(root, withStartedGpus(std::move(root), edit));
    root = JsonBuilder::without(std::move(root), "imported.assumed." + edit.path);
    root = JsonBuilder::without(std::move(root), "imported.open." + edit.path);
    const bool isTaken = edit.path == "layout.dp" && edit.value == "null";  // and none is put there
    for (const std::string_view path : supersededBy(edit)) {
        if (!isTaken || path != "imported.gpus") {
            FABRICAST_ASSIGN(root, without(std::move(root), path));
        }
    }
    return root;
}

}  // namespace fabricast
