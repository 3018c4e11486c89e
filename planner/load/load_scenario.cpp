#include "planner/load/asked_batch.h"
#include "planner/load/asked_question.h"
#include "planner/load/find_named.h"
#include "planner/load/kbit_preparation_note.h"
#include "planner/load/load_question.h"
#include "planner/load/measured_notes.h"
#include "planner/load/said_sizes.h"
#include "planner/load/scenario_defaults.h"
#include "planner/request/scenario_json.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// What nobody who trains on one GPU without torchrun has.
void addWrapperNote(const Scenario& scenario, std::vector<std::string>& assumed) {
    if (scenario.stack == "ddp" && scenario.layout.world() == 1) {
        assumed.emplace_back(
            "the model is wrapped in DDP, whose buckets hold the gradients on one GPU too (--stack "
            "accelerate: not wrapped)");
    }
}

/// Hardware that the layout implies and nobody asked for is said.
void addRanksNote(const FoundCluster& found,
                  const Layout& layout,
                  std::vector<std::string>& assumed) {
    const std::int64_t ranks = layout.world();
    const std::int64_t perNode = found.cluster.node.gpus;
    if (found.room.gpus || ranks == found.room.usualGpus) {
        return;
    }
    const std::string gpus = std::to_string(ranks) + (ranks == 1 ? " GPU" : " GPUs");
    if (ranks < perNode) {
        assumed.push_back(gpus + " of the " + std::to_string(perNode) + " of a " +
                          found.cluster.name + ", as many as the layout has ranks (--gpus " +
                          std::to_string(perNode) + " takes all)");
        return;
    }
    assumed.push_back(std::to_string(ranks / perNode) + " nodes of " + found.cluster.name +
                      ", as the layout has " + std::to_string(ranks) + " ranks (-n " +
                      std::to_string(ranks / perNode) + ")");
}

/// DeepSpeed ends where train_batch_size is not the product of the two others and the ranks.
Result<void> checkBatchRanks(const BatchRanks& file, std::int64_t replicas) {
    if (file.count == 0 || file.count == replicas) {
        return {};
    }
    return fail(Error::Code::BadInput,
                file.where,
                "train_batch_size is micro-batch x gradient_accumulation_steps x " +
                    std::to_string(file.count) + " ranks, and " + std::to_string(replicas) +
                    " have samples of their own: DeepSpeed ends at that",
                "--global-batch, or leave one of the three out: DeepSpeed works it out");
}

/// Trainer (transformers, TrainingArguments.n_gpu) counts the GPUs that one process sees.
Result<void> checkOneProcess(const std::string& where, std::int64_t ranks, std::int64_t perNode) {
    if (where.empty() || ranks == 1) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                where,
                "python starts one process, in which Trainer divides each batch over the GPUs of "
                "the node with nn.DataParallel: that is not modelled",
                "torchrun --nproc-per-node " + std::to_string(perNode) +
                    " in place of python, or --gpus 1 and CUDA_VISIBLE_DEVICES=0");
}

/// Layers on several GPUs of one process, which wait for each other.
Result<void> checkDeviceMap(const std::string& where, std::int64_t ranks, std::int64_t perNode) {
    if (where.empty() || ranks == 1) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                where,
                "device_map spreads the layers of one process over its GPUs, of which one works at "
                "a time: that is not modelled",
                "leave it out and start torchrun --nproc-per-node " + std::to_string(perNode) +
                    ", or --gpus 1 and CUDA_VISIBLE_DEVICES=0");
}

