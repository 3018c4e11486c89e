#include "planner/profiles/kept_file.h"

#include "planner/profiles/profile_store.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string beginningOf(const std::string& path) {
    constexpr std::streamsize kMost = 65'536;
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {
        return {};
    }
    std::string text(kMost, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), kMost);
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

/// "gpu" of "schema": "fabricast.gpu/1"; a file that somebody edits may be damaged further on.
std::string_view schemaIn(std::string_view text) {
    constexpr std::string_view kKey = "\"schema\"";
    constexpr std::string_view kOurs = "\"fabricast.";
    const std::size_t key = text.find(kKey);
    const std::size_t colon =
        key == std::string_view::npos ? key : text.find_first_not_of(kBlank, key + kKey.size());
    if (colon == std::string_view::npos || text[colon] != ':') {
        return {};
    }
    text.remove_prefix(std::min(text.find_first_not_of(kBlank, colon + 1), text.size()));
    if (!text.starts_with(kOurs)) {
        return {};
    }
    text.remove_prefix(kOurs.size());
    return text.substr(0, text.find('/'));
}

}  // namespace

std::string keptKind(const std::string& path) {
    const std::string text = beginningOf(path);
    const std::size_t first = text.find_first_not_of(kBlank);
    // Answers say what wrote them.
    if (first == std::string::npos || text[first] != '{' ||
        text.find("\"tool\"") != std::string::npos) {
        return {};
    }
    const std::string_view schema = schemaIn(text);
    // Of these a measurement or a search of hours is in the file.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOthers = {
        {{"measurements", "a record of measurements"},
         {"sweep", "a file of a sweep's points"},
         {"size_sweep", "a file of a sweep's points"},
         {"nccl_costs", "a dump of NCCL's estimates"},
         {"machine", "an inventory of a machine"}}};
    const auto* const other =
        std::ranges::find(kOthers, schema, &std::pair<std::string_view, std::string_view>::first);
    if (other != kOthers.end()) {
        return std::string(other->second);
    }
    const auto isIt = [&](ProfileKind kind) { return profileKindName(kind) == schema; };
    return std::ranges::any_of(kProfileKinds, isIt)
               ? (schema.starts_with('i') ? "an " : "a ") + std::string(schema) + " profile"
               : std::string();
}

}  // namespace fabricast
