#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/mpi_points.h"

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
    std::string_view words{};  ///< that it may be, with spaces between them; empty: any
};

using Takes = MpiSetting::Takes;

constexpr std::string_view kMemoryOps = "copy norm swiglu softmax cross_entropy add";

constexpr std::array kCollectiveSettings = {MpiSetting{"bytes", Takes::NeededNumber},
                                            MpiSetting{"ranks"},
                                            MpiSetting{"stride"},
                                            MpiSetting{"nodes"},
                                            MpiSetting{"algorithm", Takes::Word, "ring library"},
                                            MpiSetting{"dtype", Takes::Word}};
constexpr std::array kGemmSettings = {MpiSetting{"m", Takes::NeededNumber},
                                      MpiSetting{"n", Takes::NeededNumber},
                                      MpiSetting{"k", Takes::NeededNumber},
                                      MpiSetting{"ranks"},
                                      MpiSetting{"stride"},
                                      MpiSetting{"nodes"},
                                      MpiSetting{"layout", Takes::Word, "tn nn nt"},
                                      MpiSetting{"dtype", Takes::Word}};
constexpr std::array kMemorySettings = {MpiSetting{"op", Takes::Word, kMemoryOps},
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
                                           MpiSetting{"pass", Takes::Word, "forward backward"},
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
                                      MpiSetting{"stack", Takes::Word, "ddp fsdp2"}};

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

bool isOneOf(std::string_view word, std::string_view words) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word) {
            return true;
        }
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

Done checkMpiSetting(const Point& point, const MpiSetting& setting) {
    const std::string name(setting.name);
    if (const auto said = point.settings.find(name); said != point.settings.end() &&
                                                     !setting.words.empty() &&
                                                     !isOneOf(said->second, setting.words)) {
        std::string why = name + "='" + said->second + "' is none of ";
        return Trouble{why.append(setting.words)};
    }
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
    const std::string fault = point.what == "memory" ? memoryFault(point) : "";
    return fault.empty() ? Done(std::monostate()) : Trouble{fault};
}

}  // namespace fabricast::probe