Result<LoadedScenario> scenarioFrom(const ScenarioRequest& request,
                                    const JsonValue& root,
                                    const ProfileStore& profiles,
                                    const Folders& folders) {
    LoadedScenario loaded;
    loaded.assumed = request.importNotes;
    Scenario& scenario = loaded.scenario;
    FABRICAST_TRY(checkGiven(request));
    FABRICAST_ASSIGN(scenario.model, modelOf(request, profiles, folders));
    if (request.model.is(JsonValue::Kind::String)) {  // not made of these sizes
        FABRICAST_TRY(checkSaidSizes(request.importedSizes, scenario.model));
    }
    addModelNotes(scenario.model, loaded.assumed);
    FABRICAST_ASSIGN(FoundCluster found,
                     findStartedCluster(request.cluster, root, profiles, folders));
    FABRICAST_ASSIGN(const Stack* stack,
                     stackOf(request, scenario.model, found.cluster.node.gpu, loaded.assumed));
    scenario.stack = std::string(stack->name);
    loaded.assumed.insert(loaded.assumed.end(), found.assumed.begin(), found.assumed.end());
    FABRICAST_ASSIGN(const std::optional<std::int64_t> started, startedGpus(root));
    if (started && !found.room.gpus && !request.layout.says("dp")) {
        found.room.usualGpus = *started;
        loaded.assumed.push_back(std::to_string(*started) +
                                 " GPUs, as many as the file starts (-n)");
    }
    found.room.heads = scenario.model.attention.heads;
    found.room.layers = scenario.model.layers;
    found.room.experts = scenario.model.moe ? scenario.model.moe->experts : 0;
    FABRICAST_ASSIGN(scenario.layout,
                     completeLayout(layoutOf(request, *stack), *stack, found.room));
    FABRICAST_TRY(checkBatchRanks(request.batchRanks, scenario.layout.dp));
    FABRICAST_TRY(
        checkDeviceMap(request.deviceMap, scenario.layout.world(), found.cluster.node.gpus));
    FABRICAST_TRY(
        checkOneProcess(request.oneProcess, scenario.layout.world(), found.cluster.node.gpus));
    addRanksNote(found, scenario.layout, loaded.assumed);
    FABRICAST_ASSIGN(scenario.cluster, withRanks(std::move(found), scenario.layout.world()));
    scenario.workload.sequence = sequenceOf(request.workload, scenario.model, loaded.assumed);
    FABRICAST_TRY(checkPositions(scenario.model, scenario.workload.sequence, loaded.assumed));
    if (!request.layout.says("micro_batch")) {
        loaded.assumed.push_back("micro_batch " + std::to_string(scenario.layout.microBatch) +
                                 " (default; --layout micro_batch= sets it)");
    }
    FABRICAST_ASSIGN(
        scenario.workload.globalBatch,
        globalBatchOf(
            request.workload, scenario.workload.sequence, scenario.layout, loaded.assumed));
    FABRICAST_TRY(checkBatch(scenario.layout, scenario.workload.globalBatch));
    FABRICAST_ASSIGN(scenario.settings, settingsOf(request, *stack, scenario));
    FABRICAST_TRY(checkTuning(request, scenario.model, *stack, scenario.settings, loaded.assumed));
    addKbitNote(request, scenario, loaded.assumed);
    addAttentionNote(request, scenario, loaded.assumed);
    addLoadingNote(request, *stack, scenario, loaded.assumed);
    addNcclNote(scenario, loaded.assumed);
    addGpuNotes(request, scenario, loaded.assumed);
    addWrapperNote(scenario, loaded.assumed);
    // What the GPU lacks comes first: the stack's other precisions may be no way out there.
    FABRICAST_TRY(checkMultiplies(scenario));
    FABRICAST_TRY(hintedFor(scenario, stack->check(scenario)));
    FABRICAST_ASSIGN(loaded.measured, correctionNotes(scenario.cluster, profiles));
    return loaded;
}

/// The value at a dotted path, or the deepest existing one on the way; of what is typed it has to
/// be the value itself, as another key of the group has nothing to do with it.
const JsonValue* follow(const JsonValue& root, std::string_view path) {
    const JsonValue* place = &root;
    while (!path.empty()) {
        const std::string_view key = path.substr(0, path.find('.'));
        const JsonValue* next = place->find(key);
        if (next == nullptr) {
            break;
        }
        place = next;
        path.remove_prefix(std::min(path.size(), key.size() + 1));
    }
    const bool isTyped = place->where().starts_with('-');
    return place == &root || (isTyped && !path.empty()) ? nullptr : place;
}

}  // namespace

Error located(Error error, const JsonValue& root) {
    if (error.where.empty()) {
        return error;
    }
    if (const JsonValue* place = follow(root, error.where); place != nullptr) {
        // A name for several keys does not change the one that was said.
        if (error.where == "settings.precision." + place->name() &&
            error.hint.starts_with("--precision ")) {
            error.hint = "leave it out: " + error.hint;
        }
        std::string at = place->where();
        const bool isSaid = at.find(error.where) != std::string::npos;  // as --set types it
        if (error.where.find('.') != std::string::npos && !isSaid) {
            error.why = error.where + ": " + error.why;
        }
        error.where = std::move(at);
    }
    return error;
}

Result<LoadedScenario> loadScenario(const JsonValue& root,
                                    const ProfileStore& profiles,
                                    const Folders& folders) {
    FABRICAST_ASSIGN(const ScenarioRequest request, readScenario(root));
    Result<LoadedScenario> loaded = scenarioFrom(request, root, profiles, folders);
    if (!loaded) {
        return tl::unexpected(located(std::move(loaded).error(), root));
    }
    return loaded;
}

}  // namespace fabricast
