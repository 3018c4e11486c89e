#include "planner/base/slipped_name.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/made_model.h"
#include "planner/launch/nemo.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/torchtitan_keys.h"
#include "planner/launch/torchtune.h"
#include "planner/launch/trl.h"
#include "planner/lint/known_keys.h"
#include "planner/lint/lint_rule.h"
#include "planner/lint/tune_components.h"
#include "planner/lint/unknown_key.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace fabricast {
namespace {

/// A name is looked for among hundreds: beyond these nobody reads the guess.
constexpr std::size_t kMostGuesses = 20;

/// Whether another part of the framework has a key: its first word is among those.
bool isKeyOf(std::string_view part, std::string_view version, const std::string& path) {
    const std::vector<std::string>& known = frameworkKeys(part, version);
    return std::ranges::find(known, path.substr(0, path.find('.'))) != known.end();
}

/// Whether torchtune's recipe is one that tunes all weights or adapters, as a script says. Without
/// one any of its recipes may read the config.
bool tunesByName(const LintView& view) {
    return std::ranges::any_of(view.files, [](const LintFile& one) {
        const std::string recipe = one.text(kTuneKey);
        return recipe.starts_with("full_finetune_") || recipe.starts_with("lora_finetune_");
    });
}

/// What is read by others than whose keys the file has: Axolotl's plugins where plugins are named,
/// torchtune's other recipes, and accelerate launch, whose arguments stand over its file.
bool isReadByOthers(const LintView& view, const LaunchKey& key) {
    switch (view.file.kind()) {
        case LaunchKind::Axolotl:
            return view.file.has("plugins") && isKeyOf("axolotl-plugins", "0.19.0", key.path);
        case LaunchKind::Tune:
            return !tunesByName(view) && isKeyOf("torchtune-recipes", "0.6.1", key.path);
        case LaunchKind::Titan:  // "activation-checkpoint:full" of 0.3 chooses it
            return view.file.isArguments() && key.path == kTypedMode.substr(2);
        case LaunchKind::Accelerate:
            return isAccelerateArgument(key.path.substr(key.path.rfind('.') + 1)) &&
                   (!key.file.empty() || view.file.isArguments());
        default:
            return false;
    }
}

LintHits unknownKeys(const LintView& view, bool strict) {
    const std::optional<KeyOwner> owner = keyOwnerOf(view.file);
    if (!owner) {
        return {};
    }
    const std::vector<std::string>& known = frameworkKeys(owner->framework, owner->version);
    LintHits hits;
    std::set<std::string> said;
    for (const LaunchKey& key : view.file.keys().all()) {
        if (isOfTheLauncher(key.path) || isReadByOthers(view, key)) {
            continue;
        }
        const std::optional<UnknownKey> unknown = unknownIn(withoutItems(key.path), known);
        const auto& sections = strict ? owner->strict : owner->silent;
        const bool counts =
            unknown && std::ranges::find(sections, unknown->section) != sections.end();
        if (!counts || !said.insert(unknown->section + "." + unknown->name).second) {
            continue;
        }
        hits.push_back({.at = &key,
                        .what = "\"" + unknown->name + "\" is no key of " +
                                (unknown->section.empty() ? "" : unknown->section + " in ") +
                                std::string(owner->framework) + " " + std::string(owner->version),
                        .fix = hits.size() < kMostGuesses
                                   ? suggestedKey(unknown->name, keysIn(unknown->section, known))
                                   : "leave it out"});
    }
    return hits;
}

/// What to write for an argument that is none. One of the opposite meaning is what holds unasked.
std::string argumentFix(const std::string& typed, const std::string& near) {
    constexpr std::string_view kNot = "--no-";
    const bool isOpposite = near.starts_with(kNot) && !typed.starts_with(kNot);
    return near.empty() ? "leave it out"
           : isOpposite ? "leave it out: it holds unless " + near + " is there"
                        : "did you mean " + near + "?";
}

std::string releaseText(int release) {
    return "Megatron-Core 0." + std::to_string(release);
}

/// Whether a script starts the program whose arguments are listed. Others add some of their own
/// (extra_args_provider).
bool startsPretrainGpt(const LintFile& file) {
    const std::string program = file.text("script");
    return program.ends_with("pretrain_gpt.py") || !program.ends_with(".py");
}

/// Of another program than Megatron's own only what looks like one of Megatron's.
LintHits argumentsNotKnown(const LintView& view, bool isOwn) {
    LintHits hits;
    if (startsPretrainGpt(view.file) != isOwn) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        // Of NeMo and Bridge are fields of Megatron-Core, some of which no argument sets.
        const bool isArgument = view.file.kind() == LaunchKind::Megatron &&
                                view.file.opened().words == MegatronWords::Arguments &&
                                key.path.starts_with("--");
        if (!isArgument || !megatronArgumentsNamed(key.path).empty() ||
            isKeyOf("megatron-modelopt", "0.19", key.path)) {
            continue;
        }
        std::vector<std::string_view> names;
        for (const KnownArgument& one : megatronArgumentTable()) {
            names.push_back(one.name);
        }
        const std::string near = hits.size() >= kMostGuesses ? ""
                                 : isOwn                     ? nearestName(key.path, names)
                                                             : slippedName(key.path, names);
        if (!isOwn && near.empty()) {
            continue;
        }
        hits.push_back({.at = &key,
                        .what = key.path + " is no argument of " +
                                releaseText(newestMegatronRelease()) + " or the five before it",
                        .fix = argumentFix(key.path, near)});
    }
    return hits;
}

