#pragma once
#include "simulator/network/fair_share.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fabricast {

/// Bytes by link and direction. Taking what was added costs by the links that were added to, not
/// by all that a cluster has.
///     sums.add(resource, 0.5); … = sums.take();
class LinkSums {
public:
    explicit LinkSums(std::size_t resources) : sums_(resources) {}

    void add(std::size_t resource, double bytes) {
        double& sum = sums_[resource];
        if (sum == 0.0) {
            touched_.push_back(static_cast<ResourceIndex>(resource));
        }
        sum += bytes;
    }

    /// What is above zero, in order of the links; the sums begin anew.
    std::vector<ResourceUse> take() {
        std::ranges::sort(touched_);
        std::vector<ResourceUse> taken;
        for (const ResourceIndex resource : std::exchange(touched_, {})) {
            // A link that nothing was added to, then something, was noted twice.
            if (const double sum = std::exchange(sums_[resource], 0.0); sum > 0.0) {
                taken.push_back({resource, sum});
            }
        }
        return taken;
    }

private:
    std::vector<double> sums_;
    std::vector<ResourceIndex> touched_;
};

}  // namespace fabricast
