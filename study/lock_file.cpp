#include "planner/output/replace_file.h"
#include "planner/text/text_files.h"
#include "study/check_lock.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

std::string lockPathOf(const LockFile& file) {
    return (std::filesystem::path(file.directory) / file.typed).string();
}

/// Links on the way to a file are followed, and one that is the file itself is not.
std::filesystem::path withoutLinks(const std::filesystem::path& path) {
    std::error_code trouble;
    const std::filesystem::path full = std::filesystem::absolute(path, trouble).lexically_normal();
    const std::filesystem::path folder =
        std::filesystem::weakly_canonical(full.parent_path(), trouble);
    return trouble ? full : folder / full.filename();
}

LockPlace lockPlaceOf(const LockFile& file) {
    return {.folder = withoutLinks(lockPathOf(file)).parent_path().string(),
            .typed = file.directory};
}

}  // namespace

std::string lockedName(const std::string& source, const LockPlace& place) {
    const std::filesystem::path path = std::filesystem::path(place.typed) / source;
    std::error_code trouble;
    if (place.folder.empty() ||
        !std::filesystem::exists(path, trouble)) {  // typed, or standard input
        return source;
    }
    return withoutLinks(path).lexically_relative(place.folder).string();
}

Result<std::shared_ptr<const LockToday>> readLock(const LockFile& file, const Workbench& bench) {
    if (file.isWritten && !isReplaceable(lockPathOf(file))) {
        return nullptr;
    }
    const Result<std::string> text = readTextFile(
        lockPathOf(file), kMostTextBytes, file.isWritten ? ReadFor::Look : ReadFor::Input);
    if (!text) {
        return file.isWritten ? Result<std::shared_ptr<const LockToday>>(nullptr)
                              : fail(Error::Code::BadInput,
                                     "--lock",
                                     text.error().text(),
                                     "--lock " + file.typed + " --update-lock writes it");
    }
    Result<CheckLock> lock = parseLock(*text, sourceName(lockPathOf(file)));
    if (!lock) {
        Error error = std::move(lock).error();
        error.hint = error.hint.empty()
                         ? "the lock as it was committed, or remove it and --update-lock"
                         : error.hint;
        return tl::unexpected(std::move(error));
    }
    return std::make_shared<const LockToday>(
        LockToday{*std::move(lock), lockOfTool(bench.profiles(), file.version), lockPlaceOf(file)});
}

Result<std::string> writeLock(const LockFile& file,
                              const LockToday* before,
                              const Workbench& bench,
                              std::vector<CheckOutcome>& outcomes) {
    for (CheckOutcome& outcome : outcomes) {
        if (outcome.report && outcome.report->lock && outcome.report->lock->isNew) {
            outcome.report->lock.reset();
        }
    }
    const CheckLock lock =
        lockOf(lockOfTool(bench.profiles(), file.version), outcomes, lockPlaceOf(file));
    FABRICAST_TRY(writeTextFile(lockPathOf(file), lockText(lock)));
    return "written: " + file.typed + ": " +
           lockChanges(before == nullptr ? nullptr : &before->lock, lock);
}

}  // namespace fabricast
