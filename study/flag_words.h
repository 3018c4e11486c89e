#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/edit.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The values of a flag that a list has: models of --model, clusters and nodes of --cluster, keys
/// of --layout ("shard=", and "shard=fsdp" where a key has a list). Nothing where any number or
/// file may be one.
std::vector<std::string> valuesOfFlag(std::string_view flag, const ProfileStore& store);
/// Whether one value of a flag is a list joined by commas: "tp=8,pp=4". Some are so only where the
/// flag may be typed several times as well.
bool isListFlag(std::string_view flag, bool repeats);

/// The same of the first argument of a command: names of `schema`, codes of `errors`,
/// topics of `help`.
std::vector<std::string> valuesOfArgument(std::string_view command, const ProfileStore& store);

/// What is typed here for a flag that training programs have and no command has, without its
/// hyphens; empty for others.
///     flagInstead("tensor-model-parallel-size", "4")  →  "--layout tp=4"
std::string flagInstead(std::string_view typed, std::string_view value);

/// What is typed here for another word of --tuning than those it has: adapters that are a setting
/// of LoRA, and what others call the training of all weights. Empty for any other word.
///     tuningInstead("QDoRA")  →  "--tuning qlora --set settings.lora.dora=true"
std::string tuningInstead(std::string_view word);

/// A change as keys of torchtune's config, or as they are typed behind its recipe where the key
/// that changes is: "batch_size: 1, gradient_accumulation_steps: 8". Empty where a recipe has no
/// key for one of the edits.
std::string tuneWords(const OpenedFile& config, std::span<const Edit> edits, const Scenario& then);

/// A word for the values of two keys, wherever they are said: a flag, a file or a control.
struct ValueWord {
    std::string_view path;
    std::string_view word;
    std::string_view value;  ///< of `path`
    std::string_view besidePath;
    std::string_view besideValue;
};

/// QLoRA is LoRA over a base of 4 bits.
inline constexpr ValueWord kQlora = {
    "settings.tuning", "qlora", "lora", "settings.lora.base", "nf4"};

}  // namespace fabricast
