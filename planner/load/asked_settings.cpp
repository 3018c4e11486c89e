#include "planner/base/quantity_text.h"
#include "planner/estimate/op_kernels.h"
#include "planner/load/asked_question.h"
#include "planner/load/scenario_defaults.h"
#include "planner/ops/parameters.h"
#include "planner/request/settings_json.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/lacked_settings.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

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

bool loadsWhole(const Stack& stack, const Layout& layout, const Settings& settings) {
    return stack.loadsWhole != nullptr && stack.loadsWhole(layout, settings);
}

/// Where a stack's own way to load is not modelled, loading is not counted.
Loading usualLoading(const Stack& stack, const Scenario& scenario, const Settings& settings) {
    if (!loadsWhole(stack, scenario.layout, settings)) {
        return settings.phases.loading;
    }
    Scenario loaded = scenario;
    loaded.settings = settings;
    loaded.settings.phases = {.loading = Loading::Gpu};
    return checkPhases(loaded) ? Loading::Gpu : settings.phases.loading;
}

}  // namespace

PartialLayout layoutOf(const ScenarioRequest& request, const Stack& stack) {
    PartialLayout layout = request.layout;
    const bool isMegatron = defaultSettings(stack, {}, layout.layout).engine == Engine::Megatron;
    const JsonValue* group = request.settings.find("megatron");
    const JsonValue* divides = group ? group->find("distributed_optimizer") : nullptr;
    const Result<bool> value = divides ? divides->boolean() : Result<bool>(false);
    if (isMegatron && divides && value && !layout.says("shard")) {
        layout.layout.shard = *value ? Shard::Zero1 : Shard::None;
        layout.said.emplace("shard");
    }
    return layout;
}

Result<Settings> settingsOf(const ScenarioRequest& request,
                            const Stack& stack,
                            const Scenario& scenario) {
    const Tuning tuning = trainsAdapters(request) ? Tuning::Lora : Tuning::Full;
    const Settings own = defaultSettings(stack, scenario.model, scenario.layout, tuning);
    Settings settings = own;
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
        settings = withoutLacked(stack, std::move(settings), own);
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
    if (!says(request, "phases", "loading")) {
        settings.phases.loading = usualLoading(stack, scenario, settings);
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

void addNcclNote(const Scenario& scenario, std::vector<std::string>& assumed) {
    std::string note =
        "steps take the time of NCCL's own choices: settings.nccl changes memory alone";
    if (scenario.settings.nccl != NcclSettings{} &&
        std::ranges::find(assumed, note) == assumed.end()) {
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

void addExpertsOfAdapters(const ScenarioRequest& request,
                          const ModelSpec& model,
                          const Settings& settings,
                          std::vector<std::string>& assumed) {
    if (settings.tuning != Tuning::Lora || !model.moe) {
        return;
    }
    const auto add = [&assumed](std::string note) {
        if (std::ranges::find(assumed, note) == assumed.end()) {
            assumed.push_back(std::move(note));
        }
    };
    const Dtype base = settings.lora.base;
    if (!saysOfLora(request, "targets")) {
        add(aboutTargets(model));
    }
    if (isQuantized(base)) {
        add(std::string(nameOf(base)) +
            " for linear layers only: experts and router are no nn.Linear and stay in bf16");
    }
}

void addLoadingNote(const ScenarioRequest& request,
                    const Stack& stack,
                    const Scenario& scenario,
                    std::vector<std::string>& assumed) {
    // A search has no layout yet: what is said is about those of its layouts that are cut by FSDP2.
    const bool isSearch = scenario.layout.world() < scenario.cluster.gpus();
    Scenario cut = scenario;
    if (isSearch && !request.layout.says("shard")) {
        cut.layout.shard = Shard::Fsdp;
    }
    cut.layout.dp = isSearch ? scenario.cluster.gpus() : cut.layout.dp;
    const std::optional<Bytes> room = scenario.cluster.node.gpu.capacity().value;
    const Result<Settings> settings = settingsOf(request, stack, cut);
    if (!settings || !room || !loadsWhole(stack, cut.layout, *settings)) {
        return;
    }
    const Bytes least(countParameters(scenario.model).total /
                      2);  // half a byte a weight, no scales
    if (least > *room) {
        const bool isCounted = settings->phases.loading != Loading::Meta;
        assumed.push_back(
            std::string(isCounted ? "loading is counted" : "loading is not counted") +
            (isSearch ? " with shard=fsdp" : "") + ": under FSDP2 " + std::string(stack.title) +
            " puts a base of 4 bits whole on every GPU before it cuts it, here at least " +
            shortText(least) + " on one of " + shortText(*room) + ", and does not get past it" +
            (isCounted ? " (--set settings.phases.loading=meta: steps alone)" : ""));
    }
}

Result<void> checkTuning(const ScenarioRequest& request,
                         const ModelSpec& model,
                         const Stack& stack,
                         const Settings& settings,
                         std::vector<std::string>& assumed) {
    const LoraSettings& lora = settings.lora;
    const auto typed = [&](std::string_view key) { return saysOfLora(request, key); };
    if (settings.tuning == Tuning::Full) {
        // What the stack would do with adapters is not a wish for them; a rank is, also the usual
        // one, unless an answer says it beside the tuning.
        const bool isUsual =
            lora == LoraSettings{} || lora == defaultSettings(stack, model, {}).lora;
        const bool saysTuning = request.settings.find("tuning") != nullptr;
        if (isUsual && (saysTuning || !(typed("rank") || typed("targets")))) {
            return {};
        }
        return fail(Error::Code::BadInput,
                    "settings.lora",
                    "adapters are configured, but tuning is full",
                    "settings.tuning=lora");
    }
    if (!typed("rank")) {
        assumed.push_back("LoRA rank " + std::to_string(lora.rank) + " (default)");
    }
    if (!typed("targets") && !model.moe) {
        assumed.push_back(aboutTargets(model));
    }
    addExpertsOfAdapters(request, model, settings, assumed);
    if (!typed("base")) {
        assumed.push_back("frozen weights in " + std::string(nameOf(lora.base)) +
                          " (--tuning qlora: in 4 bits)");
    }
    return {};
}

}  // namespace fabricast
