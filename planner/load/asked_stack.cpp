#include "planner/load/asked_question.h"
#include "planner/load/scenario_defaults.h"
#include "planner/spec/check_settings.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fabricast {

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

/// Why an evaluation that is asked for is not modelled of a stack's layers and loss; empty: it is.
/// What else is wrong is said later.
std::string whyNoEvaluation(const ScenarioRequest& request,
                            const Stack& stack,
                            const ModelSpec& model,
                            const GpuSpec& gpu) {
    Scenario scenario;
    scenario.model = model;
    scenario.cluster.node.gpu = gpu;
    scenario.stack = stack.name;
    scenario.layout = request.layout.layout;
    Result<Settings> settings = settingsOf(request, stack, scenario);
    if (!settings || settings->phases.evaluationBatch == 0) {
        return {};
    }
    scenario.settings = *std::move(settings);
    scenario.settings.phases = {.evaluationBatch = scenario.settings.phases.evaluationBatch,
                                .keptLogits = scenario.settings.phases.keptLogits};
    const Result<void> modelled = checkPhases(scenario);
    return modelled ? "" : std::string(stack.name) + ": " + modelled.error().why;
}

/// Why a stack is not meant where none is named; empty: it may be.
std::string whyNotMeant(const ScenarioRequest& request,
                        const Stack& stack,
                        const ModelSpec& model,
                        const GpuSpec& gpu) {
    if (const auto config = checkHasConfig(stack.name, model, Tuning::Full); !config) {
        return config.error().why;
    }
    return multipliesIn(request, stack, gpu) ? whyNoEvaluation(request, stack, model, gpu)
                                             : std::string(stack.name) + " has no fp16";
}

Result<const Stack*> usualStackOf(const ScenarioRequest& request,
                                  const ModelSpec& model,
                                  const GpuSpec& gpu,
                                  std::vector<std::string>& assumed) {
    FABRICAST_ASSIGN(const Stack* usual, findStack(kUsualStack));
    const std::string why = whyNotMeant(request, *usual, model, gpu);
    if (why.empty()) {
        assumed.push_back(std::string("stack ") + kUsualStack + " (default)");
        addOwnPartNote(request, model, kUsualStack, assumed);
        return usual;
    }
    for (const char* name : kStacksBeside) {
        FABRICAST_ASSIGN(const Stack* stack, findStack(name));
        if (hasKeys(*stack, request.layout) && whyNotMeant(request, *stack, model, gpu).empty()) {
            assumed.push_back(std::string("stack ") + name + " (default: " + why + ")");
            return stack;
        }
    }
    assumed.push_back(std::string("stack ") + kUsualStack + " (default)");
    addOwnPartNote(request, model, kUsualStack, assumed);
    return usual;
}

}  // namespace

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
    const Tuning tuning = trainsAdapters(request) ? Tuning::Lora : Tuning::Full;
    std::optional<std::string> note = isImported ? std::nullopt : ownPartNote(stack, model, tuning);
    if (note && std::ranges::find(assumed, *note) == assumed.end()) {
        assumed.push_back(*std::move(note));
    }
}

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

}  // namespace fabricast
