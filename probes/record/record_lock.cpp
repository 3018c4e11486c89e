#include "probes/record/record_lock.h"

#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace fabricast::probe {

namespace {

/// Whoever had the lock may have put another file in this one's place before letting go of it.
bool isStillAt(int descriptor, const std::filesystem::path& path) {
    struct stat locked = {};
    struct stat there = {};
    return fstat(descriptor, &locked) == 0 && stat(path.c_str(), &there) == 0 &&
           locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

Trouble isTaken(const std::filesystem::path& path) {
    return {path.string() +
            ": another probe is writing it; wait for its end, or give --out another name"};
}

}  // namespace

RecordLock::~RecordLock() {
    if (descriptor_ < 0) {
        return;
    }
    struct stat status = {};
    if (!made_.empty() && fstat(descriptor_, &status) == 0 && status.st_size == 0) {
        unlink(made_.c_str());
    }
    close(descriptor_);
}

Answer<RecordLock> RecordLock::of(const std::filesystem::path& path) {
    if (path.empty() || !isReplaceable(path.string())) {
        return RecordLock();
    }
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::error_code error;
        const bool there = std::filesystem::exists(path, error);
        RecordLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
        if (lock.descriptor_ < 0) {
            return Trouble{path.string() + ": cannot be written: " + std::strerror(errno)};
        }
        // Some network file systems have no locks: a record there is worth more than none.
        if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            break;
        }
        if (isStillAt(lock.descriptor_, path)) {
            lock.made_ = there ? "" : path.string();
            return lock;
        }
    }
    return isTaken(path);
}

Done RecordLock::isFree(const std::filesystem::path& path) {
    if (path.empty() || !isReplaceable(path.string())) {
        return std::monostate();
    }
    const RecordLock shared(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (shared.descriptor_ < 0) {
        return Trouble{path.string() + ": cannot be written: " + std::strerror(errno)};
    }
    const bool taken = flock(shared.descriptor_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return taken ? Done(isTaken(path)) : Done(std::monostate());
}

void RecordLock::moveTo(int descriptor) {
    RecordLock next(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (next.descriptor_ >= 0) {
        (void)flock(next.descriptor_, LOCK_EX | LOCK_NB);
        std::swap(descriptor_, next.descriptor_);
    }
}

}  // namespace fabricast::probe
