#include "planner/output/publish_files.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/verify_profiles.h"
#include "planner/text/shell_text.h"
#include "probes/fit/fit_record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace fabricast {

std::string nameLike(std::string_view text) {
    constexpr std::size_t kLongest = 80;
    std::string name;
    for (const char letter : profileName(text)) {
        const bool isKept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (isKept) {
            name += letter;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    name.resize(std::min(name.size(), kLongest));
    return name.ends_with('-') ? name.substr(0, name.size() - 1) : name;
}

Result<ProfileStore> openBeneath(std::vector<std::string> folders, const std::string& folder) {
    std::erase_if(folders, [&](const std::string& each) {
        std::error_code none;
        return std::filesystem::equivalent(each, folder, none);
    });
    return ProfileStore::open(folders);
}

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
        const std::string day = sitting.begun.substr(0, kDay);
        last = isDay(day) ? std::max(last, day) : last;
    }
    return last;
}

std::string beginningOf(const MergedMeasurements& record) {
    std::string last;
    for (const MeasurementRecord& sitting : record.sittings) {
        last = isBeginning(sitting.begun) ? std::max(last, sitting.begun) : last;
    }
    const std::string day = dayOf(record);
    return !day.empty() && last.starts_with(day) ? last : "";
}

namespace {

/// Adds the folder itself where it has profiles.
Result<void> addOwn(const std::string& folder, std::vector<std::string>& folders) {
    const std::array own = {folder};
    const Result<ProfileStore> older = ProfileStore::open(own);
    if (older) {
        folders.push_back(folder);
    } else if (older.error().code != Error::Code::NotFound) {
        return tl::unexpected(older.error());
    }
    return {};
}

/// What makes profiles unsound.
Result<std::vector<ProfileFinding>> errorsOf(const std::vector<std::string>& folders) {
    FABRICAST_ASSIGN(const ProfileStore store, ProfileStore::open(folders));
    std::vector<ProfileFinding> findings = verifyProfiles(store).findings;
    std::erase_if(findings, [](const ProfileFinding& finding) {
        return finding.severity != ProfileFinding::Severity::Error;
    });
    return findings;
}

tl::unexpected<Error> unsound(const ProfileFinding& finding) {
    return fail(
        Error::Code::BadInput, finding.where, finding.why + "; nothing was written", finding.hint);
}

/// What the profiles amount to once these are among them; the first problem.
Result<void> verifyStaged(std::vector<std::string> folders,
                          const std::string& folder,
                          const std::string& staged) {
    FABRICAST_TRY(addOwn(folder, folders));
    folders.push_back(staged);
    FABRICAST_ASSIGN(const std::vector<ProfileFinding> errors, errorsOf(folders));
    if (errors.empty()) {
        return {};
    }
    const ProfileFinding& first = errors.front();
    return first.where.starts_with(staged) ? fail(Error::Code::Internal,
                                                  folder + first.where.substr(staged.size()),
                                                  first.why,
                                                  first.hint)
                                           : Result<void>(unsound(first));
}

}  // namespace

Result<void> verifyBeside(std::span<const std::string> replaced,
                          const std::string& folder,
                          std::vector<std::string> beneath) {
    FABRICAST_TRY(addOwn(folder, beneath));
    FABRICAST_ASSIGN(const std::vector<ProfileFinding> errors, errorsOf(beneath));
    for (const ProfileFinding& error : errors) {
        const bool isReplaced = std::ranges::any_of(replaced, [&](const std::string& file) {
            return error.where.starts_with(folder + "/" + file);
        });
        if (!isReplaced) {
            return unsound(error);
        }
    }
    return {};
}

namespace {

/// A link that leads nowhere is there, and no folder can be made in its place.
Result<void> checkLinkedFolder(const std::string& folder, std::string_view flag) {
    std::error_code none;
    const std::filesystem::path leads = std::filesystem::read_symlink(folder, none);
    if (leads.empty() || std::filesystem::exists(folder, none)) {
        return {};
    }
    const std::filesystem::path target = std::filesystem::path(folder).parent_path() / leads;
    return fail(Error::Code::Environment,
                std::string(flag),
                folder + " is a link to " + target.string() + ", which is not there",
                shellCommand({"mkdir", "-p", target.string()}));
}

}  // namespace

Result<void> writeProfile(std::span<const ProfileText> files,
                          const std::string& folder,
                          const std::vector<std::string>& beneath,
                          const char* flag) {
    FABRICAST_TRY(checkLinkedFolder(folder, flag));
    std::optional<Error> invalid;
    const auto accept = [&](const std::string& staged) -> std::string {
        if (Result<void> verified = verifyStaged(beneath, folder, staged); !verified) {
            invalid = std::move(verified).error();
        }
        return invalid ? invalid->why : "";
    };
    const std::string trouble = publishFiles(files, folder, FolderLinks::Followed, accept);
    if (invalid) {
        return tl::unexpected(*std::move(invalid));
    }
    return trouble.empty()
               ? Result<void>()
               : fail(Error::Code::Environment,
                      "",
                      trouble + "; nothing was written",
                      std::string(flag) + " and a folder that takes new files, with room");
}

}  // namespace fabricast
