#include "study/flag_values.h"

#include "planner/evidence/site_profile.h"
#include "planner/load/precision_scheme.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/result/plan_names.h"
#include "planner/stack/stack.h"
#include "planner/text/enum_json.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace fabricast {
namespace {

using WordList = std::vector<std::string>;

WordList copied(const std::vector<std::string_view>& names) {
    return {names.begin(), names.end()};
}

WordList profileNames(const ProfileStore& store, std::initializer_list<ProfileKind> kinds) {
    WordList names;
    for (const ProfileKind kind : kinds) {
        for (const ProfileFile& file : store.files(kind)) {
            names.push_back(file.name);
        }
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// "tp=", "settings.lora.rank=": the value is typed behind it.
WordList keysOf(const std::vector<SettingHelp>& keys) {
    WordList words;
    for (const SettingHelp& key : keys) {
        words.push_back(key.path + "=");
    }
    return words;
}

WordList stackNames(const ProfileStore& /*store*/) {
    WordList names;
    for (const Stack& stack : allStacks()) {
        names.emplace_back(stack.name);
    }
    return names;
}

/// Whose values come from where.
struct FlagValues {
    std::string_view flag;
    WordList (*of)(const ProfileStore& store);
};
constexpr std::array kFlagValues = {
    FlagValues{"--model",
               [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Model}); }},
    FlagValues{"--cluster",
               [](const ProfileStore& store) {
                   return profileNames(store, {ProfileKind::Cluster, ProfileKind::Node});
               }},
    FlagValues{"--gpu",
               [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Gpu}); }},
    FlagValues{
        "--fabric",
        [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Fabric}); }},
    FlagValues{"--price",
               [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Price}); }},
    FlagValues{"--site",
               [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Site}); }},
    FlagValues{"--stack", &stackNames},
    FlagValues{"--layout", [](const ProfileStore&) { return keysOf(describeLayout()); }},
    FlagValues{"--fix", [](const ProfileStore&) { return keysOf(describeLayout()); }},
    FlagValues{"--set", [](const ProfileStore&) { return keysOf(describeSettings()); }},
    FlagValues{"--precision", [](const ProfileStore&) { return copied(precisionNames()); }},
    FlagValues{"--optimizer",
               [](const ProfileStore&) { return copied(allNames<OptimizerKind>()); }},
    FlagValues{"--price-kind", [](const ProfileStore&) { return copied(allNames<PriceKind>()); }},
    FlagValues{"--checkpoint",
               [](const ProfileStore&) { return copied(allNames<CheckpointMode>()); }},
    FlagValues{"--objective",
               [](const ProfileStore&) { return copied(allNames<PlanObjective>()); }},
    FlagValues{"--tuning",
               [](const ProfileStore&) {
                   return WordList{"full", "lora", "qlora"};
               }},
    FlagValues{"--software",
               [](const ProfileStore&) {
                   return WordList{"as_is", "tuned"};
               }},
    FlagValues{"--allow",
               [](const ProfileStore&) {
                   return WordList{"tp_across_nodes", "idle_gpus", "tight"};
               }},
    FlagValues{"--kind", [](const ProfileStore&) {
                   WordList kinds;
                   for (const ProfileKind kind : kProfileKinds) {
                       kinds.emplace_back(profileKindName(kind));
                   }
                   return kinds;
               }}};

}  // namespace

std::vector<std::string> valuesOfFlag(std::string_view flag, const ProfileStore& store) {
    const auto found = std::ranges::find(kFlagValues, flag, &FlagValues::flag);
    return found == kFlagValues.end() ? WordList() : found->of(store);
}

}  // namespace fabricast
