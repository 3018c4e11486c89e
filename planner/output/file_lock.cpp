#include "planner/output/file_lock.h"

#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fabricast {
namespace {

/// Whoever had the lock may have put another file in this one's place before letting go of it.
bool isStillAt(int descriptor, const std::string& path) {
    struct stat locked {};
    struct stat there {};
    return ::fstat(descriptor, &locked) == 0 && ::stat(path.c_str(), &there) == 0 &&
           locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

LockTrouble isTaken() {
    return {.taken = true, .why = "another process is writing it"};
}

LockTrouble isShut() {
    return {.why = "cannot be written: " + std::generic_category().message(errno)};
}

}  // namespace

FileLock::~FileLock() {
    if (descriptor_ < 0) {
        return;
    }
    struct stat status {};
    if (!made_.empty() && isStillAt(descriptor_, made_) && ::fstat(descriptor_, &status) == 0 &&
        status.st_size == 0) {
        ::unlink(made_.c_str());
    }
    ::close(descriptor_);
}

std::variant<FileLock, LockTrouble> FileLock::of(const std::string& path) {
    if (path.empty() || !isReplaceable(path)) {
        return FileLock();
    }
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const bool there = ::access(path.c_str(), F_OK) == 0;
        FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
        if (lock.descriptor_ < 0) {
            return isShut();
        }
        // Some network file systems have no locks: a file there is worth more than none.
        if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            break;
        }
        if (isStillAt(lock.descriptor_, path)) {
            lock.made_ = there ? "" : path;
            return lock;
        }
    }
    return isTaken();
}

LockTrouble FileLock::nowOf(const std::string& path) {
    if (path.empty() || !isReplaceable(path)) {
        return {};
    }
    const FileLock shared(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (shared.descriptor_ < 0) {
        return isShut();
    }
    const bool taken = ::flock(shared.descriptor_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return taken ? isTaken() : LockTrouble{};
}

void FileLock::moveTo(int descriptor) {
    FileLock next(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (next.descriptor_ >= 0) {
        (void)::flock(next.descriptor_, LOCK_EX | LOCK_NB);
        std::swap(descriptor_, next.descriptor_);
    }
}

}  // namespace fabricast
