#include "planner/base/checked.h"
#include "planner/load/asked_batch.h"
#include "planner/load/asked_question.h"
#include "planner/load/find_named.h"
#include "planner/load/kbit_preparation_note.h"
#include "planner/load/load_question.h"
#include "planner/load/measured_notes.h"
#include "planner/load/said_sizes.h"
#include "planner/load/scenario_defaults.h"
#include "planner/request/scenario_json.h"
#include "planner/text/json_builder.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 4> kUsualStacks = {
    "megatron", "torchtitan", "fsdp2", "deepspeed"};
/// Frozen weights are modelled in these.
constexpr std::array<std::string_view, 2> kFrozenStacks = {"ddp", "fsdp2"};
/// Those of the usual that train adapters, and DDP; Axolotl is what launch files of adapters are
/// written for.
constexpr std::array<std::string_view, 5> kAdapterStacks = {
    "axolotl", "ddp", "fsdp2", "torchtitan", "deepspeed"};

Result<const Stack*> stackNamed(const std::string& name, const std::string& where) {
    Result<const Stack*> stack = findStack(name);
    if (!stack) {
        stack.error().where = where;
    }
    return stack;
}

/// Those that people choose among, less what cannot run here, which is said.
std::vector<std::string> usualStacksFor(const ScenarioRequest& request,
                                        const Scenario& base,
                                        std::vector<std::string>& assumed) {
    std::vector<std::string> names;
    for (const std::string_view name : trainsAdapters(request) ? adapterStacks() : usualStacks()) {
        std::string why = whyLeftOut(request, name, base.model, base.cluster.node.gpu);
        if (why.empty()) {
            names.emplace_back(name);
        } else {
            assumed.push_back(std::move(why));
        }
    }
    return names;
}

/// A name in the scenario is read even where others are searched.
Result<std::vector<const Stack*>> stacksOf(const ScenarioRequest& request,
                                           const std::vector<std::string>& typed,
                                           const Scenario& base,
                                           std::vector<std::string>& assumed) {
    if (!request.stack.empty()) {
        FABRICAST_TRY(stackNamed(request.stack, request.stackWhere));
    }
    std::vector<std::string> names = typed;
    if (names.empty() && !request.stack.empty()) {
        names.push_back(request.stack);
    }
    if (names.empty() && freezesSome(request) && !trainsAdapters(request)) {
        names.assign(kFrozenStacks.begin(), kFrozenStacks.end());
    }
    if (names.empty()) {
        names = usualStacksFor(request, base, assumed);
    }
    std::vector<const Stack*> stacks;
    for (const std::string& name : names) {
        FABRICAST_ASSIGN(const Stack* stack,
                         stackNamed(name, typed.empty() ? request.stackWhere : "--stack"));
        if (std::find(stacks.begin(), stacks.end(), stack) == stacks.end()) {
            stacks.push_back(stack);
            addOwnPartNote(request, base.model, stack->name, assumed);
        }
    }
    return stacks;
}

/// As the layout says, whose missing keys are 1.
std::int64_t dataRanksOf(const PartialLayout& partial, std::int64_t gpus) {
    const Layout& layout = partial.layout;
    if (partial.says("dp")) {
        return layout.dp;
    }
    const std::int64_t others = saturatingProduct(layout.tp, layout.pp, layout.cp);
    return std::max<std::int64_t>(1, gpus / std::max<std::int64_t>(1, others));
}

Result<std::int64_t> batchOf(const WorkloadRequest& workload,
                             const PartialLayout& layout,
                             const Scenario& base,
                             std::vector<std::string>& assumed) {
    const std::int64_t sequence = base.workload.sequence;
    const std::int64_t gpus = base.cluster.gpus();
    if (workload.globalBatch) {
        return *workload.globalBatch;
    }
    if (workload.globalBatchPerRank) {
        const auto batch = batchOfRanks(workload, dataRanksOf(layout, gpus), assumed);
        if (batch && !layout.says("dp")) {  // rows are compared at one batch
            assumed.back() += ", and as many in all with another dp";
        }
        return batch;
    }
    if (!workload.globalBatchTokens) {
        return usualBatch(gpus, sequence, assumed);
    }
    const bool isEnough = workload.globalBatchTokens->count() / sequence >= gpus;
    return samplesOfTokens(workload, sequence, isEnough ? gpus : 1, assumed);
}

/// So many as the launch file starts, where nobody typed a number: as many as its layout takes, and
/// where keys of that are left out, as it took with them.
Result<std::int64_t> searchedGpus(const ScenarioRequest& request,
                                  const JsonValue& root,
                                  const Room& room,
                                  std::vector<std::string>& assumed) {
    const JsonValue* const imported = root.find("imported");
    if (room.gpus || imported == nullptr) {
        return room.gpus.value_or(room.usualGpus);
    }
    const PartialLayout& layout = request.layout;
    FABRICAST_ASSIGN(const std::optional<std::int64_t> before, startedGpus(root));
    std::int64_t gpus = layout.says("dp") ? layout.layout.world() : 0;
    if (before && !(layout.says("dp") && layout.says("tp") && layout.says("pp"))) {
        gpus = gpus > 0 && *before % gpus != 0 ? gpus : *before;
    }
    if (gpus == 0) {
        return room.usualGpus;
    }
    assumed.push_back(std::to_string(gpus) + " GPUs, as many as the file starts (-n)");
    return gpus;
}

