#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/spec/scenario.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// One key of the configuration; text is quoted in TOML and not on a command line.
struct TitanKey {
    std::string section;
    std::string name;
    std::string value;
    bool isText = false;
};

class TitanKeys {
public:
    void add(const char* section, const char* name, std::int64_t value) {
        keys_.push_back({section, name, std::to_string(value)});
    }
    void add(const char* section, const char* name, bool value) {
        keys_.push_back({section, name, value ? "true" : "false"});
    }
    void add(const char* section, const char* name, std::string_view value) {
        keys_.push_back({section, name, std::string(value), true});
    }
    [[nodiscard]] const std::vector<TitanKey>& all() const { return keys_; }

private:
    std::vector<TitanKey> keys_;
};

// What a layout, its batch and its precision are called; both forms of torchtitan's config have
// these.
void addTitanTraining(const Scenario& scenario, TitanKeys& keys);
void addTitanMesh(const Scenario& scenario, TitanKeys& keys);
Result<void> addTitanPipeline(const Scenario& scenario, TitanKeys& keys);

/// What chose the checkpointing before 0.3, as 0.3 is given it: it has no such argument.
inline constexpr std::string_view kTypedMode = "--activation_checkpoint.mode";

/// Arguments of 0.3 as keys of 0.2: "--compile.no-enable" is compile.enable = false.
LaunchKeys titanKeysOf(const LaunchKeys& arguments);

}  // namespace fabricast
