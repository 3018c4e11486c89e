#include "planner/evidence/site_profile.h"
#include "planner/load/scenario_defaults.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/result/answer_names.h"
#include "planner/result/requirement.h"
#include "planner/stack/stack.h"
#include "planner/text/enum_json.h"
#include "study/flag_words.h"
#include "study/lint.h"
#include "study/question_flags.h"
#include "study/reference_words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

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

/// Of "all|last:N|norms" those that are a word as they stand; of "number" none.
WordList fixedValues(const std::string& values) {
    WordList words;
    for (std::size_t at = 0; values.find('|') != std::string::npos && at < values.size();) {
        const std::size_t end = std::min(values.find('|', at), values.size());
        const std::string word = values.substr(at, end - at);
        if (word.find_first_of(" :+") == std::string::npos) {
            words.push_back(word);
        }
        at = end + 1;
    }
    return words;
}

/// "shard=", behind which a value is typed, and "shard=fsdp" where they are known.
void addKeyWords(WordList& words, const std::string& key, const WordList& values) {
    words.push_back(key + "=");
    for (const std::string& value : values) {
        if (!value.ends_with('=')) {
            words.push_back(key + "=" + value);
        }
    }
}

WordList layoutKeys(const ProfileStore& /*store*/) {
    WordList words;
    for (const SettingHelp& key : describeLayout()) {
        addKeyWords(words, key.path, fixedValues(key.values));
    }
    return words;
}

/// Those of flags, of the layout and of the settings.
WordList editedKeys(const ProfileStore& store) {
    WordList words;
    for (const SettingHelp& key : describeSettings()) {
        addKeyWords(words, key.path, fixedValues(key.values));
    }
    for (const SettingHelp& key : describeLayout()) {
        addKeyWords(words, "layout." + key.path, fixedValues(key.values));
    }
    for (const std::span<const QuestionFlag> table : {scenarioFlags(), searchFlags()}) {
        for (const QuestionFlag& flag : table) {
            const std::string_view names = flag.names;
            addKeyWords(words,
                        std::string(flag.path),
                        valuesOfFlag(names.substr(names.find(',') + 1), store));
        }
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

WordList layoutNames(const ProfileStore& /*store*/) {
    WordList words;
    for (const SettingHelp& key : describeLayout()) {
        words.push_back(key.path);
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

/// Whether several values are typed as one, joined by commas.
enum class Joined { Never, WhereItRepeats, Always };

/// Whose values come from where.
struct FlagValues {
    std::string_view flag;
    WordList (*of)(const ProfileStore& store);
    Joined joined = Joined::Never;
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
    FlagValues{"--stack", &stackNames, Joined::WhereItRepeats},
    FlagValues{"--layout", &layoutKeys, Joined::Always},
    FlagValues{"--fix", &layoutKeys, Joined::Always},
    FlagValues{"--forbid", &layoutNames, Joined::WhereItRepeats},
    FlagValues{"--set", &editedKeys},
    FlagValues{"--sweep", &editedKeys},
    FlagValues{"--require",
               [](const ProfileStore&) {
                   WordList metrics;
                   for (const MetricName& one : kMetrics) {
                       metrics.emplace_back(one.name);
                   }
                   return metrics;
               }},
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
               },
               Joined::WhereItRepeats},
    FlagValues{"--kind", [](const ProfileStore&) {
                   WordList kinds;
                   for (const ProfileKind kind : kProfileKinds) {
                       kinds.emplace_back(profileKindName(kind));
                   }
                   return kinds;
               }}};

/// Codes of findings, and the exit statuses.
WordList explainedCodes(const ProfileStore& /*store*/) {
    WordList words;
    for (const ErrorCode& one : errorCodes()) {
        words.push_back(std::to_string(one.exitStatus));
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (const ListedRule& rule : lintRules()) {
        words.push_back(rule.code);
    }
    return words;
}

WordList profilesOfAll(const ProfileStore& store) {
    WordList names;
    for (const ProfileKind kind : kProfileKinds) {
        const WordList more = profileNames(store, {kind});
        names.insert(names.end(), more.begin(), more.end());
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

struct ArgumentValues {
    std::string_view command;
    WordList (*of)(const ProfileStore& store);
};
constexpr std::array kArgumentValues = {
    ArgumentValues{"schema", [](const ProfileStore&) { return schemaNames(); }},
    ArgumentValues{"errors", &explainedCodes},
    ArgumentValues{"help",
                   [](const ProfileStore&) {
                       WordList topics;
                       for (const HelpTopic& one : helpTopics()) {
                           topics.emplace_back(one.name);
                       }
                       return topics;
                   }},
    ArgumentValues{
        "model",
        [](const ProfileStore& store) { return profileNames(store, {ProfileKind::Model}); }},
    ArgumentValues{"profiles show", &profilesOfAll}};

}  // namespace

std::vector<std::string> valuesOfFlag(std::string_view flag, const ProfileStore& store) {
    const auto found = std::ranges::find(kFlagValues, flag, &FlagValues::flag);
    return found == kFlagValues.end() ? WordList() : found->of(store);
}

bool isListFlag(std::string_view flag, bool repeats) {
    const auto found = std::ranges::find(kFlagValues, flag, &FlagValues::flag);
    return found != kFlagValues.end() && (found->joined == Joined::Always ||
                                          (found->joined == Joined::WhereItRepeats && repeats));
}

std::vector<std::string> valuesOfArgument(std::string_view command, const ProfileStore& store) {
    const auto found = std::ranges::find(kArgumentValues, command, &ArgumentValues::command);
    return found == kArgumentValues.end() ? WordList() : found->of(store);
}

}  // namespace fabricast
