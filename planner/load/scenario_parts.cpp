#include "planner/load/scenario_parts.h"

#include "planner/load/find_model.h"
#include "planner/load/precision_scheme.h"
#include "planner/request/settings_json.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kUsualSequence = 4096;

}  // namespace

Result<ModelSpec> modelOf(const ScenarioRequest& request,
                          const ProfileStore& profiles,
                          const Folders& folders) {
    if (request.model.is(JsonValue::Kind::Null)) {
        return fail(Error::Code::BadInput, "model", "no model given", "-m llama-3.1-8b");
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
                                .standardInput = folders.standardInput}));
    return std::move(profile.model);
}

Result<const Stack*> stackOf(const ScenarioRequest& request, std::vector<std::string>& assumed) {
    if (request.stack.empty()) {
        assumed.emplace_back("stack torchtitan (default)");
        return findStack("torchtitan");
    }
    Result<const Stack*> stack = findStack(request.stack);
    if (!stack) {
        stack.error().where = request.stackWhere;
    }
    return stack;
}

Result<std::int64_t> globalBatchOf(const WorkloadRequest& workload,
                                   std::int64_t sequence,
                                   const Layout& layout,
                                   std::vector<std::string>& assumed) {
    if (workload.globalBatch) {
        return *workload.globalBatch;
    }
    if (workload.globalBatchTokens) {
        const std::int64_t tokens = workload.globalBatchTokens->count();
        if (tokens < sequence || tokens % sequence != 0) {
            return fail(
                Error::Code::BadInput,
                workload.globalBatchWhere,
                std::to_string(tokens) + " tokens are not a whole number of sequences of " +
                    std::to_string(sequence),
                std::to_string(std::clamp<std::int64_t>(tokens / sequence, 1, kLargestBatch)) +
                    ", a number of samples");
        }
        if (tokens / sequence > kLargestBatch) {
            return fail(Error::Code::BadInput,
                        workload.globalBatchWhere,
                        std::to_string(tokens / sequence) + " sequences are more than the " +
                            std::to_string(kLargestBatch) + " that a batch may have",
                        std::to_string(kLargestBatch) + ", a number of samples");
        }
        return tokens / sequence;
    }
    const std::int64_t batch = layout.dp * layout.microBatch * layout.pp;
    assumed.push_back("global batch " + std::to_string(batch) + ": dp x micro_batch x pp");
    return batch;
}

std::int64_t sequenceOf(const WorkloadRequest& workload,
                        const ModelSpec& model,
                        std::vector<std::string>& assumed) {
    if (workload.sequence) {
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
                    "a sequence of " + std::to_string(model.learnedPositions));
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

Result<Settings> settingsOf(const ScenarioRequest& request,
                            const Stack& stack,
                            const Scenario& scenario) {
    Settings settings = defaultSettings(stack, scenario.model, scenario.layout);
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
    settings.recompute = recomputeFor(stack, std::move(settings.recompute));
    FABRICAST_TRY(checkCapacity(settings.kernels));
    return settings;
}

Result<void> checkTuning(const ScenarioRequest& request,
                         const Settings& settings,
                         std::vector<std::string>& assumed) {
    const LoraSettings& lora = settings.lora;
    if (settings.tuning == Tuning::Full) {
        if (lora == LoraSettings{}) {
            return {};
        }
        return fail(Error::Code::BadInput,
                    "settings.lora",
                    "adapters are configured, but tuning is full",
                    "settings.tuning=lora");
    }
    const auto says = [&](std::string_view key) {
        const JsonValue* group = request.settings.find("lora");
        return group != nullptr && group->find(key) != nullptr;
    };
    if (!says("rank")) {
        assumed.push_back("LoRA of rank " + std::to_string(lora.rank));
    }
    if (!says("targets")) {
        assumed.emplace_back("LoRA on every linear layer of the blocks");
    }
    if (!says("base")) {
        assumed.push_back("a frozen base in " + std::string(nameOf(lora.base)));
    }
    return {};
}

}  // namespace fabricast
