#include "planner/output/replace_file.h"
#include "planner/text/text_files.h"
#include "study/check_lock.h"

#include <utility>

namespace fabricast {

Result<std::shared_ptr<const LockToday>> readLock(const LockFile& file, const Workbench& bench) {
    if (file.isWritten && !isReplaceable(file.path)) {
        return nullptr;
    }
    const Result<std::string> text =
        readTextFile(file.path, kMostTextBytes, file.isWritten ? ReadFor::Look : ReadFor::Input);
    if (!text) {
        return file.isWritten ? Result<std::shared_ptr<const LockToday>>(nullptr)
                              : fail(Error::Code::BadInput,
                                     "--lock",
                                     text.error().text(),
                                     "--lock " + file.typed + " --update-lock writes it");
    }
    Result<CheckLock> lock = parseLock(*text, sourceName(file.path));
    if (!lock) {
        Error error = std::move(lock).error();
        error.hint = error.hint.empty()
                         ? "the lock as it was committed, or remove it and --update-lock"
                         : error.hint;
        return tl::unexpected(std::move(error));
    }
    return std::make_shared<const LockToday>(
        LockToday{*std::move(lock), lockOfTool(bench.profiles(), file.version)});
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
    const CheckLock lock = lockOf(lockOfTool(bench.profiles(), file.version), outcomes);
    FABRICAST_TRY(writeTextFile(file.path, lockText(lock)));
    return "written: " + file.typed + ": " +
           lockChanges(before == nullptr ? nullptr : &before->lock, lock);
}

}  // namespace fabricast
