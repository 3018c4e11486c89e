#include "planner/evidence/host_evidence.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/text/json_numbers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 16> kSoftwareKeys = {"schema",
                                                            "name",
                                                            "aliases",
                                                            "title",
                                                            "host_us",
                                                            "tensor_exposed",
                                                            "gradient_exposed",
                                                            "backward_hidden",
                                                            "ring_hidden",
                                                            "ring_exposed",
                                                            "copies",
                                                            "contention",
                                                            "source",
                                                            "from",
                                                            "note",
                                                            "notes"};
constexpr std::array<std::string_view, 4> kEngines = {"fsdp1", "fsdp2", "megatron_fsdp", "zero3"};
constexpr std::array<std::string_view, 2> kCopyKeys = {"gather", "reduce"};
constexpr double kMostCopies = 100.0;
constexpr double kMostHostMicroseconds = 1e9;
constexpr double kMicro = 1e-6;

Result<void> readCopies(const JsonValue& root, SoftwareTiming& software) {
    FABRICAST_ASSIGN(const JsonValue* const copies, root.require("copies"));
    FABRICAST_TRY(copies->onlyKeys(kEngines));
    ShardCopies* const engines[] = {
        &software.fsdp1, &software.fsdp2, &software.megatronFsdp, &software.zero3};
    for (std::size_t i = 0; i < kEngines.size(); ++i) {
        FABRICAST_ASSIGN(const JsonValue* const engine, copies->require(kEngines[i]));
        FABRICAST_TRY(engine->onlyKeys(kCopyKeys));
        FABRICAST_ASSIGN(engines[i]->gather, requireNumber(*engine, "gather", {0.0, kMostCopies}));
        FABRICAST_ASSIGN(engines[i]->reduce, requireNumber(*engine, "reduce", {0.0, kMostCopies}));
    }
    return {};
}

Result<void> readHostTimes(const JsonValue& root, SoftwareTiming& software) {
    FABRICAST_ASSIGN(const JsonValue* const host, root.require("host_us"));
    const auto times = hostTimesOf(software);
    std::array<std::string_view, std::tuple_size_v<decltype(hostTimesOf(software))>> keys{};
    std::ranges::transform(times, keys.begin(), &HostTime::key);
    FABRICAST_TRY(host->onlyKeys(keys));
    for (const HostTime& one : times) {
        if (one.isOptional && host->find(one.key) == nullptr) {
            continue;
        }
        FABRICAST_ASSIGN(const double value,
                         requireNumber(*host, one.key, {0.0, kMostHostMicroseconds}));
        *one.time = Seconds(value * kMicro);
    }
    return {};
}

Result<void> readSoftwareShares(const JsonValue& root, SoftwareTiming& software) {
    const std::pair<std::string_view, double*> shares[] = {
        {"tensor_exposed", &software.tensorExposed},
        {"backward_hidden", &software.backwardHidden},
        {"ring_hidden", &software.ringHidden},
        {"ring_exposed", &software.ringExposed},
        {"contention", &software.contention}};
    for (const auto& [key, member] : shares) {
        FABRICAST_ASSIGN(*member, requireNumber(root, key, {0.0, 1.0}));
    }
    software.gradientExposed = software.tensorExposed;
    if (root.find("gradient_exposed") != nullptr) {
        FABRICAST_ASSIGN(software.gradientExposed,
                         requireNumber(root, "gradient_exposed", {0.0, 1.0}));
    }
    return {};
}

}  // namespace

Result<SoftwareTiming> readSoftware(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kSoftwareKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "software"));
    SoftwareTiming software;
    software.name = header.name;
    software.title = header.title;
    FABRICAST_TRY(readHostTimes(root, software));
    FABRICAST_TRY(readSoftwareShares(root, software));
    FABRICAST_TRY(readCopies(root, software));
    return software;
}

}  // namespace fabricast
