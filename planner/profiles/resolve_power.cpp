#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace fabricast {

/// A node whose power is not published takes, for each GPU, what a node with the same GPU is rated
/// at: of several that whose number of GPUs is nearest, and of equals the first by name. So a box
/// needs the same power however it is called.
NodeSpec ProfileStore::withPower(NodeSpec node) const {
    if (node.power.value) {
        return node;
    }
    std::optional<NodeSpec> nearest;
    for (const ProfileFile& file : files(ProfileKind::Node)) {
        // A file that cannot be read has its error where somebody asks for it.
        const auto other =
            parsed(file, [](const JsonValue& root) { return readNodeProfile(root); });
        if (!other || !other->node.power.value || other->node.gpus < 1) {
            continue;
        }
        const auto gpu = lookUp(ProfileKind::Gpu, other->gpu.name);
        if (!gpu || *gpu == nullptr || (*gpu)->name != node.gpu.name) {
            continue;
        }
        const auto distance = [&node](const NodeSpec& one) {
            return std::abs(one.gpus - node.gpus);
        };
        if (!nearest || distance(other->node) < distance(*nearest)) {
            nearest = other->node;
        }
    }
    if (nearest) {
        const double share = static_cast<double>(node.gpus) / static_cast<double>(nearest->gpus);
        node.power = nearest->power;
        node.power.value = *node.power.value * share;
        node.powerLike = nearest->name;
    }
    return node;
}

}  // namespace fabricast
