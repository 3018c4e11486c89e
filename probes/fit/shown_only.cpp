#include "probes/fit/shown_only.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReasons = {
    {{"cpu_adam",
      "the best a step can do; what DeepSpeed and torch reach in training is in hosts/"},
     {"disk", "no forecast asks for a local disk: checkpoints go to the storage of a site"},
     {"launch", "an empty kernel; what frameworks spend on theirs is in software/"},
     {"overlap", "a copy stands in for NCCL; contention in software/ is that of training"},
     {"plain", "checks gemm and copy, which are measured beside it"},
     {"sustained", "sustained in kernels/ is fitted to training steps, and holds more than clocks"},
     {"transfer both", "copies of a step go one way at a time"}}};

/// Its name above; empty: something is made of it.
std::string shownKind(const RecordedPoint& point) {
    if (point.facts.contains("contention")) {
        return "";
    }
    const bool both = point.what == "transfer" && point.setting("kind", "") == "both";
    return both ? "transfer both" : point.what;
}

}  // namespace

std::string shownOnlyText(std::span<const RecordedPoint> points) {
    std::set<std::string> kinds;
    for (const RecordedPoint& point : points) {
        kinds.insert(shownKind(point));
    }
    std::size_t width = 0;
    for (const auto& [kind, why] : kReasons) {
        width = std::max(width, kinds.contains(std::string(kind)) ? kind.size() : 0);
    }
    std::string text;
    for (const auto& [kind, why] : kReasons) {
        if (kinds.contains(std::string(kind))) {
            text += "  " + std::string(kind) + std::string(width - kind.size() + 2, ' ') +
                    std::string(why) + "\n";
        }
    }
    return text.empty() ? text : "shown, and of no profile\n" + text;
}

}  // namespace fabricast