/// All that settingsOf reads of a request.
std::string overridesOf(const ScenarioRequest& request) {
    std::string overrides = request.workload.precision;
    if (request.workload.optimizer) {
        overrides += ' ' + std::string(nameOf(*request.workload.optimizer));
    }
    if (request.layout.says("recompute")) {
        overrides += ' ' + recomputeText(request.layout.recompute);
    }
    return overrides + '\n' + JsonBuilder::written(request.settings);
}

/// A scenario that one layout after another is put into: to copy it takes longer than its settings.
class AskedScenario {
public:
    explicit AskedScenario(const Scenario& base) : base_(base), now_(base) {}
    /// The settings of a stack with a layout of the search.
    Result<Settings> settings(const ScenarioRequest& request,
                              const Stack& stack,
                              const Layout& layout);

private:
    const Scenario base_;
    std::mutex lock_;
    Scenario now_;
};

Result<Settings> AskedScenario::settings(const ScenarioRequest& request,
                                         const Stack& stack,
                                         const Layout& layout) {
    const std::scoped_lock guard(lock_);
    now_.stack = base_.stack;
    now_.settings = base_.settings;
    now_.layout = layout;
    FABRICAST_ASSIGN(Settings settings, settingsOf(request, stack, now_));
    std::vector<std::string> assumed;
    FABRICAST_TRY(checkTuning(request, base_.model, stack, settings, assumed));
    now_.settings = settings;
    now_.stack = std::string(stack.name);
    FABRICAST_TRY(checkMultiplies(now_));
    return settings;
}

Result<LoadedSearch> searchFrom(const ScenarioRequest& request,
                                const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders,
                                const std::vector<std::string>& stacks) {
    LoadedSearch loaded;
    Scenario& base = loaded.base;
    FABRICAST_TRY(checkGiven(request));
    FABRICAST_ASSIGN(base.model, modelOf(request, profiles, folders));
    if (request.model.is(JsonValue::Kind::String)) {  // not made of these sizes
        FABRICAST_TRY(checkSaidSizes(request.importedSizes, base.model));
    }
    addModelNotes(base.model, loaded.assumed);
    FABRICAST_ASSIGN(FoundCluster found,
                     findStartedCluster(request.cluster, root, profiles, folders));
    loaded.assumed.insert(loaded.assumed.end(), found.assumed.begin(), found.assumed.end());
    FABRICAST_ASSIGN(const std::int64_t gpus,
                     searchedGpus(request, root, found.room, loaded.assumed));
    FABRICAST_ASSIGN(base.cluster, withRanks(std::move(found), gpus));
    FABRICAST_ASSIGN(const auto chosen, stacksOf(request, stacks, base, loaded.assumed));
    base.workload.sequence = sequenceOf(request.workload, base.model, loaded.assumed);
    FABRICAST_TRY(checkPositions(base.model, base.workload.sequence, loaded.assumed));
    FABRICAST_ASSIGN(base.workload.globalBatch,
                     batchOf(request.workload, request.layout, base, loaded.assumed));
    FABRICAST_ASSIGN(const auto corrected, correctionNotes(base.cluster, profiles));
    loaded.assumed.insert(loaded.assumed.end(), corrected.begin(), corrected.end());
    loaded.assumed.insert(
        loaded.assumed.end(), request.importNotes.begin(), request.importNotes.end());
    loaded.fixed = request.layout;
    const auto shared = std::make_shared<const ScenarioRequest>(request);
    const auto scenario = std::make_shared<AskedScenario>(base);
    const auto said = std::make_shared<const JsonValue>(root);
    const std::string asked = overridesOf(request);
    for (const Stack* stack : chosen) {
        Scenario usual = base;
        if (auto settings = settingsOf(request, *stack, usual)) {
            usual.settings = *std::move(settings);
            addAttentionNote(request, usual, loaded.assumed);
            addLoadingNote(request, *stack, usual, loaded.assumed);
            addNcclNote(usual, loaded.assumed);
            addGpuNotes(request, usual, loaded.assumed);
            addExpertsOfAdapters(request, base.model, usual.settings, loaded.assumed);
            usual.stack = std::string(stack->name);
            addKbitNote(request, usual, loaded.assumed);
        }
        loaded.stacks.push_back(
            {stack,
             [shared, scenario, stack, said](const Layout& layout) -> Result<Settings> {
                 Result<Settings> settings = scenario->settings(*shared, *stack, layout);
                 return settings ? std::move(settings)
                                 : tl::unexpected(located(std::move(settings).error(), *said));
             },
             asked});
    }
    return loaded;
}

}  // namespace

std::span<const std::string_view> usualStacks() {
    return kUsualStacks;
}

std::span<const std::string_view> adapterStacks() {
    return kAdapterStacks;
}

Result<LoadedSearch> loadSearch(const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders,
                                const std::vector<std::string>& stacks) {
    FABRICAST_ASSIGN(const ScenarioRequest request, readScenario(root));
    Result<LoadedSearch> loaded = searchFrom(request, root, profiles, folders, stacks);
    if (!loaded) {
        return tl::unexpected(located(std::move(loaded).error(), root));
    }
    return loaded;
}

}  // namespace fabricast
