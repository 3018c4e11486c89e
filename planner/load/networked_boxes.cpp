#include "planner/load/place_sites.h"
#include "planner/spec/check_settings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Those with the most GPUs first, and by name among equals.
std::vector<std::string> networkedBoxesOf(const std::string& gpu, const ProfileStore& profiles) {
    std::vector<std::pair<std::int64_t, std::string>> boxes;
    for (const ProfileFile& file : profiles.files(ProfileKind::Node)) {
        const Result<ClusterSpec> box = profiles.cluster(file.name);
        if (box && box->node.gpu.name == gpu && hasNetwork(*box)) {
            boxes.emplace_back(-box->node.gpus, file.name);
        }
    }
    std::ranges::sort(boxes);
    std::vector<std::string> names;
    std::ranges::transform(
        boxes, std::back_inserter(names), [](const auto& box) { return box.second; });
    return names;
}

/// "-c a, b or c"; no more, as a list is a command away.
std::string choiceOf(const std::vector<std::string>& names) {
    constexpr std::size_t kMostNamed = 3;
    const std::size_t count = std::min(names.size(), kMostNamed);
    std::string text = "-c " + names.front();
    for (std::size_t at = 1; at < count; ++at) {
        text += (at + 1 == count ? " or " : ", ") + names[at];
    }
    return text;
}

}  // namespace

Result<void> checkJoined(const ClusterSpec& cluster, const ProfileStore& profiles) {
    Result<void> joined = checkNetwork(cluster);
    if (joined) {
        return joined;
    }
    const std::vector<std::string> names = networkedBoxesOf(cluster.node.gpu.name, profiles);
    if (!names.empty()) {
        joined.error().hint += ", or nodes that have one: " + choiceOf(names);
    }
    return joined;
}

}  // namespace fabricast
