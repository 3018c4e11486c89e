#pragma once
#include "planner/base/nearest_name.h"
#include "planner/base/result.h"

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
    /// The word for its value: "FILE".
    DeclaredFlag& takes(const char* what);
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
        return addRead(names, [&value, choices](const std::string& typed) -> Result<void> {
            std::vector<std::string_view> known;
            for (const Choice<T>& choice : choices) {
                if (choice.name == typed) {
                    value = choice.value;
                    return {};
                }
                known.push_back(choice.name);
            }
            return fail(Error::Code::BadInput,
                        "",
                        "cannot be \"" + typed + "\"",
                        suggestName(typed, known));
        });
    }
    /// A flag whose value `read` takes; an error it returns without a place gets the flag's name.
    DeclaredFlag addRead(const std::string& names,
                         std::function<Result<void>(const std::string&)> read) const;

    [[nodiscard]] bool isTyped(const std::string& flag) const;
    /// Whether this command was chosen.
    [[nodiscard]] bool chosen() const;
    /// What --help prints: usage, arguments, flags by group, commands and the footer. The same
    /// under every version of the library that parses the flags.
    [[nodiscard]] std::string help() const;
    [[nodiscard]] std::vector<std::pair<std::string, FlagSet>> commands() const;

private:
    CLI::App* app_;
};

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
    /// Fills all values. A text means that --help or --version asked for it, and nothing else is
    /// to be done. An error is in our words: an unknown command or flag with the nearest one, or
    /// what the flag's own check said.
    Result<std::optional<std::string>> parse(const std::vector<std::string>& arguments);

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace fabricast