LintHits unknownArguments(const LintView& view) {
    return argumentsNotKnown(view, true);
}

/// torchtitan chooses a kind of checkpointing by a word of its own.
LintHits unknownChoices(const LintView& view) {
    constexpr std::array<std::string_view, 4> kKinds = {
        "full", "selective", "memory-budget", "none"};
    LintHits hits;
    for (const LaunchKey& key : view.file.keys().all()) {
        if (view.file.kind() == LaunchKind::Titan && key.path == kTypedMode) {
            hits.push_back({.at = &key,
                            .what = key.path + " is no argument of torchtitan 0.3.0, where a word "
                                               "of its own chooses how",
                            .fix = "activation-checkpoint:" +
                                   (key.values.empty() ? "full" : key.values.front())});
            continue;
        }
        const bool isOld = key.path.starts_with("activation_checkpoint:");
        const bool isOther = key.path == "activation_checkpoint.mode" && view.file.isArguments() &&
                             std::ranges::find(kKinds, key.values.front()) == kKinds.end();
        if (view.file.kind() == LaunchKind::Titan && (isOld || isOther)) {
            hits.push_back({.at = &key,
                            .what = "\"" + (isOld ? key.path : key.values.front()) +
                                    "\" is no choice of torchtitan 0.3.0",
                            .fix = "activation-checkpoint:full"});
        }
    }
    return hits;
}

/// What the classes of a Trainer's arguments have: transformers' own and those of TRL, of the
/// command "trl" what else it is told.
std::vector<std::string> trainerNames(bool isTrl, bool isCommand) {
    // Of Seq2SeqTrainingArguments, and what is read of calls around the Trainer.
    std::vector<std::string> names = {"predict_with_generate",
                                      "generation_max_length",
                                      "generation_num_beams",
                                      "generation_config",
                                      "sortish_sampler",
                                      "compute_metrics",
                                      "preprocess_logits_for_metrics",
                                      "device_map",
                                      "max_length"};
    const auto add = [&names](std::string_view framework, std::string_view version) {
        std::ranges::copy(frameworkKeys(framework, version), std::back_inserter(names));
    };
    add("transformers", "5.23.0");
    add("trl", "1.16.0");
    if (isTrl) {
        add("trl-sft", "1.16.0");
    }
    if (isCommand) {
        add("trl-command", "1.16.0");
    }
    return names;
}

/// Those that a file can name. Empty where others may add some: a program that parses a command
/// line, and the trainers on preferences.
std::vector<std::string> trainerArguments(const LintFile& file) {
    const bool isProgram = !isTypedIn(file.keys());
    const bool isCommand = !isProgram && file.has(kTrlKey);
    const bool isOthers = trainsOnPreferences(file.keys()) || file.hasUnknownArguments();
    if (file.kind() != LaunchKind::Trainer || isOthers || (!isProgram && !isCommand)) {
        return {};
    }
    std::vector<std::string> names = trainerNames(file.has(kTrlKey), isCommand);
    if (file.has(kUnslothKey)) {
        names.emplace_back("max_seq_length");
    }
    return names;
}

