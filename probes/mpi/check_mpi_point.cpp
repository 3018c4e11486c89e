#include "probes/mpi/check_mpi_point.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace fabricast::probe {

namespace {

struct MpiSetting {
    std::string_view name;
    enum class Takes { Word, Number, NeededNumber } takes = Takes::Number;
};

using Takes = MpiSetting::Takes;

constexpr std::array kCollectiveSettings = {MpiSetting{"bytes", Takes::NeededNumber},
                                            MpiSetting{"ranks"},
                                            MpiSetting{"stride"},
                                            MpiSetting{"nodes"},
                                            MpiSetting{"algorithm", Takes::Word},
                                            MpiSetting{"dtype", Takes::Word}};
constexpr std::array kGemmSettings = {MpiSetting{"m", Takes::NeededNumber},
                                      MpiSetting{"n", Takes::NeededNumber},
                                      MpiSetting{"k", Takes::NeededNumber},
                                      MpiSetting{"ranks"},
                                      MpiSetting{"stride"},
                                      MpiSetting{"nodes"},
                                      MpiSetting{"layout", Takes::Word},
                                      MpiSetting{"dtype", Takes::Word}};
constexpr std::array kMemorySettings = {MpiSetting{"op", Takes::Word},
                                        MpiSetting{"bytes"},
                                        MpiSetting{"rows"},
                                        MpiSetting{"columns"},
                                        MpiSetting{"ranks"},
                                        MpiSetting{"stride"},
                                        MpiSetting{"nodes"}};
constexpr std::array kAdamSettings = {MpiSetting{"parameters", Takes::NeededNumber},
                                      MpiSetting{"form", Takes::Word},
                                      MpiSetting{"ranks"},
                                      MpiSetting{"stride"},
                                      MpiSetting{"nodes"}};
constexpr std::array kAttentionSettings = {MpiSetting{"batch", Takes::NeededNumber},
                                           MpiSetting{"heads", Takes::NeededNumber},
                                           MpiSetting{"sequence", Takes::NeededNumber},
                                           MpiSetting{"kv_heads"},
                                           MpiSetting{"dim"},
                                           MpiSetting{"ranks"},
                                           MpiSetting{"stride"},
                                           MpiSetting{"nodes"},
                                           MpiSetting{"pass", Takes::Word},
                                           MpiSetting{"dtype", Takes::Word},
                                           MpiSetting{"causal", Takes::Word}};
constexpr std::array kOverlapSettings = {MpiSetting{"m", Takes::NeededNumber},
                                         MpiSetting{"n", Takes::NeededNumber},
                                         MpiSetting{"k", Takes::NeededNumber},
                                         MpiSetting{"bytes", Takes::NeededNumber},
                                         MpiSetting{"ranks"},
                                         MpiSetting{"stride"},
                                         MpiSetting{"nodes"},
                                         MpiSetting{"dtype", Takes::Word}};
constexpr std::array kStepSettings = {MpiSetting{"layers", Takes::NeededNumber},
                                      MpiSetting{"hidden", Takes::NeededNumber},
                                      MpiSetting{"ffn", Takes::NeededNumber},
                                      MpiSetting{"vocab", Takes::NeededNumber},
                                      MpiSetting{"sequence", Takes::NeededNumber},
                                      MpiSetting{"batch", Takes::NeededNumber},
                                      MpiSetting{"ranks"},
                                      MpiSetting{"stride"},
                                      MpiSetting{"nodes"},
                                      MpiSetting{"stack", Takes::Word}};

struct MpiPointKind {
    std::string_view what;
    std::span<const MpiSetting> settings;
};

constexpr std::array kMpiPointKinds = {MpiPointKind{"all_reduce", kCollectiveSettings},
                                       MpiPointKind{"all_gather", kCollectiveSettings},
                                       MpiPointKind{"reduce_scatter", kCollectiveSettings},
                                       MpiPointKind{"all_to_all", kCollectiveSettings},
                                       MpiPointKind{"broadcast", kCollectiveSettings},
                                       MpiPointKind{"send_recv", kCollectiveSettings},
                                       MpiPointKind{"gemm", kGemmSettings},
                                       MpiPointKind{"attention", kAttentionSettings},
                                       MpiPointKind{"memory", kMemorySettings},
                                       MpiPointKind{"adam", kAdamSettings},
                                       MpiPointKind{"overlap", kOverlapSettings},
                                       MpiPointKind{"step", kStepSettings}};

template <class Each>
std::string namesIn(std::span<const Each> all, std::string_view Each::*name) {
    std::string text;
    for (const Each& each : all) {
        text += (text.empty() ? "" : ", ") + std::string(each.*name);
    }
    return text;
}

Done checkMpiSetting(const Point& point, const MpiSetting& setting) {
    const std::string name(setting.name);
    const bool given = point.settings.contains(name);
    if (setting.takes == Takes::Word || (!given && setting.takes != Takes::NeededNumber)) {
        return std::monostate();
    }
    const Answer<std::int64_t> number = wholeOf(point, name, 1);
    return number ? Done(std::monostate()) : Done(number.trouble());
}

}  // namespace

Done checkMpiPoint(const Point& point) {
    const auto kind = std::ranges::find(kMpiPointKinds, point.what, &MpiPointKind::what);
    if (kind == kMpiPointKinds.end()) {
        return Trouble{"is not measured over MPI; what is: " +
                       namesIn(std::span<const MpiPointKind>(kMpiPointKinds), &MpiPointKind::what)};
    }
    for (const auto& [name, value] : point.settings) {
        if (std::ranges::find(kind->settings, name, &MpiSetting::name) == kind->settings.end()) {
            return Trouble{"'" + name + "' is no setting of " + point.what + "; it has " +
                           namesIn(kind->settings, &MpiSetting::name)};
        }
    }
    for (const MpiSetting& setting : kind->settings) {
        if (Done sound = checkMpiSetting(point, setting); !sound) {
            return sound;
        }
    }
    return std::monostate();
}

}  // namespace fabricast::probe
