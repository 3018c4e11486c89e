#include "planner/base/quantity_text.h"
#include "planner/profiles/fit_numbers.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_kernels.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 15> kFittedKeys = {"schema",
                                                          "name",
                                                          "title",
                                                          "donor_for",
                                                          "multiprocessors",
                                                          "memory_bandwidth",
                                                          "tiles",
                                                          "layout",
                                                          "sustained",
                                                          "gemm",
                                                          "attention",
                                                          "backward",
                                                          "grouped",
                                                          "memory",
                                                          "notes"};
constexpr std::array<std::string_view, 10> kBorrowedKeys = {"schema",
                                                            "name",
                                                            "title",
                                                            "donor",
                                                            "rate",
                                                            "multiprocessors",
                                                            "time_scale",
                                                            "extra_error",
                                                            "sustained",
                                                            "notes"};
constexpr std::array<std::string_view, 5> kLayoutKeys = {
    "input_gradient", "weight_gradient", "source", "from", "note"};
constexpr std::array<std::string_view, 5> kSustainedKeys = {
    "factor", "least", "source", "from", "note"};
constexpr std::int64_t kMostMultiprocessors = 100'000;
constexpr std::int64_t kLargestTile = 4096;
constexpr std::size_t kMostTiles = 64;

Result<std::vector<Tile>> readTiles(const JsonValue& root) {
    FABRICAST_ASSIGN(const JsonValue* const list, root.require("tiles"));
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    if (list->items().empty() || list->items().size() > kMostTiles) {
        return tl::unexpected(list->problem("must have from 1 to " + std::to_string(kMostTiles) +
                                            " tiles, such as [128, 256]"));
    }
    std::vector<Tile> tiles;
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(const auto pair, requirePair(item));
        FABRICAST_ASSIGN(const std::int64_t rows, pair.first->integer({1, kLargestTile}));
        FABRICAST_ASSIGN(const std::int64_t columns, pair.second->integer({1, kLargestTile}));
        tiles.push_back({static_cast<double>(rows), static_cast<double>(columns)});
    }
    return tiles;
}

Result<void> readLayout(const JsonValue& root, KernelProfile& kernels) {
    constexpr double kMost = 10;
    FABRICAST_ASSIGN(const JsonValue* const layout, root.require("layout"));
    FABRICAST_TRY(layout->onlyKeys(kLayoutKeys));
    FABRICAST_ASSIGN(kernels.inputGradientFactor,
                     requireNumber(*layout, "input_gradient", 0.1, kMost));
    FABRICAST_ASSIGN(kernels.weightGradientFactor,
                     requireNumber(*layout, "weight_gradient", 0.1, kMost));
    FABRICAST_TRY(readSectionSource(*layout));
    return {};
}

Result<SustainedRate> readSustained(const JsonValue& section) {
    FABRICAST_TRY(section.onlyKeys(kSustainedKeys));
    SustainedRate rate;
    FABRICAST_ASSIGN(rate.factor, requireNumber(section, "factor", 1e-2, 2));
    FABRICAST_ASSIGN(rate.least, requireNumber(section, "least", 1e-2, 2));
    FABRICAST_ASSIGN(rate.source, readSectionSource(section));
    return rate;
}

Result<void> readDonorFor(const JsonValue& root, KernelFile& file) {
    const JsonValue* list = root.find("donor_for");
    if (list == nullptr) {
        return {};
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : list->items()) {
        FABRICAST_ASSIGN(std::string architecture, item.text());
        file.donorFor.push_back(std::move(architecture));
    }
    return {};
}

Result<BorrowedRates> readBorrowedRates(const JsonValue& root) {
    BorrowedRates rates;
    FABRICAST_ASSIGN(rates.rate, readSourcedOr<FlopsPerSecond>(root, "rate"));
    FABRICAST_ASSIGN(rates.multiprocessors, readSourcedOr<std::int64_t>(root, "multiprocessors"));
    FABRICAST_ASSIGN(rates.timeScale, readSourcedOr<double>(root, "time_scale"));
    FABRICAST_ASSIGN(rates.extraError, requireSourced<double>(root, "extra_error"));
    if (rates.multiprocessors.value == 0) {
        return tl::unexpected(root.find("multiprocessors")->problem("must be 1 or more"));
    }
    if (const double scale = rates.timeScale.value.value_or(1.0); scale < 1e-2 || scale > 1e2) {
        return tl::unexpected(root.find("time_scale")->problem("must be from 0.01 to 100"));
    }
    if (const JsonValue* sustained = root.find("sustained")) {
        FABRICAST_ASSIGN(rates.sustained, readSustained(*sustained));
    }
    return rates;
}

}  // namespace

Result<Source> readSectionSource(const JsonValue& section) {
    FABRICAST_ASSIGN(const JsonValue* const source, section.require("source"));
    FABRICAST_ASSIGN(const Source kind, readSource(*source));
    FABRICAST_TRY(section.textOr("from", ""));
    FABRICAST_TRY(section.textOr("note", ""));
    FABRICAST_TRY(section.integerOr("rows", 0, {0, 1'000'000'000}));
    return kind;
}

Result<KernelProfile> readKernelFit(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kFittedKeys));
    KernelProfile kernels;
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "kernel"));
    kernels.name = header.name;
    FABRICAST_ASSIGN(const JsonValue* const count, root.require("multiprocessors"));
    FABRICAST_ASSIGN(kernels.multiprocessors, count->integer({1, kMostMultiprocessors}));
    FABRICAST_ASSIGN(const JsonValue* const bandwidth, root.require("memory_bandwidth"));
    FABRICAST_ASSIGN(const std::string text, bandwidth->text());
    FABRICAST_ASSIGN(kernels.memoryBandwidth,
                     parseQuantity<BytesPerSecond>(text, bandwidth->where()));
    if (!(kernels.memoryBandwidth.count() > 1)) {
        return tl::unexpected(bandwidth->problem("is out of range at " + bandwidth->shown()));
    }
    FABRICAST_ASSIGN(kernels.tiles, readTiles(root));
    FABRICAST_TRY(readLayout(root, kernels));
    FABRICAST_ASSIGN(const JsonValue* const sustained, root.require("sustained"));
    FABRICAST_ASSIGN(kernels.sustained, readSustained(*sustained));
    FABRICAST_TRY(readGemmFits(root, kernels));
    FABRICAST_TRY(readAttentionFits(root, kernels));
    FABRICAST_TRY(readBackwardRatios(root, kernels));
    FABRICAST_TRY(readGroupedFit(root, kernels));
    FABRICAST_TRY(readMemoryFits(root, kernels));
    return kernels;
}

Result<KernelFile> readKernelFile(const JsonValue& root) {
    KernelFile file;
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "kernel"));
    file.name = header.name;
    file.title = header.title;
    FABRICAST_ASSIGN(file.donor, readReferenceOr(root, "donor"));
    if (!file.donor) {
        FABRICAST_TRY(readDonorFor(root, file));
        FABRICAST_ASSIGN(file.fitted, readKernelFit(root));
        return file;
    }
    FABRICAST_TRY(root.onlyKeys(kBorrowedKeys));
    FABRICAST_ASSIGN(file.rates, readBorrowedRates(root));
    return file;
}

}  // namespace fabricast
