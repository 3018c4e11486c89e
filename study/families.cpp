#include "planner/base/words.h"
#include "planner/load/asked_question.h"
#include "planner/load/load_question.h"
#include "planner/load/scenario_defaults.h"
#include "planner/request/scenario_json.h"
#include "study/changes.h"
#include "study/option_search.h"
#include "study/recipes.h"
#include "study/search_request.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// One row of the buyer's decision: which stack, and what of a layout it is about.
struct FamilyRow {
    std::string_view key;
    std::string_view question;
    AdviceMoment moment = AdviceMoment::Always;
    std::string_view stacks{};   ///< with a blank between two; none: those that train adapters
    std::string_view fixed;      ///< keys of a layout that are held
    std::string_view forbidden;  ///< keys that are left out, or "key=value"
    std::string_view set;        ///< settings, as --set takes them, with a blank between two
    bool offloads = false;       ///< whether what is in host memory is among its layouts
    std::string_view adapters;   ///< stacks beside, for adapters or where stacks are named
};

// Simplest first, which is one fixed order: by how many things are split (nothing, states, then
// layers and stages, then experts or sequences), and of equals what PyTorch itself has before what
// another package adds. Of two that nobody can tell apart the first is advised. Cutting sequences
// and dealing out experts are rows of their own, so the rows before them leave them out.
// Together the rows have every layout that a search of their stacks has. The rows of adapters,
// which are for what does not fit otherwise, leave out the many layouts of tensor ranks and stages.
constexpr std::array kFamilies = {
    FamilyRow{"ddp", "everything on each GPU", AdviceMoment::Always, "ddp"},
    FamilyRow{"fsdp2",
              "everything sharded over all GPUs",
              AdviceMoment::SeveralGpus,
              "fsdp2",
              "shard=fsdp"},
    FamilyRow{"hsdp",
              "sharded within nodes, replicated across them",
              AdviceMoment::SeveralNodes,
              "fsdp2",
              "shard=hsdp"},
    FamilyRow{"deepspeed",
              "DeepSpeed ZeRO, states or tensors sharded",
              AdviceMoment::SeveralGpus,
              "deepspeed",
              "",
              "cp pp"},
    FamilyRow{.key = "axolotl",
              .question = "Axolotl, FSDP2 or ZeRO with sequences split too",
              .moment = AdviceMoment::Adapters,
              .stacks = "axolotl"},
    FamilyRow{"torchtitan",
              "FSDP2 with layers and stages split too",
              AdviceMoment::Always,
              "torchtitan",
              "ep=1",
              "cp"},
    FamilyRow{"megatron",
              "Megatron-Core, layers and stages split",
              AdviceMoment::Always,
              "megatron",
              "ep=1",
              "cp"},
    FamilyRow{.key = "pipeline",
              .question = "DeepSpeed's PipelineModule, layers written as stages",
              .moment = AdviceMoment::Stages,
              .stacks = "deepspeed",
              .forbidden = "cp pp=1"},
    FamilyRow{"experts",
              "Megatron-Core or torchtitan, experts distributed",
              AdviceMoment::Experts,
              "megatron torchtitan",
              "cp=1",
              "ep=1"},
    FamilyRow{"context",
              "Megatron-Core or torchtitan, sequences split",
              AdviceMoment::LongSequence,
              "megatron torchtitan",
              "",
              "cp=1"},
    FamilyRow{"ulysses",
              "DeepSpeed-Ulysses, sequences split by heads",
              AdviceMoment::LongSequence,
              "deepspeed",
              "cp_kind=ulysses",
              "cp=1"},
    FamilyRow{.key = "offload",
              .question = "states in host memory or on drives",
              .stacks = "fsdp2 torchtitan deepspeed",
              .forbidden = "offload=none",
              .offloads = true,
              .adapters = "axolotl"},
    FamilyRow{.key = "lora",
              .question = "adapters only, over bf16 weights",
              .moment = AdviceMoment::NothingFits,
              .forbidden = "tp",
              .set = "settings.tuning=lora",
              .offloads = true},
    FamilyRow{.key = "qlora",
              .question = "adapters only, over 4-bit weights",
              .moment = AdviceMoment::NothingFits,
              .forbidden = "tp",
              .set = "settings.tuning=lora settings.lora.base=nf4",
              .offloads = true}};

Result<std::vector<Edit>> settingsOf(const FamilyRow& row) {
    std::vector<Edit> settings;
    for (const std::string_view word : wordsOf(row.set)) {
        FABRICAST_ASSIGN(Edit edit, assignment(std::string(word), "--set"));
        settings.push_back(std::move(edit));
    }
    return settings;
}

/// Whether the question says all of it; a row without settings says nothing.
Result<bool> changesNothing(const std::vector<Edit>& settings, const Question& question) {
    if (settings.empty()) {
        return false;
    }
    FABRICAST_ASSIGN(const Question changed, with(question, settings));
    return documentText(changed) == documentText(question);
}

/// What a question is about, as far as it says which stacks can run it.
struct AdviceSubject {
    const Question& question;
    ScenarioRequest request;
    ModelSpec model;
    GpuSpec gpu;
};

