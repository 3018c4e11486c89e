#include "planner/io/read_software.h"

#include "planner/io/json_numbers.h"
#include "planner/io/profile_words.h"
#include "planner/io/read_profile.h"

#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 11> kKeys = {"schema",
                                                    "name",
                                                    "aliases",
                                                    "title",
                                                    "host_us",
                                                    "tensor_exposed",
                                                    "contention",
                                                    "source",
                                                    "from",
                                                    "note",
                                                    "notes"};
constexpr std::array<std::string_view, 6> kHostKeys = {
    "forward_launch", "backward_launch", "collective", "unit", "micro_batch", "step"};
constexpr double kMostMicroseconds = 1e9;
constexpr double kMicro = 1e-6;

}  // namespace

Result<SoftwareTiming> readSoftware(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "software"));
    SoftwareTiming software;
    software.name = header.name;
    software.title = header.title;
    FABRICAST_ASSIGN(const JsonValue* const host, root.require("host_us"));
    FABRICAST_TRY(host->onlyKeys(kHostKeys));
    const std::pair<std::string_view, Seconds*> times[] = {
        {"forward_launch", &software.forwardLaunch},
        {"backward_launch", &software.backwardLaunch},
        {"collective", &software.collective},
        {"unit", &software.unit},
        {"micro_batch", &software.microBatch},
        {"step", &software.step}};
    for (const auto& [key, member] : times) {
        FABRICAST_ASSIGN(const double value, requireNumber(*host, key, {0.0, kMostMicroseconds}));
        *member = Seconds(value * kMicro);
    }
    FABRICAST_ASSIGN(software.tensorExposed, requireNumber(root, "tensor_exposed", {0.0, 1.0}));
    FABRICAST_ASSIGN(software.contention, requireNumber(root, "contention", {0.0, 1.0}));
    return software;
}

}  // namespace fabricast
