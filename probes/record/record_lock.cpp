#include "probes/record/record_lock.h"

#include <string>
#include <utility>
#include <variant>

namespace fabricast::probe {

namespace {

Trouble lockTroubleOf(const std::filesystem::path& path, const LockTrouble& trouble) {
    const std::string taken =
        "another probe is writing it; wait for its end, or give --out another name";
    return {path.string() + ": " + (trouble.taken ? taken : trouble.why)};
}

}  // namespace

Answer<FileLock> lockRecord(const std::filesystem::path& path) {
    std::variant<FileLock, LockTrouble> lock = FileLock::of(path.string());
    if (const auto* trouble = std::get_if<LockTrouble>(&lock)) {
        return lockTroubleOf(path, *trouble);
    }
    return std::get<FileLock>(std::move(lock));
}

Done isRecordFree(const std::filesystem::path& path) {
    const LockTrouble trouble = FileLock::nowOf(path.string());
    return trouble.why.empty() ? Done(std::monostate()) : Done(lockTroubleOf(path, trouble));
}

}  // namespace fabricast::probe
