#include "planner/launch/import_allocator.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kNewName = "env PYTORCH_ALLOC_CONF";  // from torch 2.9 on
constexpr const char* kOldName = "env PYTORCH_CUDA_ALLOC_CONF";

/// "a:1,b:[256:1,512:2]" is two options.
std::vector<std::string> allocatorOptions(std::string_view text) {
    std::vector<std::string> options(1);
    int depth = 0;
    for (const char one : text) {
        depth += one == '[' ? 1 : one == ']' ? -1 : 0;
        if (one == ',' && depth == 0) {
            options.emplace_back();
        } else if (one != ' ') {
            options.back() += one;
        }
    }
    return options;
}

/// A number that one option gives, or -1 where it gives none.
std::int64_t numberOf(std::string_view value) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc() && end == value.data() + value.size() ? number : -1;
}

struct AllocatorRead {
    bool grows = false;
    std::int64_t maxSplitMb = 0;
    std::int64_t divisions = 0;
    std::string unread;

    void read(const std::string& option);
};

void AllocatorRead::read(const std::string& option) {
    const std::size_t colon = std::min(option.find(':'), option.size() - 1);
    const std::string_view name = std::string_view(option).substr(0, colon);
    const std::string value = option.substr(colon + 1);
    if (name == "expandable_segments") {
        grows = value == "True";
    } else if (name == "max_split_size_mb" && numberOf(value) > 0) {
        maxSplitMb = numberOf(value);
    } else if (name == "roundup_power2_divisions" && numberOf(value) > 0) {
        divisions = numberOf(value);
    } else {
        unread += (unread.empty() ? "" : ", ") + option;
    }
}

}  // namespace

void importAllocator(ScenarioDraft& draft) {
    const char* const from = draft.keys().has(kNewName) ? kNewName : kOldName;
    const std::string variable = std::string(from).substr(std::string_view("env ").size());
    AllocatorRead options;
    for (const std::string& option : allocatorOptions(draft.keys().text(from).value_or(""))) {
        if (!option.empty()) {
            options.read(option);
        }
    }
    if (options.grows) {
        draft.set("settings.allocator", "expandable_segments", from);
    } else if (options.maxSplitMb > 0) {
        draft.set("settings.max_split_size_mb", options.maxSplitMb, from);
    }
    if (options.divisions > 1) {
        draft.set("settings.roundup_power2_divisions", options.divisions, from);
    }
    if (!options.unread.empty()) {
        draft.note(variable + ": " + options.unread + " is not looked at");
    }
    if (options.grows && options.maxSplitMb > 0) {
        draft.note(variable + ": max_split_size_mb is not looked at beside expandable_segments");
    }
    if (options.unread.find("garbage_collection_threshold") != std::string::npos) {
        draft.note(variable +
                   ": PyTorch collects nothing unless set_per_process_memory_fraction is called");
    }
}

}  // namespace fabricast
