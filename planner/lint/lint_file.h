#pragma once
#include "planner/launch/opened_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// A key's one value as a number; nothing where it is none, or nothing ("null", "none").
std::optional<double> numberOf(const LaunchKey& key);

/// A launch file as rules look at it. What cannot be read as a number is none: that it is wrong is
/// said by whoever imports the file.
///     if (file.isOn("fp16.enabled") && file.isOn("bf16.enabled")) …
class LintFile {
public:
    /// Arguments of torchtitan are looked at as the keys of its TOML, old names of Axolotl as the
    /// present ones.
    explicit LintFile(OpenedFile file);

    [[nodiscard]] LaunchKind kind() const { return file_.kind; }
    [[nodiscard]] const LaunchKeys& keys() const { return file_.keys; }
    [[nodiscard]] const OpenedFile& opened() const { return file_; }
    /// Whether its keys stand behind dashes, on a command line.
    [[nodiscard]] bool isArguments() const { return isArguments_; }

    /// Whether some of its arguments are known to the shell alone: "${EXTRA_ARGS[@]}".
    [[nodiscard]] bool hasUnknownArguments() const;

    /// The key that holds, the last of its path; null where there is none.
    [[nodiscard]] const LaunchKey* at(std::string_view path) const { return keys().find(path); }
    [[nodiscard]] bool has(std::string_view path) const { return at(path) != nullptr; }
    /// Its one value; empty where it is missing or says nothing ("null", "none").
    [[nodiscard]] std::string text(std::string_view path) const;
    [[nodiscard]] std::optional<double> number(std::string_view path) const;
    [[nodiscard]] std::int64_t whole(std::string_view path, std::int64_t otherwise) const;
    /// A switch that is on: "true", "yes", "1", or an argument without a value.
    [[nodiscard]] bool isOn(std::string_view path) const;
    /// A switch that is off in so many words.
    [[nodiscard]] bool isOff(std::string_view path) const;

private:
    OpenedFile file_;
    bool isArguments_ = false;
};

/// Whether Trainer checkpoints activations of the model by itself, as TRL's does unasked.
bool checkpointsByTrainer(const LintFile& file);

/// An argument of Hugging Face's Trainer as the file would say it: "--bf16 True" of a command line.
std::string typedIn(const LintFile& file, const std::string& name, const std::string& value);

}  // namespace fabricast
