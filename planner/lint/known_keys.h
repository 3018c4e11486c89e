#pragma once
#include "planner/lint/lint_file.h"
#include "planner/lint/taken_values.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// An argument of Megatron's pretrain_gpt.py: the releases that have it, and what it takes.
struct KnownArgument {
    std::string name;
    int first = 0;  ///< 0.14 is 14
    int last = 0;
    std::string values;              ///< how many it takes: "0", "1", "+", "*", "?"
    std::vector<std::string> takes;  ///< as of taken_values.h; empty: anything
};

/// Parameters of torchtune's components: "**" is among those of one that takes any.
using TuneComponents = std::map<std::string, std::vector<std::string>, std::less<>>;

// All are read from the tables of hardware_profiles/launch, once.

/// Those of every release since 0.14, by name; of one name there may be several.
std::span<const KnownArgument> megatronArgumentTable();
/// Those of one name.
std::span<const KnownArgument> megatronArgumentsNamed(std::string_view name);
/// What torchtune's configs name by _component_, of torchtune 0.6.1.
const TuneComponents& tuneComponents();
/// The release that is newest there.
int newestMegatronRelease();

/// What a framework's key takes, as of taken_values.h; empty: anything.
const std::vector<std::string>& frameworkTakes(std::string_view framework,
                                               std::string_view version,
                                               std::string_view path);

/// Keys of a framework's file by their sections: "zero_optimization.stage".
const std::vector<std::string>& frameworkKeys(std::string_view framework, std::string_view version);

/// Whose keys a launch file has, how its values are read, and what becomes of keys that the
/// framework does not know.
struct KeyOwner {
    std::string_view framework;
    std::string_view version;
    ValueLoader loader = ValueLoader::Yaml;
    /// Sections whose unknown keys end the start; "" is the top level.
    std::vector<std::string_view> strict;
    /// Sections whose unknown keys are dropped without a word.
    std::vector<std::string_view> silent;
};

/// Nothing where a file's keys are not listed.
std::optional<KeyOwner> keyOwnerOf(const LintFile& file);

/// What surrounds a script is not the framework's.
bool isOfTheLauncher(std::string_view path);

}  // namespace fabricast
