#include "planner/load/scenario_parts.h"

#include "planner/estimate/op_kernels.h"
#include "planner/load/find_model.h"
#include "planner/load/gpu_defaults.h"
#include "planner/load/precision_scheme.h"
#include "planner/request/settings_json.h"
#include "planner/spec/gpu_kernels.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/setting_names.h"
#include "planner/spec/written_attention.h"
#include "planner/stack/packaged_models.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

using namespace std::string_literals;

constexpr std::int64_t kUsualSequence = 4096;
constexpr const char* kSomeModel = "-m llama-3.1-8b";

}  // namespace

Result<void> checkGiven(const ScenarioRequest& request) {
    const bool hasModel = !request.model.is(JsonValue::Kind::Null);
    if (hasModel || !request.cluster.name.empty() || !request.cluster.gpu.empty()) {
        return {};
    }
    const std::string what = "no model and no cluster given";
    return fail(
        Error::Code::BadInput,
        "model",
        request.madeOf.empty() ? what : what + ": " + request.madeOf + " names neither of them",
        kSomeModel + " -c dgx-h100"s);
}

Result<ModelSpec> modelOf(const ScenarioRequest& request,
                          const ProfileStore& profiles,
                          const Folders& folders) {
    if (request.model.is(JsonValue::Kind::Null)) {
        const bool isMade = !request.madeOf.empty();  // of a launch file
        return fail(Error::Code::BadInput,
                    "model",
                    isMade ? "no model given: " + request.madeOf + " does not name what it trains"
                           : "no model given",
                    kSomeModel + ", or -m FOLDER with the model's config.json"s);
    }
    if (request.model.is(JsonValue::Kind::Object)) {
        FABRICAST_ASSIGN(ModelProfile inPlace, readModelProfile(request.model, "model"));
        return std::move(inPlace.model);
    }
    FABRICAST_ASSIGN(const std::string name, request.model.text());
    const bool typed = request.model.line() == 0;
    FABRICAST_ASSIGN(ModelProfile profile,
                     findModel(name,
                               profiles,
                               {.folder = typed ? folders.typed : folders.file,
                                .where = request.model.where(),
                                .known = folders.known}));
    return std::move(profile.model);
}

void addModelNotes(const ModelSpec& model, std::vector<std::string>& assumed) {
    for (const std::string& note : model.notes) {
        assumed.push_back(model.name + ": " + note);
    }
}

bool trainsAdapters(const ScenarioRequest& request) {
    const JsonValue* tuning = request.settings.find("tuning");
    return tuning != nullptr && tuning->text() == nameOf(Tuning::Lora);
}

bool freezesSome(const ScenarioRequest& request) {
    const JsonValue* train = request.settings.find("train");
    return trainsAdapters(request) || (train != nullptr && train->text() != "all");
}

void addOwnPartNote(const ScenarioRequest& request,
                    const ModelSpec& model,
                    std::string_view stack,
                    std::vector<std::string>& assumed) {
    const bool isImported = !request.madeOf.empty();  // a launch file runs what it names
    std::optional<std::string> note = isImported ? std::nullopt : ownPartNote(stack, model);
    if (note && std::ranges::find(assumed, *note) == assumed.end()) {
        assumed.push_back(*std::move(note));
    }
}

namespace {

constexpr const char* kUsualStack = "torchtitan";
/// In this order where it has no code or config for a model: what PyTorch itself has, then what
/// splits more.
constexpr std::array kStacksBeside = {"fsdp2", "accelerate", "megatron", "deepspeed"};

/// Whether the keys of a layout that were typed are ones of the stack.
bool hasKeys(const Stack& stack, const PartialLayout& typed) {
    Layout layout = typed.layout;
    if (!typed.says("shard")) {
        layout.shard = usualShard(stack, layout);
    }
    if (!typed.says("cp_kind") && !stack.axes.context.empty()) {
        layout.cpKind = stack.axes.context.front();
    }
    const auto kinds = stack.methods.recompute;
    const bool recomputes = !typed.says("recompute") ||
                            typed.recompute.kind == Checkpointing::None ||
                            std::ranges::find(kinds, typed.recompute.kind) != kinds.end();
    return recomputes && checkAxes(stack.name, stack.axes, layout);
}

Result<const Stack*> usualStackOf(const ScenarioRequest& request,
                                  const ModelSpec& model,
                                  const GpuSpec& gpu,
                                  std::vector<std::string>& assumed) {
    FABRICAST_ASSIGN(const Stack* usual, findStack(kUsualStack));
    const Result<void> config = checkHasConfig(kUsualStack, model);
    if (config && multipliesIn(request, *usual, gpu)) {
        assumed.push_back(std::string("stack ") + kUsualStack + " (default)");
        addOwnPartNote(request, model, kUsualStack, assumed);
        return usual;
    }
    const std::string why = config ? std::string(kUsualStack) + " has no fp16" : config.error().why;
    for (const char* name : kStacksBeside) {
        FABRICAST_ASSIGN(const Stack* stack, findStack(name));
        if (checkHasConfig(name, model) && hasKeys(*stack, request.layout) &&
            multipliesIn(request, *stack, gpu)) {
            assumed.push_back(std::string("stack ") + name + " (default: " + why + ")");
            return stack;
        }
    }
    assumed.push_back(std::string("stack ") + kUsualStack + " (default)");
    addOwnPartNote(request, model, kUsualStack, assumed);
    return usual;
}

}  // namespace

