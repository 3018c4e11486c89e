#pragma once
#include "manual/command_info.h"
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fabricast {

/// A flag that was declared, and what --help shows of it.
class DeclaredFlag {
public:
    explicit DeclaredFlag(CLI::Option* option) : option_(option) {}
    /// The word for its value: "FILE"; and a value that is accepted, for whoever typed another.
    DeclaredFlag& takes(const char* what, std::string_view example = {});
    /// The words that it may be, for completion.
    DeclaredFlag& oneOf(const std::vector<std::string>& words);
    DeclaredFlag& describe(const std::string& text);
    DeclaredFlag& group(const char* name);
    DeclaredFlag& required();
    /// A list: one value each time the flag is typed, or all values in one word.
    DeclaredFlag& oneEach();
    DeclaredFlag& separatedBy(char mark);

private:
    CLI::Option* option_;
};

template <class T>
struct Choice {
    std::string_view name;
    T value;
};

/// The flags and arguments of the program or of one command. Values are there once the command
/// line is parsed; what they are written to outlives that.
///     flags.add("--top", options.top, {1, 1000}).describe("number of plans (default: 5)");
class FlagSet {
public:
    explicit FlagSet(CLI::App* app) : app_(app) {}

    FlagSet command(const char* name, const char* description) const;
    void footer(const std::string& text) const;
    void needsCommand() const;

    DeclaredFlag add(const std::string& names, std::string& value, const std::string& text) const;
    DeclaredFlag add(const std::string& names,
                     std::optional<std::string>& value,
                     const std::string& text) const;
    DeclaredFlag add(const std::string& names,
                     std::vector<std::string>& values,
                     const std::string& text) const;
    /// A switch.
    DeclaredFlag add(const std::string& names, bool& value, const std::string& text) const;
    DeclaredFlag addSwitch(const std::string& names,
                           const std::function<void()>& typed,
                           const std::string& text) const;
    /// A whole number within a range.
    DeclaredFlag add(const std::string& names,
                     std::int64_t& value,
                     std::pair<std::int64_t, std::int64_t> range) const;
    /// One of a few words. `choices` outlives the parsing.
    template <class T>
    DeclaredFlag addChoice(const std::string& names,
                           T& value,
                           std::span<const Choice<T>> choices) const {
        return addChoices<T>(names, choices, [&value](const T& chosen) { value = chosen; });
    }
    template <class T>
    DeclaredFlag addChoices(const std::string& names,
                            std::span<const Choice<T>> choices,
                            const std::function<void(const T&)>& take) const {
        std::vector<std::string> known;
        for (const Choice<T>& choice : choices) {
            known.emplace_back(choice.name);
        }
        return addWord(
            names, known, [choices, take](std::size_t chosen) { take(choices[chosen].value); });
    }
    /// One of these words; `take` gets its position.
    DeclaredFlag addWord(const std::string& names,
                         const std::vector<std::string>& known,
                         const std::function<void(std::size_t)>& take) const;
    /// A flag whose value `read` takes; an error it returns without a place gets the flag's name.
    DeclaredFlag addRead(const std::string& names,
                         std::function<Result<void>(const std::string&)> read) const;

    [[nodiscard]] bool isTyped(const std::string& flag) const;
    /// Whether this command was chosen.
    [[nodiscard]] bool chosen() const;
    /// All that was declared, with the commands in it.
    [[nodiscard]] CommandInfo info() const;

private:
    CLI::App* app_;
};

/// Without "--", behind which no word is a flag: a file that looks like one is "./-n.json".
std::vector<std::string> withoutMark(std::vector<std::string> arguments);

/// This parses a program's arguments; the only place that knows the library which does it.
class CommandLine {
public:
    CommandLine(const char* program, const char* description, const char* version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    CommandLine(CommandLine&&) = delete;
    CommandLine& operator=(CommandLine&&) = delete;

    [[nodiscard]] FlagSet flags() const { return FlagSet(app_.get()); }
    /// An error where "--" would be the value of the flag before it.
    [[nodiscard]] Result<void> checkMark(const std::vector<std::string>& arguments) const;
    /// Fills all values. A text means that --help or --version asked for it, and nothing else is
    /// to be done. An error is in our words: an unknown command or flag with the nearest one, or
    /// what the flag's own check said.
    Result<std::optional<std::string>> parse(const std::vector<std::string>& arguments);
    /// The flags among arguments that were parsed, in the order typed: "--nodes" of "-n4".
    [[nodiscard]] std::vector<std::string> flagsOf(const std::vector<std::string>& arguments) const;
    /// What to type for a flag of the command that was chosen, by one of its names: "--steps 1".
    /// Empty where no flag is called so, or it has no example.
    [[nodiscard]] std::string exampleOf(const std::string& flag) const;
    /// "fabricast plan --help", of the command that was chosen.
    [[nodiscard]] std::string helpOfChosen() const;

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace fabricast
