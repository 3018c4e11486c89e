#include "planner/profiles/verify_profiles.h"
#include "planner/text/text_file.h"
#include "probes/fit/fit_record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace fabricast {

std::string originText(const MergedMeasurements& record) {
    std::set<std::string> programs;
    std::set<std::string> days;
    for (const MeasurementRecord& sitting : record.sittings) {
        programs.insert(sitting.program.empty() ? sitting.source : sitting.program);
        constexpr std::size_t kDay = 10;
        days.insert(sitting.begun.substr(0, kDay));
    }
    days.erase("");
    std::string text;
    const auto add = [&](const std::string& part) {
        text += (text.empty() || part.empty() ? "" : ", ") + part;
    };
    std::ranges::for_each(programs, add);
    std::ranges::for_each(days, add);
    constexpr std::array kVersions = {"driver", "cuda_runtime", "cublaslt", "cudnn", "nccl", "mpi"};
    for (const char* const name : kVersions) {
        const auto version = record.machine.find(name);
        if (version != record.machine.end()) {
            add(std::string(name) + " " + version->second);
        }
    }
    return text;
}

std::string dayOf(const MergedMeasurements& record) {
    std::string last;
    for (const MeasurementRecord& sitting : record.sittings) {
        constexpr std::size_t kDay = 10;
        last = std::max(last, sitting.begun.substr(0, kDay));
    }
    return last;
}

Result<void> writeProfile(const FittedRecord& fitted,
                          const std::string& folder,
                          std::vector<std::string> beneath) {
    for (const ProfileText& file : fitted.files) {
        const std::filesystem::path path = std::filesystem::path(folder) / file.path;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        if (error) {
            return fail(Error::Code::Environment,
                        path.parent_path().string(),
                        "cannot be made: " + error.message());
        }
        FABRICAST_TRY(writeTextFile(path.string(), file.text));
    }
    beneath.push_back(folder);
    FABRICAST_ASSIGN(const ProfileStore store, ProfileStore::open(beneath));
    for (const ProfileFinding& finding : verifyProfiles(store).findings) {
        if (finding.severity == ProfileFinding::Severity::Error) {
            return fail(Error::Code::Internal, finding.where, finding.why, finding.hint);
        }
    }
    return {};
}

}  // namespace fabricast
