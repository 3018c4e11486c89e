#include "planner/base/quantity_text.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 22> kGpuKeys = {
    "schema",          "name",          "aliases",          "title",       "vendor",
    "family",          "architecture",  "form_factor",      "memory_kind", "memory",
    "reported_memory", "usable_memory", "memory_bandwidth", "l2_cache",    "multiprocessors",
    "boost_clock",     "power",         "dense_peak",       "link",        "pcie",
    "measured_matmul", "notes"};
constexpr std::array<std::string_view, 6> kDtypes = {"fp32", "tf32", "bf16", "fp16", "fp8", "fp4"};
constexpr std::array<std::string_view, 5> kFormFactors = {
    "sxm", "pcie", "oam", "superchip", "workstation"};
constexpr std::array<std::string_view, 5> kLinkKeys = {
    "kind", "fabric", "links", "reach", "bandwidth"};
constexpr std::array<std::string_view, 5> kLinkKinds = {
    "none", "nvlink", "nvlink-bridge", "xgmi", "ethernet"};
constexpr std::array<std::string_view, 4> kLinkReaches = {"all", "mesh", "group", "pair"};
constexpr std::array<std::string_view, 4> kGpuPcieKeys = {
    "generation", "lanes", "bandwidth", "peer_to_peer"};
constexpr std::int64_t kMostLinks = 1024;

Result<void> readIdentity(const JsonValue& root, GpuSpec& gpu) {
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "gpu"));
    gpu.name = header.name;
    gpu.title = header.title;
    FABRICAST_ASSIGN(gpu.vendor, requireText(root, "vendor"));
    FABRICAST_ASSIGN(gpu.family, root.textOr("family", ""));
    FABRICAST_ASSIGN(gpu.architecture, requireText(root, "architecture"));
    FABRICAST_ASSIGN(gpu.formFactor, readWordOr(root, "form_factor", "", kFormFactors));
    FABRICAST_ASSIGN(gpu.memoryKind, root.textOr("memory_kind", ""));
    FABRICAST_ASSIGN(gpu.notes, root.textOr("notes", ""));
    return {};
}

