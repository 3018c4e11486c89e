#include "probes/host/host_points.h"
#include "probes/host/host_program.h"
#include "probes/record/known_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

namespace fabricast::probe {

namespace {

/// A setting: one of some words, a whole number from `least` on, or a folder.
struct Setting {
    enum class Takes { Word, Whole, Folder };

    std::string_view name;
    bool needed = false;
    Takes takes = Takes::Whole;
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string_view> words{};
};

struct HostPointKind {
    std::string_view what;
    std::vector<Setting> settings;
};

const std::array<HostPointKind, 3>& hostPointKinds() {
    using Takes = Setting::Takes;
    static const Setting threads{.name = "threads", .needed = true, .most = kMostHostThreads};
    static const std::array<HostPointKind, 3> kKinds = {
        HostPointKind{"memory",
                      {{.name = "op", .takes = Takes::Word, .words = {"copy", "triad"}},
                       threads,
                       {.name = "bytes", .least = kLeastMemoryBytes}}},
        HostPointKind{"cpu_adam", {threads, {.name = "parameters", .needed = true}}},
        HostPointKind{
            "disk",
            {{.name = "kind", .needed = true, .takes = Takes::Word, .words = {"read", "write"}},
             {.name = "path", .needed = true, .takes = Takes::Folder},
             {.name = "bytes", .needed = true, .least = kLeastDiskBytes}}}};
    return kKinds;
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string text;
    for (const std::string_view word : words) {
        text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

Done checkSetting(const Point& point, const Setting& setting) {
    const std::string name(setting.name);
    if (!point.settings.contains(name) && !setting.needed) {
        return std::monostate();
    }
    if (setting.takes == Setting::Takes::Whole) {
        const Answer<std::int64_t> number = wholeOf(point, name, setting.least);
        if (!number) {
            return number.trouble();
        }
        return *number <= setting.most
                   ? Done(std::monostate())
                   : Trouble{name + " is more than " + std::to_string(setting.most)};
    }
    const Answer<std::string> word = wordOf(point, name);
    if (!word) {
        return word.trouble();
    }
    std::error_code error;
    if (setting.takes == Setting::Takes::Folder) {
        return std::filesystem::is_directory(*word, error)
                   ? Done(std::monostate())
                   : Trouble{name + "='" + *word + "' is no folder"};
    }
    return std::ranges::find(setting.words, *word) != setting.words.end()
               ? Done(std::monostate())
               : Trouble{name + "='" + *word + "' is none of " + listed(setting.words)};
}

}  // namespace

Done checkHostPoint(const Point& point) {
    if (Done known = onlyKnownSettings("fabricast-probe-host", point); !known) {
        return known;
    }
    const auto& kinds = hostPointKinds();
    const auto kind = std::ranges::find(kinds, point.what, &HostPointKind::what);
    for (const Setting& setting : kind->settings) {
        if (Done sound = checkSetting(point, setting); !sound) {
            return sound;
        }
    }
    return std::monostate();
}

}  // namespace fabricast::probe