/// Whether argparse takes it for the one argument that begins with it.
bool isShortened(std::string_view name, const std::vector<std::string>& known) {
    return std::ranges::count_if(
               known, [name](const std::string& one) { return one.starts_with(name); }) == 1;
}

/// "--a, --b" of several arguments that begin with the same letters; empty where fewer do. So few
/// letters are of any program.
std::string namesThatBegin(std::string_view name, const std::vector<std::string>& known) {
    constexpr std::size_t kLeastLetters = 6;
    std::string names;
    std::size_t count = 0;
    for (const std::string& one : known) {
        if (name.size() >= kLeastLetters && one.starts_with(name)) {
            names += (count++ == 0 ? "--" : ", --") + one;
        }
    }
    return count > 1 ? names : "";
}

/// Arguments of a command that starts a program of the user's own: it may add any, but hardly one
/// that differs from the Trainer's in a letter or two.
LintHits nearlyTrainers(const LintView& view) {
    LintHits hits;
    const LintFile& file = view.file;
    const bool isOwn =
        file.kind() == LaunchKind::Trainer && !file.has(kTrlKey) && isTypedIn(file.keys());
    const bool isScript = !file.keys().source().ends_with(".py");
    const LaunchKey* const fields = file.at(kParsedFields);
    const std::vector<std::string> known =
        isOwn ? trainerNames(true, false) : std::vector<std::string>();
    for (const LaunchKey& key : file.keys().all()) {
        std::string name = key.path.starts_with("--") ? key.path.substr(2) : "";
        std::ranges::replace(name, '-', '_');
        const bool isLooked = isOwn && !name.empty() && key.file.empty() == isScript &&
                              !isAccelerateArgument(name) && hits.size() < kMostGuesses;
        const bool isField = fields != nullptr &&
                             std::ranges::find(fields->values, key.path) != fields->values.end();
        if (!isLooked || isField || std::ranges::find(known, name) != known.end() ||
            isShortened(name, known)) {
            continue;
        }
        if (const std::string all = namesThatBegin(name, known); !all.empty()) {
            hits.push_back({.at = &key,
                            .what = key.path + " is the beginning of several arguments",
                            .fix = "one of them: " + all});
        } else if (const std::string near = slippedName(name, known); !near.empty()) {
            hits.push_back(
                {.at = &key,
                 .what = key.path + " is no argument of transformers 5.23.0 or TRL 1.16.0",
                 .fix = "did you mean --" + near + "?"});
        }
    }
    return hits;
}

/// Of NeMo's YAML, whose other keys are its own affair.
LintHits nearlyNemos(const LintView& view) {
    LintHits hits;
    if (view.file.opened().words != MegatronWords::Nemo) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        if (const std::string near = nemoKeyNear(key.path); !near.empty()) {
            hits.push_back({.at = &key,
                            .what = "\"" + key.path + "\" is no key that NeMo reads",
                            .fix = "did you mean \"" + near + "\"?"});
        }
    }
    return hits;
}

LintHits mistypedArguments(const LintView& view) {
    LintHits hits = argumentsNotKnown(view, false);
    std::ranges::move(nearlyNemos(view), std::back_inserter(hits));
    std::ranges::move(nearlyTrainers(view), std::back_inserter(hits));
    return hits;
}

