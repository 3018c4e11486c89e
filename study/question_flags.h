#pragma once
#include <span>
#include <string_view>

namespace fabricast {

/// A flag of the command line and the key of a question that it sets.
struct QuestionFlag {
    const char* names;        ///< "-n,--nodes"
    std::string_view typed;   ///< as suggestions type it: "-n"
    std::string_view path;    ///< "cluster.nodes"; "layout" takes several keys at once
    const char* what;         ///< the value's placeholder in help
    const char* example;      ///< a value that is accepted, as a shell takes it
    const char* description;  ///< in help
    const char* group = "The scenario";
    /// Typed as a flag, it replaces this whole part: another cluster has nothing of the one before.
    std::string_view replaces{};
    bool isList = false;  ///< may be repeated: each is an item of the list at `path`
};

/// What is trained, on what and how: flags of every command that asks about a scenario.
std::span<const QuestionFlag> scenarioFlags();
/// What a search may look at: flags of `plan`.
std::span<const QuestionFlag> searchFlags();

/// The flag typed like this ("-n"), or nullptr.
const QuestionFlag* flagTyped(std::string_view typed);
/// The flag that sets this key, or nullptr.
const QuestionFlag* flagOf(std::string_view path);

}  // namespace fabricast