/// A petabyte: a GPU with more was mistyped.
constexpr Bytes kMostGpuMemory(1'000'000'000'000'000);

Result<void> checkMemory(const JsonValue& root, const char* key, const Sourced<Bytes>& memory) {
    return !memory.value || *memory.value <= kMostGpuMemory
               ? Result<void>()
               : tl::unexpected(
                     root.find(key)->problem("is out of range", "for example \"80 GB\""));
}

Result<void> readNumbers(const JsonValue& root, GpuSpec& gpu) {
    FABRICAST_ASSIGN(gpu.memory, requireSourced<Bytes>(root, "memory"));
    FABRICAST_ASSIGN(gpu.reportedMemory, readSourcedOr<Bytes>(root, "reported_memory"));
    FABRICAST_ASSIGN(gpu.usableMemory, readSourcedOr<Bytes>(root, "usable_memory"));
    FABRICAST_ASSIGN(gpu.memoryBandwidth, requireSourced<BytesPerSecond>(root, "memory_bandwidth"));
    FABRICAST_ASSIGN(gpu.l2Cache, readSourcedOr<Bytes>(root, "l2_cache"));
    FABRICAST_ASSIGN(gpu.multiprocessors, readSourcedOr<std::int64_t>(root, "multiprocessors"));
    FABRICAST_ASSIGN(gpu.boostClock, readSourcedOr<Hertz>(root, "boost_clock"));
    FABRICAST_ASSIGN(gpu.power, readSourcedOr<Watts>(root, "power"));
    FABRICAST_TRY(checkMemory(root, "memory", gpu.memory));
    FABRICAST_TRY(checkMemory(root, "reported_memory", gpu.reportedMemory));
    FABRICAST_TRY(checkMemory(root, "usable_memory", gpu.usableMemory));
    for (const auto& [key, part] : {std::pair("reported_memory", &gpu.reportedMemory),
                                    std::pair("usable_memory", &gpu.usableMemory)}) {
        const auto sizeOf = [](const Sourced<Bytes>& memory) {
            return static_cast<double>(memory.value.value_or(Bytes()).count());
        };
        if (gpu.memory.value && sizeOf(*part) > kBinaryOverDecimal * sizeOf(gpu.memory)) {
            return tl::unexpected(root.find(key)->problem(
                "(" + shortText(*part->value) + ") is more than \"memory\" (" +
                    shortText(*gpu.memory.value, UnitStyle::Decimal) + ")",
                "what a program may use of it"));
        }
    }
    if (gpu.multiprocessors.value == 0) {
        return tl::unexpected(root.find("multiprocessors")->problem("must be 1 or more"));
    }
    if (!gpu.memory.value) {
        return tl::unexpected(root.find("memory")->problem(
            "must be known", "every GPU is sold by its memory: write \"80 GB\""));
    }
    return {};
}

Result<void> readPeaks(const JsonValue& root, GpuSpec& gpu) {
    FABRICAST_ASSIGN(const JsonValue* const peaks, root.require("dense_peak"));
    FABRICAST_TRY(peaks->onlyKeys(kDtypes));
    for (const JsonValue& peak : peaks->members()) {
        FABRICAST_ASSIGN(gpu.densePeak[peak.name()], readSourced<FlopsPerSecond>(peak));
    }
    return {};
}

Result<void> readLink(const JsonValue& root, GpuSpec& gpu) {
    FABRICAST_ASSIGN(const JsonValue* const link, root.require("link"));
    FABRICAST_TRY(link->onlyKeys(kLinkKeys));
    FABRICAST_ASSIGN(const JsonValue* const kind, link->require("kind"));
    FABRICAST_ASSIGN(gpu.linkKind, readWord(*kind, kLinkKinds));
    FABRICAST_ASSIGN(gpu.linkFabric, link->textOr("fabric", ""));
    FABRICAST_ASSIGN(gpu.links, link->integerOr("links", 0, {0, kMostLinks}));
    FABRICAST_ASSIGN(gpu.linkReach, readWordOr(*link, "reach", "", kLinkReaches));
    FABRICAST_ASSIGN(gpu.linkBandwidth, readSourcedOr<BytesPerSecond>(*link, "bandwidth"));
    if (gpu.linkKind == "none" && gpu.linkBandwidth.value) {
        return tl::unexpected(link->problem("has a bandwidth but \"kind\" is no link"));
    }
    return {};
}

Result<void> readGpuPcie(const JsonValue& root, GpuSpec& gpu) {
    FABRICAST_ASSIGN(const JsonValue* const pcie, root.require("pcie"));
    FABRICAST_TRY(pcie->onlyKeys(kGpuPcieKeys));
    FABRICAST_ASSIGN(const JsonValue* const generation, pcie->require("generation"));
    FABRICAST_ASSIGN(gpu.pcieGeneration, generation->integer({1, 7}));
    FABRICAST_ASSIGN(const JsonValue* const lanes, pcie->require("lanes"));
    FABRICAST_ASSIGN(gpu.pcieLanes, lanes->integer({1, 16}));
    FABRICAST_ASSIGN(gpu.pcieBandwidth, requireSourced<BytesPerSecond>(*pcie, "bandwidth"));
    FABRICAST_ASSIGN(gpu.peerToPeer, readSourcedOr<bool>(*pcie, "peer_to_peer"));
    return {};
}

Result<MeasuredRate> readMeasuredRate(const JsonValue& item) {
    std::vector<std::string_view> keys(sourcedKeys().begin(), sourcedKeys().end());
    keys.emplace_back("dtype");
    FABRICAST_TRY(item.onlyKeys(keys));
    MeasuredRate measured;
    FABRICAST_ASSIGN(const JsonValue* const dtype, item.require("dtype"));
    FABRICAST_ASSIGN(measured.dtype, readWord(*dtype, kDtypes));
    FABRICAST_ASSIGN(measured.rate, readSourcedParts<FlopsPerSecond>(item));
    return measured;
}

Result<void> readMeasured(const JsonValue& root, GpuSpec& gpu) {
    const JsonValue* list = root.find("measured_matmul");
    if (list == nullptr) {
        return {};
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(MeasuredRate measured, readMeasuredRate(item));
        gpu.measuredMatmul.push_back(std::move(measured));
    }
    return {};
}

}  // namespace

Result<GpuSpec> readGpuProfile(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kGpuKeys));
    GpuSpec gpu;
    FABRICAST_TRY(readIdentity(root, gpu));
    FABRICAST_TRY(readNumbers(root, gpu));
    FABRICAST_TRY(readPeaks(root, gpu));
    FABRICAST_TRY(readLink(root, gpu));
    FABRICAST_TRY(readGpuPcie(root, gpu));
    FABRICAST_TRY(readMeasured(root, gpu));
    return gpu;
}

}  // namespace fabricast
