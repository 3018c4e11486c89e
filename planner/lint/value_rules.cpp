#include "planner/base/nearest_name.h"
#include "planner/launch/trl.h"
#include "planner/lint/known_keys.h"
#include "planner/lint/lint_rule.h"
#include "planner/lint/tune_components.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace fabricast {
namespace {

/// What the shell alone knows is not looked at, nor what nobody says.
bool isSaidOutright(const LaunchKey& key, const std::string& value) {
    const bool isNothing = !key.isQuoted && (value == "null" || value == "~");
    const bool isPlaceholder = value.find_first_of("$<>") != std::string::npos;
    return !isNothing && !isPlaceholder;
}

/// "1000" for "1e3" and "4k"; empty where it is no whole number.
std::string inDigits(const std::string& value) {
    constexpr double kThousand = 1e3;
    constexpr double kMost = 1e15;
    double number = 0.0;
    const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), number);
    const std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
    const double unit = rest.empty()                 ? 1.0
                        : rest == "k" || rest == "K" ? kThousand
                        : rest == "M"                ? kThousand * kThousand
                                                     : 0.0;
    const double whole = number * unit;
    const bool isWhole = trouble == std::errc() && unit > 0.0 && std::abs(whole) < kMost &&
                         std::floor(whole) == whole;
    return isWhole ? std::to_string(static_cast<std::int64_t>(whole)) : "";
}

/// What to write for a value that is not taken, where that can be seen from it.
std::string valueFix(std::span<const std::string> takes,
                     const std::string& value,
                     const std::string& wanted) {
    const std::string near = nearestTaken(takes, value);
    const std::string digits = inDigits(value);
    const bool isNumber = std::ranges::any_of(takes, [](const std::string& one) {
        return one == "whole" || one == "number" || one == "figure";
    });
    return !near.empty()                 ? "did you mean \"" + near + "\"?"
           : isNumber && !digits.empty() ? "write " + digits
                                         : "write " + wanted;
}

/// Of names that are alike: of tokenizers, what is alike has another vocabulary.
std::string nameFix(const LaunchKey& key,
                    const std::string& value,
                    std::span<const std::string> takes) {
    return key.path == "--tokenizer-type" ? "HuggingFaceTokenizer, with its --tokenizer-model"
                                          : suggestName(value, takes);
}

LintHit wrongValue(const LaunchKey& key,
                   const std::string& value,
                   std::span<const std::string> takes,
                   const std::string& wanted,
                   const std::string& owner) {
    constexpr std::size_t kMostNamed = 6;
    const std::string inOwner = owner.empty() ? "" : " in " + owner;
    if (takes.size() > kMostNamed) {
        return {.at = &key,
                .what = key.path + " does not take \"" + value + "\"" + inOwner,
                .fix = nameFix(key, value, takes)};
    }
    return {.at = &key,
            .what = key.path + " takes " + wanted + inOwner + ", not \"" + value + "\"",
            .fix = valueFix(takes, value, wanted)};
}

/// Values of keys whose kind the framework's own code says.
LintHits valuesNotTaken(const LintView& view, bool isLookedAt) {
    const std::optional<KeyOwner> owner = keyOwnerOf(view.file);
    LintHits hits;
    if (!owner || isLookedAt == (owner->loader == ValueLoader::Toml)) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        const bool isOne = key.values.size() == 1 && view.file.at(key.path) == &key;
        if (!isOne || !isSaidOutright(key, key.values.front()) || isOfTheLauncher(key.path)) {
            continue;
        }
        const std::string& value = key.values.front();
        if (owner->loader == ValueLoader::Json && value == "auto") {
            continue;  // who starts DeepSpeed fills it in
        }
        const auto& takes =
            frameworkTakes(owner->framework, owner->version, withoutItems(key.path));
        const std::string wanted = whyNotTaken(takes, value, key.isQuoted, owner->loader);
        // Words of TOML have rules of their own.
        if (!wanted.empty() && (isLookedAt || takesNoWords(takes))) {
            hits.push_back(
                wrongValue(key,
                           value,
                           takes,
                           wanted,
                           std::string(owner->framework) + " " + std::string(owner->version)));
        }
    }
    return hits;
}

/// A section of DeepSpeed's file that is said as a value: "bf16": true.
LintHits sectionsSaidAsValues(const LintView& view) {
    LintHits hits;
    const std::optional<KeyOwner> owner = keyOwnerOf(view.file);
    if (!owner || owner->loader != ValueLoader::Json) {
        return hits;
    }
    const std::vector<std::string>& known = frameworkKeys(owner->framework, owner->version);
    for (const LaunchKey& key : view.file.keys().all()) {
        const auto inside = std::ranges::find_if(
            known, [&](const std::string& one) { return one.starts_with(key.path + "."); });
        const bool isTaken =
            !frameworkTakes(owner->framework, owner->version, withoutItems(key.path)).empty();
        if (isTaken || inside == known.end() || key.values.size() != 1 ||
            !isSaidOutright(key, key.values.front())) {
            continue;
        }
        const bool isSwitch = std::ranges::find(known, key.path + ".enabled") != known.end();
        hits.push_back({.at = &key,
                        .what = key.path + " is a section in " + std::string(owner->framework) +
                                " " + std::string(owner->version) + ", not \"" +
                                key.values.front() + "\"",
                        .fix = isSwitch ? "\"" + key.path + "\": {\"enabled\": true}"
                                        : "write its keys in braces, as " + *inside});
    }
    return hits;
}