/// Those of the row's stacks that the question lets be searched: it may name some, and those that
/// can run it otherwise.
std::vector<std::string> stacksOf(const FamilyRow& row, const AdviceSubject& subject) {
    const Question& question = subject.question;
    const std::vector<std::string> named = searchWords(question, "stacks");
    std::vector<std::string_view> all = wordsOf(row.stacks);
    if (all.empty()) {
        all.assign(adapterStacks().begin(), adapterStacks().end());
    }
    if (!named.empty() || trainsAdapters(subject.request)) {
        const std::vector<std::string_view> beside = wordsOf(row.adapters);
        all.insert(all.end(), beside.begin(), beside.end());
    }
    std::vector<std::string> stacks;
    for (const std::string_view stack : all) {
        const bool isSearched =
            named.empty() ? whyLeftOut(subject.request, stack, subject.model, subject.gpu).empty()
                          : std::ranges::find(named, stack) != named.end();
        if (isSearched) {
            stacks.emplace_back(stack);
        }
    }
    return stacks;
}

/// A stack that no row has would be left out in silence.
Result<void> checkNamedStacks(const Question& question) {
    for (const std::string& name : searchWords(question, "stacks")) {
        const bool isKnown = std::ranges::any_of(kFamilies, [&name](const FamilyRow& row) {
            const std::vector<std::string_view> stacks = wordsOf(row.stacks);
            return std::ranges::find(stacks, name) != stacks.end();
        });
        if (!isKnown) {
            return tl::unexpected(
                located({Error::Code::BadInput,
                         "search.stacks",
                         "no way to train that is compared uses \"" + name + "\"",
                         "ddp, fsdp2, torchtitan, megatron, deepspeed; or fabricast plan"},
                        question.root));
        }
    }
    return {};
}

/// The row as a change of the question.
Result<Change> changeOf(const FamilyRow& row,
                        const std::vector<Edit>& settings,
                        const AdviceSubject& subject) {
    const Question& question = subject.question;
    Change change{.kind = "family", .edits = {}, .sideEffect = ""};
    for (const std::string& stack : stacksOf(row, subject)) {
        change.edits.push_back({"search.stacks", stack, "--stack"});
    }
    change.edits.insert(change.edits.end(), settings.begin(), settings.end());
    FABRICAST_ASSIGN(const std::vector<Edit> keys, layoutEdits(std::string(row.fixed), "advise"));
    change.edits.insert(change.edits.end(), keys.begin(), keys.end());
    std::vector<std::string> forbidden = searchWords(question, "forbid");
    for (const std::string_view rule : wordsOf(row.forbidden)) {
        forbidden.emplace_back(rule);
    }
    for (const std::string& rule : forbidden) {
        change.edits.push_back({"search.forbid", rule, std::string(kOfFamily)});
    }
    return change;
}

/// The notes that are not among the others.
std::vector<std::string> beside(const std::vector<std::string>& notes,
                                const std::vector<std::string>& others) {
    std::vector<std::string> more;
    std::ranges::copy_if(notes, std::back_inserter(more), [&](const std::string& note) {
        return std::ranges::find(others, note) == others.end();
    });
    return more;
}

/// Says once what the recipe of each stack sets.
void addRecipeNotes(const std::vector<std::string>& notes, std::vector<std::string>& said) {
    for (const std::string& note : notes) {
        if (isRecipeNote(note) && std::ranges::find(said, note) == said.end()) {
            said.push_back(note);
        }
    }
}

}  // namespace

Result<LoadedAdvice> loadAdvice(const Question& question, const Workbench& bench) {
    FABRICAST_TRY(checkSearch(question));
    FABRICAST_TRY(checkNamedStacks(question));
    FABRICAST_ASSIGN(SearchRequest usual, searchRequest(question, bench));
    FABRICAST_ASSIGN(ScenarioRequest request, readScenario(question.root));
    const AdviceSubject subject{.question = question,
                                .request = std::move(request),
                                .model = usual.task.base.model,
                                .gpu = usual.task.base.cluster.node.gpu};
    LoadedAdvice loaded;
    loaded.base = std::move(usual.task.base);
    loaded.assumed = usual.assumed;
    for (const FamilyRow& row : kFamilies) {
        FABRICAST_ASSIGN(std::vector<Edit> settings, settingsOf(row));
        FABRICAST_ASSIGN(const bool asked, changesNothing(settings, question));
        FABRICAST_ASSIGN(const Change change, changeOf(row, settings, subject));
        FABRICAST_ASSIGN(const Question changed, with(question, change.edits));
        FABRICAST_ASSIGN(SearchRequest search, searchRequest(changed, bench));
        AdviceFamily family{.key = std::string(row.key),
                            .question = std::string(row.question),
                            .settings = std::move(settings),
                            .moment = row.moment,
                            .stacks = std::move(search.task.stacks),
                            .recipes = {},
                            .rules = std::move(search.task.rules),
                            .asked = asked,
                            .excluded = stacksOf(row, subject).empty(),
                            .named = !searchWords(question, "stacks").empty()};
        FABRICAST_ASSIGN(const bool tuned, isTuned(question));
        for (const StackSettings& stack : family.stacks) {
            family.recipes.push_back(tuned
                                         ? recipeEdits(changed, stack.stack->name, search.task.base)
                                         : std::vector<Edit>());
        }
        if (!family.rules.fixed.says("offload") && !row.offloads) {
            family.rules.forbidden.push_back({"offload", "", false});  // a row of its own
        }
        if (!asked && !family.settings.empty()) {
            family.assumed = beside(search.assumed, usual.assumed);
        }
        if (tuned) {
            addRecipeNotes(search.assumed, loaded.assumed);
        }
        loaded.families.push_back(std::move(family));
    }
    return loaded;
}

}  // namespace fabricast