Result<const Stack*> stackOf(const ScenarioRequest& request,
                             const ModelSpec& model,
                             const GpuSpec& gpu,
                             std::vector<std::string>& assumed) {
    if (request.stack.empty() && freezesSome(request)) {
        const bool alone = request.cluster.gpus == 1;
        const char* usual = alone ? "ddp" : "fsdp2";
        assumed.push_back(std::string("stack ") + usual + " (default)");
        return findStack(usual);
    }
    if (request.stack.empty()) {
        return usualStackOf(request, model, gpu, assumed);
    }
    Result<const Stack*> stack = findStack(request.stack);
    if (!stack) {
        stack.error().where = request.stackWhere;
        return stack;
    }
    addOwnPartNote(request, model, (*stack)->name, assumed);
    return stack;
}

namespace {

/// Of the multiples of `step` within a twentieth of `wanted`, the one that most powers of two
/// divide, and of those the nearest; else the nearest multiple.
std::int64_t roundBatch(double wanted, std::int64_t step) {
    constexpr double kNear = 0.05;
    const auto multiple = [&](double samples) {
        return std::max<std::int64_t>(1, std::llround(samples / static_cast<double>(step))) * step;
    };
    for (std::int64_t unit = std::int64_t{1} << 30; unit >= 1; unit /= 2) {
        const double whole = static_cast<double>(unit * step);
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
    constexpr std::int64_t kMostTokens = 4 * 1024 * 1024;
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

/// Dropped tokens are not multiplied: with most of them gone, a rate per token says nothing.
Result<void> checkCapacity(const KernelSettings& kernels) {
    constexpr double kLeastCapacity = 0.5;
    if (kernels.capacityFactor > 0 && kernels.capacityFactor < kLeastCapacity) {
        return fail(Error::Code::BadInput,
                    "settings.kernels.capacity_factor",
                    "drops most tokens: it must be at least 0.5, or 0 where none are dropped",
                    "settings.kernels.capacity_factor=1");
    }
    return {};
}

namespace {

bool says(const ScenarioRequest& request, std::string_view part, std::string_view key) {
    const JsonValue* group = request.settings.find(part);
    return group != nullptr && group->find(key) != nullptr;
}

bool saysOfLora(const ScenarioRequest& request, std::string_view key) {
    return says(request, "lora", key);
}

bool fallsBack(const ScenarioRequest& request, const Scenario& scenario, const Settings& settings) {
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const bool lacks =
        settings.kernels.attentionCode == AttentionCode::Native
            ? lacksNativeAttention(scenario.model)
            : lacksFusedAttention(scenario.model) ||
                  (scenario.model.attention.sinks && !runsFusedAttention(gpu, scenario.model));
    return lacks && settings.kernels.code == ModelCode::HuggingFace &&
           !says(request, "kernels", "attention");
}

/// Whatever the stack, a model has no more layers than it has.
Result<void> checkLayers(const ModelSpec& model, const Settings& settings) {
    const auto more = [&model](std::string where, std::int64_t layers, std::string hint) {
        return fail(Error::Code::BadInput,
                    std::move(where),
                    std::to_string(layers) + " layers are more than the " +
                        std::to_string(model.layers) + " of " + model.name,
                    std::move(hint));
    };
    if (settings.recompute.layers > model.layers) {
        return more("layout.recompute", settings.recompute.layers, "recompute=full");
    }
    if (settings.train.layers > model.layers) {
        return more("settings.train",
                    settings.train.layers,
                    "--train last:" + std::to_string(model.layers));
    }
    return {};
}

}  // namespace

Result<Settings> settingsOf(const ScenarioRequest& request,
                            const Stack& stack,
                            const Scenario& scenario) {
    const Tuning tuning = trainsAdapters(request) ? Tuning::Lora : Tuning::Full;
    Settings settings = defaultSettings(stack, scenario.model, scenario.layout, tuning);
    if (!request.workload.precision.empty()) {
        FABRICAST_ASSIGN(
            settings,
            withPrecision(
                std::move(settings), request.workload.precision, request.workload.precisionWhere));
    }
    if (request.workload.optimizer) {
        settings.optimizer.kind = *request.workload.optimizer;
    }
    if (request.layout.says("recompute")) {
        settings.recompute = request.layout.recompute;
    }
    if (!request.settings.is(JsonValue::Kind::Null)) {
        FABRICAST_ASSIGN(settings, applySettings(request.settings, std::move(settings)));
    }
    FABRICAST_ASSIGN(
        settings, withGpuDefaults(request, stack, scenario.cluster.node.gpu, std::move(settings)));
    if (fallsBack(request, scenario, settings)) {
        settings.kernels.attention = AttentionKernel::Unfused;
    }
    // What a stack asks its loader for says nothing of a base that has no scales.
    if (settings.lora.base != Dtype::Nf4 && !saysOfLora(request, "double_quantization")) {
        settings.lora.doubleQuantization = false;
    }
    if (tuning == Tuning::Lora && saysOfLora(request, "targets")) {
        FABRICAST_ASSIGN(settings.lora.targets,
                         targetsInPeft(scenario.model, settings.lora.targets));
    }
    settings.recompute = recomputeFor(stack, std::move(settings.recompute));
    FABRICAST_TRY(checkLayers(scenario.model, settings));
    FABRICAST_TRY(checkCapacity(settings.kernels));
    return settings;
}

void addAttentionNote(const ScenarioRequest& request,
                      const Scenario& scenario,
                      std::vector<std::string>& assumed) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const bool isEager = kernels.attention == AttentionKernel::Unfused;
    const bool isOpen = kernels.code == ModelCode::HuggingFace &&
                        lacksNativeAttention(scenario.model) &&
                        !says(request, "kernels", "attention") &&
                        (isEager || !says(request, "kernels", "attention_code"));
    if (!isOpen) {
        return;
    }
    KernelSettings other = kernels;
    other.attention = AttentionKernel::Flash;
    const std::string fused(attentionName(other, scenario.model));
    std::string note =
        "attention " + fused + " (eager without it: --set settings.kernels.attention=unfused)";
    if (isEager) {
        const bool isOffered = runsFusedAttention(scenario.cluster.node.gpu, scenario.model);
        note = "attention eager (PyTorch's own cannot compute the model's" +
               (isOffered ? "; with " + fused + ": --set settings.kernels.attention=flash"
                          : std::string()) +
               ")";
    }
    if (std::ranges::find(assumed, note) == assumed.end()) {
        assumed.push_back(std::move(note));
    }
}

Result<void> checkMultiplies(const Scenario& scenario) {
    FABRICAST_TRY(checkAttends(scenario));
    const std::optional<KernelProfile>& kernels = scenario.cluster.node.gpu.kernels;
    Result<void> sound = kernels ? checkTypes(scenario, *kernels) : Result<void>();
    if (sound || sound.error().where != "settings.precision.compute") {
        return sound;
    }
    // A precision that the stack refuses in turn would lead nowhere.
    const Result<const Stack*> stack = findStack(scenario.stack);
    const bool has = !stack || std::ranges::find((*stack)->methods.compute, Dtype::Fp16) !=
                                   (*stack)->methods.compute.end();
    sound.error().hint =
        std::string(has ? "" : "--stack fsdp2 ") + "--precision fp16, or another GPU";
    return sound;
}

Result<void> hintedFor(const Scenario& scenario, Result<void> checked) {
    constexpr std::string_view kTyped = "--precision bf16";
    const std::size_t place = checked ? std::string::npos : checked.error().hint.find(kTyped);
    if (place == std::string::npos || multipliesBf16(scenario.cluster.node.gpu)) {
        return checked;
    }
    const bool isFp16 = scenario.settings.precision.compute == Dtype::Fp16;
    checked.error().hint.replace(
        place, kTyped.size(), isFp16 ? "another GPU" : "--precision fp16, or another GPU");
    return checked;
}

Result<void> checkTuning(const ScenarioRequest& request,
                         const ModelSpec& model,
                         const Stack& stack,
                         const Settings& settings,
                         std::vector<std::string>& assumed) {
    const LoraSettings& lora = settings.lora;
    if (settings.tuning == Tuning::Full) {
        // What the stack would do with adapters is not a wish for them.
        if (lora == LoraSettings{} || lora == defaultSettings(stack, model, {}).lora) {
            return {};
        }
        return fail(Error::Code::BadInput,
                    "settings.lora",
                    "adapters are configured, but tuning is full",
                    "settings.tuning=lora");
    }
    const auto typed = [&](std::string_view key) { return saysOfLora(request, key); };
    if (!typed("rank")) {
        assumed.push_back("LoRA rank " + std::to_string(lora.rank) + " (default)");
    }
    if (!typed("targets")) {
        assumed.push_back(aboutTargets(model));
    }
    const bool quantised = lora.base == Dtype::Nf4 || lora.base == Dtype::Int8;
    if (model.moe && quantised) {
        assumed.push_back(
            std::string(nameOf(lora.base)) +
            " for linear layers only: experts and router are no nn.Linear and stay in bf16");
    }
    if (!typed("base")) {
        assumed.push_back("frozen weights in " + std::string(nameOf(lora.base)) +
                          " (--tuning qlora: in 4 bits)");
    }
    return {};
}

}  // namespace fabricast
