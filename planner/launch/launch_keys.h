#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// One key of a launch file: where it stands and what it says, as text.
struct LaunchKey {
    /// "parallelism.tensor_parallel_degree", "--bf16"; of a map in a list "datasets[0].path".
    std::string path;
    std::vector<std::string> values;  ///< one, the items of a list, or none
    std::int64_t line = 0;
    std::int64_t column = 0;
    bool isUsed = false;
    std::string file{};  ///< where it stands, if it is another file's; empty: the keys' own
    bool isQuoted =
        false;             ///< its one value is a text to the file's syntax, whatever it looks like
    std::string onlyIf{};  ///< a program's condition that decides it, and is not known
};

/// A key that stands twice in one map of YAML.
struct RepeatedKey {
    LaunchKey first;
    std::int64_t holds = 0;  ///< the line of the last, which YAML's loaders take
    bool isSection = false;
    bool isSame = false;  ///< it says the same
};

/// This is a launch file as its keys, whatever it is written in. Who reads one marks it; those that
/// nobody read are said in the end.
///     const LaunchKey* const tp = keys.use("parallelism.tensor_parallel_degree");
class LaunchKeys {
public:
    explicit LaunchKeys(std::string source) : source_(std::move(source)) {}

    void add(LaunchKey key) {
        last_.insert_or_assign(key.path, keys_.size());
        keys_.push_back(std::move(key));
    }
    /// What the last of that path says, in its own place.
    void say(std::string_view path, const std::string& value);
    void addRepeated(RepeatedKey key) { repeated_.push_back(std::move(key)); }
    [[nodiscard]] const std::vector<RepeatedKey>& repeated() const { return repeated_; }
    void takeRepeated(const LaunchKeys& other) { repeated_ = other.repeated_; }
    /// Another file's keys that begin with one of these, behind its own: they win.
    void append(const LaunchKeys& other, std::initializer_list<std::string_view> before);
    /// The last of that path; null where there is none.
    [[nodiscard]] const LaunchKey* use(std::string_view path);
    /// Marks what stands at the same place, under an older name.
    void markAt(const LaunchKey& place) {
        for (LaunchKey& key : keys_) {
            key.isUsed |=
                key.line == place.line && key.column == place.column && key.file == place.file;
        }
    }
    /// All that is marked in these keys of it, which have other names.
    void markAsIn(const LaunchKeys& others) {
        for (const LaunchKey& key : others.all()) {
            if (key.isUsed) {
                markAt(key);
            }
        }
    }
    /// The last of that path without marking it.
    [[nodiscard]] const LaunchKey* find(std::string_view path) const;
    [[nodiscard]] bool has(std::string_view path) const;
    [[nodiscard]] const std::string& source() const { return source_; }
    [[nodiscard]] const std::vector<LaunchKey>& all() const { return keys_; }

    /// Its text, number or switch; empty where the key is missing, or says null or "auto": whoever
    /// starts it fills that in, and the stack's default does here.
    std::optional<std::string> text(std::string_view path);
    Result<std::optional<std::int64_t>> whole(std::string_view path);
    Result<std::optional<double>> number(std::string_view path);
    /// Without a value it is on, as an argument is.
    Result<std::optional<bool>> flag(std::string_view path);
    /// "train.toml:4:1".
    [[nodiscard]] std::string where(const LaunchKey& key) const;
    [[nodiscard]] tl::unexpected<Error> refuse(const LaunchKey& key,
                                               const std::string& why,
                                               const std::string& hint = {}) const;

private:
    std::string source_;
    std::vector<LaunchKey> keys_;
    std::map<std::string, std::size_t, std::less<>> last_;  ///< of each path
    std::vector<RepeatedKey> repeated_;
};

/// The path of a key of every map in a list: "datasets.path" of "datasets[0].path".
std::string withoutItems(const std::string& path);

/// A switch in the words that frameworks take: "True", "no", "1"; nothing for other words.
std::optional<bool> asSwitch(std::string_view value);

/// More keys or levels than any launch file has.
inline constexpr std::size_t kMostLaunchKeys = 20'000;
inline constexpr int kMostLaunchLevels = 32;

// Each error has its place in the file.
Result<LaunchKeys> readTomlKeys(std::string_view text, const std::string& source);
Result<LaunchKeys> readYamlKeys(std::string_view text, const std::string& source);
Result<LaunchKeys> readJsonKeys(std::string_view text, const std::string& source);
/// The arguments of the first command that starts a training: nothing is run. Paths are flags;
/// torchrun's have "torchrun" before them, what the script is called is "script"; beside them
/// "env NAME", "sbatch --nodes", "srun --ntasks" and "mpirun -np".
Result<LaunchKeys> readShellKeys(std::string_view text, const std::string& source);
/// Key of a second training that a script starts: its script, and the line of the first.
inline constexpr const char* kSecondTraining = "second training";
/// Key of a variable among a training's arguments that a branch sets: its name, and to what.
inline constexpr const char* kOpenArguments = "arguments of a branch";
/// What a Python program calls and names: "MICRO_BATCH", "AdamW" with the whole name of what is
/// called, "AdamW.fused" and "AdamW.0" with its arguments, the last word of each name alone, "def"
/// with the name of what is defined, and "loss/=" where a value is changed.
/// Nothing is run: names stand for the values that the program gives them, what it works out is
/// "$(…)".
Result<LaunchKeys> readPythonKeys(std::string_view text, const std::string& source);

}  // namespace fabricast
