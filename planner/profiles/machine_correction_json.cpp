#include "planner/profiles/machine_correction_json.h"

#include "planner/profiles/profile_store.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/json_numbers.h"
#include "planner/text/json_text.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 11> kCorrectionKeys = {"schema",
                                                              "name",
                                                              "title",
                                                              "aliases",
                                                              "source",
                                                              "from",
                                                              "gpu",
                                                              "clock",
                                                              "network",
                                                              "runs",
                                                              "median_error"};
constexpr std::array<std::string_view, 2> kErrorKeys = {"before", "after"};
constexpr std::int64_t kMostCorrectedRuns = 1'000'000;
constexpr double kMostError = 1e6;

}  // namespace

Result<MachineCorrection> readMachineCorrection(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kCorrectionKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "correction"));
    MachineCorrection correction;
    correction.title = header.title;
    FABRICAST_ASSIGN(correction.from, requireText(root, "from"));
    FABRICAST_ASSIGN(correction.gpu, requireText(root, "gpu"));
    FABRICAST_ASSIGN(correction.clock,
                     requireNumber(root, "clock", {kLeastCorrection, kMostCorrection}));
    FABRICAST_ASSIGN(correction.network,
                     requireNumber(root, "network", {kLeastCorrection, kMostCorrection}));
    FABRICAST_ASSIGN(const JsonValue* const runs, root.require("runs"));
    FABRICAST_ASSIGN(correction.runs, runs->integer({1, kMostCorrectedRuns}));
    FABRICAST_ASSIGN(const JsonValue* const error, root.require("median_error"));
    FABRICAST_TRY(error->onlyKeys(kErrorKeys));
    FABRICAST_ASSIGN(correction.errorBefore, requireNumber(*error, "before", {0.0, kMostError}));
    FABRICAST_ASSIGN(correction.errorAfter, requireNumber(*error, "after", {0.0, kMostError}));
    return correction;
}

std::string machineCorrectionJson(const MachineCorrection& correction, const std::string& name) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.correction/1");
    json.add("name", name);
    json.add("title", correction.title);
    json.add("source", "fitted");
    json.add("from", correction.from);
    json.add("gpu", correction.gpu);
    json.add("clock", fourDigits(correction.clock));
    json.add("network", fourDigits(correction.network));
    json.add("runs", correction.runs);
    json.beginObject("median_error");
    json.add("before", fourDigits(correction.errorBefore));
    json.add("after", fourDigits(correction.errorAfter));
    json.end();
    json.end();
    return std::move(json).finish();
}

Result<MachineCorrection> ProfileStore::correction(std::string_view name,
                                                   std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Correction, name, where));
    return parsed(file, [&](const JsonValue& root) -> Result<MachineCorrection> {
        FABRICAST_ASSIGN(MachineCorrection correction, readMachineCorrection(root));
        FABRICAST_ASSIGN(const ProfileFile gpu,
                         find(ProfileKind::Gpu, correction.gpu, file.source + ", key gpu"));
        correction.gpu = gpu.name;
        return correction;
    });
}

Result<MachineCorrection> ProfileStore::correctionOf(std::string_view gpu) const {
    MachineCorrection none;
    for (const ProfileFile& file : files(ProfileKind::Correction)) {
        FABRICAST_ASSIGN(MachineCorrection correction, this->correction(file.name));
        if (correction.gpu == gpu) {
            return correction;
        }
    }
    return none;
}

}  // namespace fabricast
