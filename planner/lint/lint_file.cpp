#include "planner/lint/lint_file.h"

#include "planner/launch/import_launch.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/torchtitan_keys.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

bool isWordOf(const std::string& word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 5> kNothing = {"null", "none", "None", "NO", "~"};

std::string saidBy(const LaunchKey& key) {
    const bool says = key.values.size() == 1 && !isWordOf(key.values.front(), kNothing);
    return says ? key.values.front() : "";
}

}  // namespace

LintFile::LintFile(OpenedFile file)
    : file_(std::move(file)), isArguments_(!file_.keys.source().ends_with(".toml")) {
    if (file_.kind == LaunchKind::Titan && isArguments_) {
        file_.keys = titanKeysOf(file_.keys);
    } else if (file_.kind == LaunchKind::Axolotl) {
        LaunchKeys keys = axolotlKeysOf(file_.keys);
        keys.takeRepeated(file_.keys);
        file_.keys = std::move(keys);
    }
}

bool LintFile::hasUnknownArguments() const {
    return std::ranges::any_of(keys().all(),
                               [](const LaunchKey& key) { return key.path.starts_with('$'); });
}

std::string LintFile::text(std::string_view path) const {
    const LaunchKey* const key = at(path);
    return key == nullptr ? "" : saidBy(*key);
}

std::optional<double> LintFile::number(std::string_view path) const {
    const LaunchKey* const key = at(path);
    return key == nullptr ? std::nullopt : numberOf(*key);
}

std::optional<double> numberOf(const LaunchKey& key) {
    std::string digits = saidBy(key);
    std::erase(digits, '_');
    double value = 0.0;
    const auto [end, trouble] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool isNumber = trouble == std::errc() && end == digits.data() + digits.size();
    return isNumber && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::int64_t LintFile::whole(std::string_view path, std::int64_t otherwise) const {
    constexpr double kMost = 1e12;
    const std::optional<double> value = number(path);
    const bool isWhole = value && std::abs(*value) <= kMost && std::floor(*value) == *value;
    return isWhole ? static_cast<std::int64_t>(*value) : otherwise;
}

bool LintFile::isOn(std::string_view path) const {
    const LaunchKey* const key = at(path);
    return key != nullptr && (key->values.empty() || asSwitch(text(path)).value_or(false));
}

bool LintFile::isOff(std::string_view path) const {
    return !asSwitch(text(path)).value_or(true);
}

bool checkpointsByTrainer(const LintFile& file) {
    for (const char* const name : {"--gradient_checkpointing", "--activation_checkpointing"}) {
        if (file.has(name)) {
            return file.isOn(name);
        }
    }
    return file.kind() == LaunchKind::Trainer &&
           (hasTrlsDefaults(file.keys()) || trainsOnPreferences(file.keys()));
}

std::string typedIn(const LintFile& file, const std::string& name, const std::string& value) {
    const std::string& source = file.keys().source();
    const bool isYaml = source.ends_with(".yaml") || source.ends_with(".yml");
    return !isTypedIn(file.keys()) ? name + "=" + value
           : isYaml                ? name + ": " + value
                                   : "--" + name + " " + value;
}

}  // namespace fabricast