/// What torchtitan 0.2.2 registers by itself (register_model_converter); a program of the user's
/// may register more.
LintHits unknownConverters(const LintView& view) {
    static const std::vector<std::string> kConverters = {"quantize.linear.float8",
                                                         "quantize.grouped_mm.float8",
                                                         "quantize.linear.mx",
                                                         "quantize.grouped_mm.mx"};
    const LintFile& file = view.file;
    const LaunchKey* const key = file.at("model.converters");
    const bool mayBeOwn = !file.text("experimental.custom_import").empty() ||
                          !file.text("job.custom_config_module").empty();
    LintHits hits;
    if (file.kind() != LaunchKind::Titan || key == nullptr || file.isArguments() || mayBeOwn) {
        return hits;
    }
    for (const std::string& one : key->values) {
        if (std::ranges::find(kConverters, one) == kConverters.end()) {
            const bool isFloat8 = one == "float8";  // its name before 0.2.2
            hits.push_back({.at = key,
                            .what = "\"" + one + "\" is no converter of torchtitan 0.2.2",
                            .fix = isFloat8 ? "model.converters = [\"quantize.linear.float8\"]"
                                            : suggestName(one, kConverters)});
        }
    }
    return hits;
}

/// More words behind an argument than any release takes: argparse gives the rest to nobody.
bool hasTooMany(const LaunchKey& key, std::span<const KnownArgument> known) {
    const bool isOutright = std::ranges::all_of(
        key.values, [&](const std::string& value) { return isSaidOutright(key, value); });
    return isOutright && std::ranges::all_of(known, [&](const KnownArgument& one) {
               return (one.values == "0" && !key.values.empty()) ||
                      (one.values == "1" && key.values.size() > 1);
           });
}

/// Releases differ in what an argument takes: what one of them takes is right.
LintHits megatronValues(const LintView& view) {
    LintHits hits;
    for (const LaunchKey& key : view.file.keys().all()) {
        const auto known = megatronArgumentsNamed(key.path);
        if (view.file.kind() != LaunchKind::Megatron || known.empty()) {
            continue;
        }
        if (hasTooMany(key, known)) {
            const bool isSwitch = known.front().values == "0";
            hits.push_back({.at = &key,
                            .what = key.path + " takes " + (isSwitch ? "no" : "one") +
                                    " value, and \"" + key.values.back() + "\" stands behind it",
                            .fix = isSwitch ? "the argument alone" : "one value"});
            continue;
        }
        for (const std::string& value : key.values) {
            std::string wanted;
            const bool isTaken = !isSaidOutright(key, value) ||
                                 std::ranges::any_of(known, [&](const KnownArgument& one) {
                                     wanted =
                                         whyNotTaken(one.takes, value, false, ValueLoader::Words);
                                     return wanted.empty();
                                 });
            if (!isTaken) {
                hits.push_back(wrongValue(key, value, known.back().takes, wanted, ""));
            }
        }
    }
    return hits;
}

/// Of a command that starts a program with the Trainer's arguments. Words are looked at where the
/// program is trl itself: of others some are their own.
LintHits trainerValues(const LintView& view) {
    LintHits hits;
    const LintFile& file = view.file;
    if (file.kind() != LaunchKind::Trainer || file.keys().source().ends_with(".py")) {
        return hits;
    }
    for (const LaunchKey& key : file.keys().all()) {
        const bool isArgument = key.path.starts_with("--") && key.file.empty();
        if (!isArgument || key.values.size() != 1 || !isSaidOutright(key, key.values.front())) {
            continue;
        }
        const auto& takes = frameworkTakes("transformers", "5.23.0", key.path.substr(2));
        const std::string wanted =
            whyNotTaken(takes, key.values.front(), false, ValueLoader::Words);
        if (!wanted.empty() && (takesNoWords(takes) || file.has(kTrlKey))) {
            hits.push_back(
                wrongValue(key, key.values.front(), takes, wanted, "transformers 5.23.0"));
        }
    }
    return hits;
}

LintHits wrongChoices(const LintView& view) {
    LintHits hits;
    for (LintHits some : {unknownComponents(view),
                          valuesNotTaken(view, true),
                          sectionsSaidAsValues(view),
                          unknownConverters(view),
                          megatronValues(view),
                          trainerValues(view)}) {
        std::ranges::move(some, std::back_inserter(hits));
    }
    return hits;
}

LintHits valuesNobodyLooksAt(const LintView& view) {
    return valuesNotTaken(view, false);
}

constexpr std::array kValueRules = {
    LintRule{"KEY3",
             LintSeverity::Error,
             "a value that the key or argument does not take",
             "The framework ends with an error at the start.",
             &wrongChoices},
    LintRule{"KEY7",
             LintSeverity::Error,
             "a value of another kind than the key's, which nothing looks at",
             "torchtitan takes from TOML what is there: it ends where the value is used first, or "
             "a text such as \"no\" counts as yes.",
             &valuesNobodyLooksAt}};

}  // namespace

std::span<const LintRule> valueRules() {
    return kValueRules;
}

}  // namespace fabricast
