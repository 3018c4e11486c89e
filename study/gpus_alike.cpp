#include "study/oom_guesses.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {

std::vector<std::string> gpusAlike(Bytes memory, const Workbench& bench) {
    constexpr double kOtherDriver = 0.005;
    constexpr std::size_t kMostNamed = 8;
    std::vector<std::pair<double, std::string>> near;
    for (const ProfileFile& file : bench.profiles().files(ProfileKind::Gpu)) {
        const Result<GpuSpec> gpu = bench.profiles().gpu(file.name);
        const std::optional<Bytes> has = gpu ? gpu->capacity().value : std::nullopt;
        const double apart = has && *has > Bytes() ? std::abs(memory / *has - 1.0) : 1.0;
        if (apart <= kOtherDriver) {
            near.emplace_back(apart, file.name);
        }
    }
    std::ranges::sort(near);
    std::vector<std::string> names;
    for (const auto& [apart, name] : near) {
        if (names.size() < kMostNamed) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace fabricast
