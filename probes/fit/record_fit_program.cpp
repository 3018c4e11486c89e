#include "planner/profiles/read_profile.h"
#include "probes/fit/fit_record.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/older_profile.h"
#include "probes/record/utc_now.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kExample =
    "fabricast-fit record run.jsonl --name ours --machine dgx-h100 --out measured";

struct RecordArguments {
    std::vector<std::string> files;
    std::vector<std::string> folders;
    std::string out;
    RecordFitOptions options;
    bool replaces = false;
};

Result<RecordArguments> readRecordArguments(std::span<const std::string> arguments) {
    RecordArguments read;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string& flag = arguments[at];
        if (!flag.starts_with("--")) {
            read.files.push_back(flag);
            continue;
        }
        if (flag == "--force") {
            read.replaces = true;
            read.options.isForced = true;
            continue;
        }
        const std::array<std::pair<std::string_view, std::string*>, 4> texts = {
            {{"--name", &read.options.name},
             {"--gpu", &read.options.gpu},
             {"--machine", &read.options.machine},
             {"--out", &read.out}}};
        const auto* const text =
            std::ranges::find(texts, flag, &decltype(texts)::value_type::first);
        if (text == texts.end() && flag != "--profile-dir") {
            return fail(Error::Code::BadInput, flag, "is no flag of record", kExample);
        }
        if (++at == arguments.size()) {
            return fail(Error::Code::BadInput, flag, "needs a value", kExample);
        }
        if (text != texts.end()) {
            *text->second = arguments[at];
        } else {
            read.folders.push_back(arguments[at]);
        }
    }
    const char* const missing = read.files.empty()          ? "FILE.jsonl"
                                : read.options.name.empty() ? "--name"
                                : read.out.empty()          ? "--out"
                                                            : nullptr;
    if (missing != nullptr) {
        return fail(Error::Code::BadInput, missing, "is missing", kExample);
    }
    return read;
}

/// Nothing of what is there is lost unasked, as with calibrate.
Result<void> checkPlaces(const std::vector<ProfileText>& files, const RecordArguments& read) {
    for (const ProfileText& file : files) {
        Result<void> place =
            read.replaces
                ? checkProfilePlace(file.path, read.out)
                : checkOlderProfile(file, read.out, read.options.name, read.options.today);
        if (!place) {
            Error error = std::move(place).error();
            error.hint = read.replaces ? "--out and another folder"
                                       : "--force, which replaces it, or --out and another folder";
            return tl::unexpected(std::move(error));
        }
    }
    return {};
}

}  // namespace

Result<FitAnswer> runRecordFit(std::span<const std::string> arguments) {
    FABRICAST_ASSIGN(RecordArguments read, readRecordArguments(arguments));
    if (!isProfileName(read.options.name)) {
        const std::string like = nameLike(read.options.name);
        return fail(Error::Code::BadInput,
                    "--name",
                    "'" + read.options.name + "' is no name of a profile",
                    "--name " + (like.empty() ? "our-h100" : like));
    }
    FABRICAST_ASSIGN(const ProfileStore store, ProfileStore::open(read.folders));
    FABRICAST_ASSIGN(const MergedMeasurements record, readMeasurements(read.files));
    read.options.today = latestDay();
    read.options.now = latestTime();
    std::vector<std::string> folders = read.folders;
    folders.push_back(read.out);
    const Result<ProfileStore> earlier = ProfileStore::open(folders);
    const Result<ProfileStore> beneath = openBeneath(read.folders, read.out);
    read.options.beneath = beneath ? &*beneath : nullptr;
    FABRICAST_ASSIGN(const FittedRecord fitted,
                     fitRecord(earlier && !read.replaces ? *earlier : store, record, read.options));
    FABRICAST_TRY(checkPlaces(fitted.files, read));
    FABRICAST_TRY(writeProfile(fitted.files, read.out, read.folders, "--out"));
    std::string report;
    for (const std::string& remark : fitted.remarks) {
        report += remark + "\n";
    }
    return FitAnswer{"", report + fitted.report};
}

}  // namespace fabricast
