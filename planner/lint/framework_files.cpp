#include "planner/lint/framework_files.h"

#include <algorithm>

namespace fabricast {

std::int64_t zeroStage(const LintFile& file) {
    return file.whole("zero_optimization.stage", 0);
}

bool zeroOffloads(const LintFile& file, const std::string& what, std::string_view device) {
    const std::string to = file.text("zero_optimization." + what + ".device");
    return !to.empty() && (device.empty() || to == device);
}

std::int64_t titanDegree(const LintFile& file, const std::string& axis, std::int64_t usual) {
    return file.whole("parallelism." + axis + "_degree", usual);
}

bool accelerateUsesFsdp(const LintFile& file) {
    return file.text("distributed_type") == "FSDP";
}

bool axolotlShards(const LintFile& file) {
    return file.has("fsdp") || file.keys().has("fsdp_config");
}

bool axolotlUsesFsdp2(const LintFile& file) {
    return axolotlShards(file) && file.whole("fsdp_version", 1) == 2;
}

bool axolotlTakesAsTrue(const LintFile& file, const std::string& key) {
    const LaunchKey* const found = file.at(key);
    const bool isZero = found != nullptr && numberOf(*found).value_or(1.0) == 0.0;
    return found != nullptr && !file.text(key).empty() && !file.isOff(key) && !isZero;
}

bool isUnsetOrOneOf(const std::string& value, std::span<const std::string_view> words) {
    return value.empty() || std::ranges::find(words, value) != words.end();
}

}  // namespace fabricast
