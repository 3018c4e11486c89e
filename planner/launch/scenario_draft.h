#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/text/json_builder.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// This is a scenario that is made of a launch file, key by key; each value lies where the file
/// says it, so that an error about it names the file's line.
///     draft.set("layout.tp", 8, "parallelism.tensor_parallel_degree");
class ScenarioDraft {
public:
    explicit ScenarioDraft(LaunchKeys& keys) : keys_(keys), builder_(keys.source()) {}

    /// `from` is the file's key that says it.
    void set(std::string_view path, std::string_view text, std::string_view from);
    void set(std::string_view path, const char* text, std::string_view from) {
        set(path, std::string_view(text), from);
    }
    void set(std::string_view path, std::int64_t number, std::string_view from);
    void set(std::string_view path, bool value, std::string_view from);
    void set(std::string_view path, double value, std::string_view from);
    void setNull(std::string_view path, std::string_view from);

    // What the file says as it is; nothing where it does not.
    Result<void> copyWhole(std::string_view path, std::string_view from);
    Result<void> copyFlag(std::string_view path, std::string_view from);

    /// The length of the run, in "steps" or "samples", where the file says a number above 0: what
    /// is set where it starts is no length.
    void copyLength(std::string_view from, std::string_view unit);

    /// Refuses keys that would change the forecast and are not modelled, unless they say no.
    Result<void> refuseUnmodelled(std::span<const std::string_view> paths);

    void note(std::string text) { notes_.push_back(std::move(text)); }
    /// What is assumed about a key of the scenario: void where that key is typed.
    void assume(std::string_view path, std::string_view text);
    /// What the file decides about a key of the scenario and is not read: an error at `at`, unless
    /// that key is typed.
    void leaveOpen(std::string_view path,
                   const LaunchKey& at,
                   const std::string& why,
                   const std::string& hint);
    [[nodiscard]] LaunchKeys& keys() { return keys_; }
    [[nodiscard]] const JsonValue& scenario() const { return root_; }
    /// What the scenario has at "workload.precision" by now; null where nothing.
    [[nodiscard]] const JsonValue* find(std::string_view path) const;
    /// That as a word; empty where it has none.
    [[nodiscard]] std::string word(std::string_view path) const;
    /// What another file adds: its values win, but for the stack.
    void merge(const JsonValue& scenario, const std::string& before = "");
    /// What was said of another file's.
    void takeNotes(const JsonValue& scenario);
    /// The scenario, with what nobody read of the sections that matter; "" is the top level.
    [[nodiscard]] JsonValue finish(const std::string& framework,
                                   const std::vector<std::string_view>& harmless);

private:
    void put(std::string_view path, JsonValue value);
    void moveTo(std::string_view from);

    LaunchKeys& keys_;
    JsonBuilder builder_;
    JsonValue root_ = JsonBuilder("").object();
    std::vector<std::string> notes_;
};

}  // namespace fabricast
