#pragma once
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
    std::vector<std::string> choices;  ///< empty: anything
};

// Both are read from the tables of hardware_profiles/launch, once.

/// Those of every release since 0.14, by name; of one name there may be several.
std::span<const KnownArgument> megatronArgumentTable();
/// The release that is newest there.
int newestMegatronRelease();

/// Keys of a framework's file by their sections: "zero_optimization.stage".
const std::vector<std::string>& frameworkKeys(std::string_view framework, std::string_view version);

}  // namespace fabricast
