#pragma once
#include <string>
#include <vector>

namespace fabricast {

/// A flag or an argument as it was declared.
struct FlagInfo {
    std::vector<std::string> names;  ///< "-c", "--cluster"; none: an argument
    std::string value{};             ///< the word for its value, "NAME"; empty: a switch
    std::string description{};
    std::string group{};  ///< the heading that it stands under
    /// Values that are known; may be empty. Behind "shard=" a value is typed, which "shard=fsdp"
    /// is.
    std::vector<std::string> words{};
    bool repeats = false;   ///< may be typed several times
    bool isList = false;    ///< one value is several words, joined by commas
    std::string example{};  ///< a value that is accepted; may be empty

    [[nodiscard]] bool takesValue() const { return !value.empty(); }
    /// "-c, --cluster NAME".
    [[nodiscard]] std::string shown() const {
        std::string text;
        for (const std::string& name : names) {
            text += (text.empty() ? "" : ", ") + name;
        }
        return value.empty() ? text : text + (text.empty() ? "" : " ") + value;
    }
};

/// This is a command with its flags: the one table that help, man pages and completion are written
/// from. The program itself is the command around all others.
struct CommandInfo {
    std::string name;  ///< "fabricast profiles show"
    std::string description{};
    std::vector<FlagInfo> arguments{};
    std::vector<std::string> groups{};  ///< of flags, in their order
    std::vector<FlagInfo> flags{};
    std::vector<CommandInfo> commands{};
    std::string footer{};
    bool isProgram = false;

    /// "show".
    [[nodiscard]] std::string lastName() const { return name.substr(name.rfind(' ') + 1); }
};

}  // namespace fabricast
