#include "planner/launch/allocator_options.h"
#include "planner/launch/import_settings.h"

#include <cstdint>
#include <string>

namespace fabricast {
namespace {

struct AllocatorRead {
    bool grows = false;
    std::int64_t maxSplitMb = 0;
    std::int64_t divisions = 0;
    std::string unread;
    std::string collecting;  ///< when to give back what is free
    std::string refused;

    void read(const AllocatorOption& option);
};

void addTo(std::string& list, const std::string& one) {
    list += (list.empty() ? "" : ", ") + one;
}

void AllocatorRead::read(const AllocatorOption& option) {
    constexpr double kMost = 1e9;  // MiB, or parts of a power of two
    const double number = leadingNumber(option.value).value_or(0.0);
    const bool isWhole = number >= 1.0 && number <= kMost;
    if (!mendedOption(option).empty()) {
        addTo(refused, option.text());
    } else if (option.text().find_first_of("$`") != std::string::npos) {
        addTo(unread, option.text());
    } else if (option.name == "expandable_segments") {
        grows = option.value == "True";
    } else if (option.name == "max_split_size_mb" && isWhole) {
        maxSplitMb = static_cast<std::int64_t>(number);
    } else if (option.name == "roundup_power2_divisions" && isWhole) {
        divisions = static_cast<std::int64_t>(number);
    } else {
        addTo(option.name == "garbage_collection_threshold" ? collecting : unread, option.text());
    }
}

void noteOptions(ScenarioDraft& draft, const AllocatorRead& options, const std::string& variable) {
    if (!options.refused.empty()) {
        draft.note(variable + ": PyTorch refuses " + options.refused +
                   " where a rank first allocates; the forecast is without it");
    }
    if (!options.unread.empty()) {
        draft.note(variable + ": " + options.unread + " is not looked at");
    }
    if (!options.collecting.empty()) {
        draft.note(variable + ": " + options.collecting +
                   " is not looked at, as PyTorch collects nothing unless "
                   "set_per_process_memory_fraction is called");
    }
}

}  // namespace

void importAllocator(ScenarioDraft& draft) {
    const LaunchKey* const key = allocatorVariable(draft.keys());
    if (key == nullptr) {
        return;
    }
    const std::string from = key->path;
    AllocatorRead options;
    for (const AllocatorOption& option : allocatorOptions(key->values.front())) {
        options.read(option);
    }
    if (options.grows) {
        draft.set("settings.allocator", "expandable_segments", from);
    }
    if (options.maxSplitMb > 0) {
        draft.set("settings.max_split_size_mb", options.maxSplitMb, from);
    }
    if (options.divisions > 1) {
        draft.set("settings.roundup_power2_divisions", options.divisions, from);
    }
    noteOptions(draft, options, variableName(*key));
}

}  // namespace fabricast
