#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace fabricast {

std::optional<struct stat> statusOf(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

bool hasOtherNames(const struct stat& old) {
    return old.st_nlink > 1;
}

bool takeRights(int descriptor, const struct stat& old) {
    struct stat now {};
    if (::fstat(descriptor, &now) != 0) {
        return false;
    }
    const bool owned = (now.st_uid == old.st_uid && now.st_gid == old.st_gid) ||
                       ::fchown(descriptor, old.st_uid, old.st_gid) == 0;
    // The mode comes last, as a change of owner takes bits away.
    return owned && ::fchmod(descriptor, old.st_mode & 07777U) == 0;
}

bool writeOver(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        return false;
    }
    const auto size = static_cast<off_t>(text.size());
    const int room = text.empty() ? 0 : ::posix_fallocate(file, 0, size);
    errno = room;
    const bool done = (room == 0 || room == EOPNOTSUPP || room == EINVAL) &&
                      writeAllTo(file, text) && ::ftruncate(file, size) == 0 && ::fsync(file) == 0;
    const int why = errno;
    const bool closed = ::close(file) == 0;
    errno = done ? errno : why;
    return done && closed;
}

}  // namespace fabricast