/// One that is spelled like another is refused; of the others some are of older releases.
LintHits argumentsOfNoTrainer(const LintView& view, bool isLikeOne) {
    const std::vector<std::string> known = trainerArguments(view.file);
    LintHits hits;
    for (const LaunchKey& key : view.file.keys().all()) {
        const std::string name =
            key.path.starts_with("--") ? key.path.substr(2, key.path.find('.') - 2) : "";
        const bool isCall = key.path.starts_with(kKbitPreparation);  // of peft's function
        if (known.empty() || name.empty() || isCall || !key.file.empty() ||
            isAccelerateArgument(name) || std::ranges::find(known, name) != known.end()) {
            continue;
        }
        const std::string near = hits.size() < kMostGuesses ? nearestName(name, known) : "";
        if (near.empty() != isLikeOne) {
            hits.push_back({.at = &key,
                            .what = "\"" + name + "\" is no argument of transformers 5.23.0" +
                                    (view.file.has(kTrlKey) ? " or TRL 1.16.0" : ""),
                            .fix = near.empty() ? "leave it out for newer releases"
                                                : "did you mean \"" + near + "\"?"});
        }
    }
    return hits;
}

/// Of TOML, whose readers take neither a value for a section nor a section for a value. Of what a
/// key takes nothing is listed where it takes a table.
LintHits misshapenKeys(const LintView& view) {
    const std::optional<KeyOwner> owner = keyOwnerOf(view.file);
    if (!owner || owner->loader != ValueLoader::Toml) {
        return {};
    }
    const std::vector<std::string>& known = frameworkKeys(owner->framework, owner->version);
    const auto isSection = [&known](const std::string& path) {
        return std::ranges::any_of(
            known, [&](const std::string& one) { return one.starts_with(path + "."); });
    };
    LintHits hits;
    for (const LaunchKey& key : view.file.keys().all()) {
        const std::string path = withoutItems(key.path);
        if (isSection(path) && std::ranges::find(known, path) == known.end()) {
            hits.push_back({.at = &key,
                            .what = "\"" + path + "\" is a section, and here a value or a list",
                            .fix = "[" + path + "]"});
        }
        const std::string above = path.substr(0, std::min(path.rfind('.'), path.size()));
        if (above != path && !isSection(above) &&
            !frameworkTakes(owner->framework, owner->version, above).empty()) {
            hits.push_back({.at = &key,
                            .what = "\"" + above + "\" is a value, and here a section",
                            .fix = above.substr(above.rfind('.') + 1) + " = VALUE"});
        }
    }
    return hits;
}

LintHits refusedKeys(const LintView& view) {
    LintHits hits;
    for (LintHits some : {unknownKeys(view, true),
                          misshapenKeys(view),
                          unknownArguments(view),
                          unknownChoices(view),
                          argumentsOfNoTrainer(view, true),
                          unknownParameters(view)}) {
        std::ranges::move(some, std::back_inserter(hits));
    }
    return hits;
}

LintHits droppedKeys(const LintView& view) {
    return unknownKeys(view, false);
}

LintHits movedArguments(const LintView& view) {
    LintHits hits = argumentsOfNoTrainer(view, false);
    for (const LaunchKey& key : view.file.keys().all()) {
        const auto known = megatronArgumentsNamed(key.path);
        if (view.file.kind() != LaunchKind::Megatron || known.empty()) {
            continue;
        }
        int first = known.front().first;
        int last = known.front().last;
        for (const KnownArgument& one : known) {
            first = std::min(first, one.first);
            last = std::max(last, one.last);
        }
        if (last < newestMegatronRelease()) {
            hits.push_back({.at = &key,
                            .what = key.path + " is gone since " + releaseText(last + 1),
                            .fix = "leave it out for newer releases"});
        }
    }
    return hits;
}

constexpr std::array kNamesRules = {
    LintRule{"KEY1",
             LintSeverity::Error,
             "a key or argument that the framework refuses",
             "Its parser ends with an error at the start, on every node.",
             &refusedKeys},
    LintRule{"KEY2",
             LintSeverity::Warning,
             "a key that the framework drops without a word",
             "What it was meant to change is at its default, where the run starts at all.",
             &droppedKeys},
    LintRule{"KEY4",
             LintSeverity::Note,
             "an argument that newer releases do not have",
             "The script ends at its start after an update.",
             &movedArguments},
    LintRule{"KEY6",
             LintSeverity::Warning,
             "an argument that is nearly one of the framework's",
             "Unless the program adds it itself, its parser ends with an error at the start; YAML "
             "of NeMo "
             "is taken in silence.",
             &mistypedArguments}};

}  // namespace

std::span<const LintRule> namesRules() {
    return kNamesRules;
}

}  // namespace fabricast
