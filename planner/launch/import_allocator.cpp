#include "planner/launch/import_allocator.h"

#include <string>
#include <string_view>
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

}  // namespace

void importAllocator(ScenarioDraft& draft) {
    const char* const from = draft.keys().has(kNewName) ? kNewName : kOldName;
    const std::string variable = std::string(from).substr(std::string_view("env ").size());
    bool grows = false;
    std::string unread;
    for (const std::string& option : allocatorOptions(draft.keys().text(from).value_or(""))) {
        const std::size_t colon = option.find(':');
        if (option.substr(0, colon) == "expandable_segments") {
            grows = option.substr(colon + 1) == "True";
        } else if (!option.empty()) {
            unread += (unread.empty() ? "" : ", ") + option;
        }
    }
    if (grows) {
        draft.set("settings.allocator", "expandable_segments", from);
    }
    if (!unread.empty()) {
        draft.note(variable + ": " + unread + " is not looked at");
    }
}

}  // namespace fabricast
