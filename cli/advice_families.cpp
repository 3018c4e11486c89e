#include "cli/advice_families.h"

#include "planner/io/json_builder.h"
#include "planner/io/layout_json.h"
#include "planner/load/load_search.h"

#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// One row of the buyer's decision: which stack, and what of a layout it is about.
struct FamilyRow {
    std::string_view key;
    std::string_view question;
    AdviceMoment moment = AdviceMoment::Always;
    std::string_view stack;
    std::string_view fixed;      ///< keys of a layout that are held
    std::string_view forbidden;  ///< a key that is left out, or "key=value"
    std::string_view set;        ///< a setting, as --set takes it
};

// Simplest first: of two that nobody can tell apart the first is advised. Cutting sequences
// and dealing out experts are rows of their own, so the rows before them leave them out.
constexpr std::array kRows = {
    FamilyRow{"ddp", "everything on each GPU", AdviceMoment::Always, "ddp"},
    FamilyRow{
        "fsdp2", "everything sharded over all GPUs", AdviceMoment::Always, "fsdp2", "shard=fsdp"},
    FamilyRow{"hsdp",
              "sharded inside nodes, copied between them",
              AdviceMoment::SeveralNodes,
              "fsdp2",
              "shard=hsdp"},
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
    FamilyRow{"experts",
              "Megatron-Core, experts dealt out",
              AdviceMoment::Experts,
              "megatron",
              "cp=1",
              "ep=1"},
    FamilyRow{"context",
              "Megatron-Core, sequences cut",
              AdviceMoment::LongSequence,
              "megatron",
              "",
              "cp=1"},
    FamilyRow{"ulysses",
              "DeepSpeed-Ulysses, sequences cut by heads",
              AdviceMoment::LongSequence,
              "deepspeed",
              "cp_kind=ulysses",
              "cp=1"},
    FamilyRow{"offload",
              "ZeRO-3, state in host memory",
              AdviceMoment::NothingFits,
              "deepspeed",
              "shard=zero3,offload=parameters_cpu",
              "cp"},
    FamilyRow{"lora",
              "adapters only, over bf16 weights",
              AdviceMoment::NothingFits,
              "fsdp2",
              "",
              "",
              "settings.tuning=lora"},
    FamilyRow{"qlora",
              "adapters only, over 4-bit weights",
              AdviceMoment::NothingFits,
              "ddp",
              "",
              "",
              "settings.lora.base=nf4"}};

/// The scenario with a row's setting; QLoRA is LoRA first.
Result<JsonValue> withSetting(JsonValue root, const FamilyRow& row) {
    if (row.set.empty()) {
        return root;
    }
    const JsonBuilder build("--set " + std::string(row.set));
    FABRICAST_ASSIGN(root, build.with(std::move(root), "settings.tuning", build.string("lora")));
    const std::size_t equals = row.set.find('=');
    return build.with(std::move(root),
                      row.set.substr(0, equals),
                      build.string(std::string(row.set.substr(equals + 1))));
}

Result<JsonValue> withLayout(JsonValue root, const FamilyRow& row) {
    const JsonBuilder build("the layout of " + std::string(row.key));
    FABRICAST_ASSIGN(const JsonValue keys, layoutObject(row.fixed, "advise"));
    for (const JsonValue& key : keys.members()) {
        FABRICAST_ASSIGN(root, build.with(std::move(root), "layout." + key.name(), key));
    }
    return root;
}

std::string typedSet(const FamilyRow& row) {
    return row.key == "qlora" ? "settings.tuning=lora --set " + std::string(row.set)
                              : std::string(row.set);
}

}  // namespace

Result<LoadedAdvice> loadAdvice(const JsonValue& root,
                                const ProfileStore& profiles,
                                const Folders& folders) {
    LoadedAdvice loaded;
    for (const FamilyRow& row : kRows) {
        FABRICAST_ASSIGN(JsonValue said, withSetting(root, row));
        FABRICAST_ASSIGN(said, withLayout(std::move(said), row));
        FABRICAST_ASSIGN(LoadedSearch search,
                         loadSearch(said, profiles, folders, {std::string(row.stack)}));
        AdviceFamily family{.key = std::string(row.key),
                            .question = std::string(row.question),
                            .set = typedSet(row),
                            .moment = row.moment,
                            .stacks = std::move(search.stacks),
                            .rules = {.fixed = std::move(search.fixed)}};
        if (!row.forbidden.empty()) {
            FABRICAST_ASSIGN(ForbiddenValue rule, readForbidden(std::string(row.forbidden)));
            family.rules.forbidden.push_back(std::move(rule));
        }
        if (!family.rules.fixed.says("offload")) {
            family.rules.forbidden.push_back({"offload", ""});  // a row of its own
        }
        if (loaded.families.empty()) {
            loaded.base = std::move(search.base);
            loaded.assumed = std::move(search.assumed);
        }
        loaded.families.push_back(std::move(family));
    }
    return loaded;
}

}  // namespace fabricast
