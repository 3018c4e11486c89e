#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 9> kSiteKeys = {
    "schema", "name", "aliases", "title", "extends", "reliability", "storage", "power", "notes"};
constexpr std::array<std::string_view, 6> kReliabilityKeys = {
    "gpu_mtbf", "detection", "restart", "one_host_share", "hardware_share", "repair"};
constexpr std::array<std::string_view, 2> kStorageKeys = {"per_gpu", "snapshot_share"};
constexpr std::array<std::string_view, 4> kPowerKeys = {
    "training_share", "node_over_gpus", "gpu_swing", "pue"};

/// The bounds of a bare number.
struct PlainRange {
    double least = 0.0;
    double most = 1.0;
};
constexpr PlainRange kSiteShare{0.0, 1.0};
constexpr PlainRange kRatio{1.0, 100.0};

template <class T>
Result<void> replace(const JsonValue& object, std::string_view key, Sourced<T>& number) {
    if (object.find(key) == nullptr) {
        return {};
    }
    FABRICAST_ASSIGN(number, readSourcedOr<T>(object, key));
    return {};
}

Result<void> replaceIn(const JsonValue& object,
                       std::string_view key,
                       Sourced<double>& number,
                       PlainRange range) {
    FABRICAST_TRY(replace(object, key, number));
    const double value = number.value.value_or(range.least);
    const double lo = number.lo.value_or(value);
    const double hi = number.hi.value_or(value);
    if (object.find(key) != nullptr && (lo < range.least || hi > range.most)) {
        const auto whole = [](double bound) { return std::to_string(static_cast<int>(bound)); };
        return tl::unexpected(object.find(key)->problem("is not between " + whole(range.least) +
                                                        " and " + whole(range.most)));
    }
    return {};
}

/// The member `key`, with no other keys than these; nullptr where it is absent.
Result<const JsonValue*> part(const JsonValue& root,
                              std::string_view key,
                              std::span<const std::string_view> keys) {
    const JsonValue* value = root.find(key);
    if (value != nullptr) {
        FABRICAST_TRY(value->expect(JsonValue::Kind::Object));
        FABRICAST_TRY(value->onlyKeys(keys));
    }
    return value;
}

Result<void> readReliability(const JsonValue& root, Reliability& reliability) {
    FABRICAST_ASSIGN(const JsonValue* const value, part(root, "reliability", kReliabilityKeys));
    if (value == nullptr) {
        return {};
    }
    FABRICAST_TRY(replace(*value, "gpu_mtbf", reliability.gpuMtbf));
    FABRICAST_TRY(replace(*value, "detection", reliability.detection));
    FABRICAST_TRY(replace(*value, "restart", reliability.restart));
    FABRICAST_TRY(replace(*value, "repair", reliability.repair));
    FABRICAST_TRY(replaceIn(*value, "hardware_share", reliability.hardwareShare, kSiteShare));
    return replaceIn(*value, "one_host_share", reliability.oneHostShare, kSiteShare);
}

Result<void> readStorage(const JsonValue& root, CheckpointStorage& storage) {
    FABRICAST_ASSIGN(const JsonValue* const value, part(root, "storage", kStorageKeys));
    if (value == nullptr) {
        return {};
    }
    FABRICAST_TRY(replace(*value, "per_gpu", storage.perGpu));
    return replaceIn(*value, "snapshot_share", storage.snapshotShare, kSiteShare);
}

Result<void> readPower(const JsonValue& root, PowerFacts& power) {
    FABRICAST_ASSIGN(const JsonValue* const value, part(root, "power", kPowerKeys));
    if (value == nullptr) {
        return {};
    }
    FABRICAST_TRY(replaceIn(*value, "training_share", power.trainingShare, kSiteShare));
    FABRICAST_TRY(replaceIn(*value, "node_over_gpus", power.nodeOverGpus, kRatio));
    FABRICAST_TRY(replaceIn(*value, "gpu_swing", power.gpuSwing, kSiteShare));
    return replaceIn(*value, "pue", power.pue, kRatio);
}

/// Whatever a cost is made of has to be known, here or in what the file extends.
Result<void> checkSiteComplete(const JsonValue& root, const SiteProfile& site) {
    const auto numbers = std::to_array<std::pair<std::string_view, bool>>(
        {{"reliability.gpu_mtbf", site.reliability.gpuMtbf.value.has_value()},
         {"reliability.detection", site.reliability.detection.value.has_value()},
         {"reliability.restart", site.reliability.restart.value.has_value()},
         {"reliability.one_host_share", site.reliability.oneHostShare.value.has_value()},
         {"reliability.hardware_share", site.reliability.hardwareShare.value.has_value()},
         {"reliability.repair", site.reliability.repair.value.has_value()},
         {"storage.per_gpu", site.storage.perGpu.value.has_value()},
         {"storage.snapshot_share", site.storage.snapshotShare.value.has_value()},
         {"power.training_share", site.power.trainingShare.value.has_value()},
         {"power.node_over_gpus", site.power.nodeOverGpus.value.has_value()},
         {"power.gpu_swing", site.power.gpuSwing.value.has_value()},
         {"power.pue", site.power.pue.value.has_value()}});
    for (const auto& [key, isKnown] : numbers) {
        if (!isKnown) {
            return tl::unexpected(root.problem("has no \"" + std::string(key) + "\"",
                                               R"(add it, or "extends": "typical")"));
        }
    }
    return {};
}

}  // namespace

Result<SiteProfile> readSite(const JsonValue& root, SiteProfile base) {
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(root.onlyKeys(kSiteKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "site"));
    base.name = header.name;
    base.title = header.title;
    FABRICAST_TRY(readReliability(root, base.reliability));
    FABRICAST_TRY(readStorage(root, base.storage));
    FABRICAST_TRY(readPower(root, base.power));
    FABRICAST_ASSIGN(base.notes, root.textOr("notes", base.notes));
    FABRICAST_TRY(checkSiteComplete(root, base));
    return base;
}

}  // namespace fabricast
