#include "probes/tuner/cost_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace fabricast::probe {
namespace {

std::string reasonOf(int error) {
    return std::generic_category().message(error);
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

/// A write past the limit on a file's size would end the process by a signal.
bool passesSizeLimit(int descriptor, std::size_t more) {
    struct stat status = {};
    rlimit limit = {};
    if (::fstat(descriptor, &status) != 0 || ::getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        !S_ISREG(status.st_mode) || limit.rlim_cur == RLIM_INFINITY) {
        return false;
    }
    return static_cast<rlim_t>(status.st_size) + more > limit.rlim_cur;
}

}  // namespace

std::string filledPath(const std::string& path) {
    std::string filled;
    for (std::size_t at = 0; at < path.size(); ++at) {
        const char next = path[at] == '%' && at + 1 < path.size() ? path[at + 1] : '\0';
        if (next == 'h' || next == 'p') {
            filled += next == 'h' ? hostName() : std::to_string(::getpid());
            ++at;
        } else {
            filled += path[at];
        }
    }
    return filled;
}

CostFile::Opened CostFile::open(const std::string& path) {
    const std::string filled = filledPath(path);
    constexpr mode_t kMode = 0644;
    // A pipe without a reader must not hold up the host.
    const int descriptor = ::open(
        filled.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, kMode);
    if (descriptor < 0) {
        return {nullptr, filled + ": cannot be opened: " + reasonOf(errno)};
    }
    std::unique_ptr<CostFile> file(new CostFile(descriptor, filled));
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0 ||
        !(S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))) {
        return {nullptr, filled + ": is no file"};
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return {nullptr,
                filled + (errno == EWOULDBLOCK ? ": another process writes it"
                                               : ": cannot be locked: " + reasonOf(errno))};
    }
    return {std::move(file), ""};
}

CostFile::~CostFile() {
    ::close(descriptor_);
}

std::string CostFile::add(std::string line) {
    line += '\n';
    if (passesSizeLimit(descriptor_, line.size())) {
        return path_ + ": the limit on a file's size is reached";
    }
    const off_t before = ::lseek(descriptor_, 0, SEEK_END);
    ssize_t written = 0;
    do {
        written = ::write(descriptor_, line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    if (written == static_cast<ssize_t>(line.size())) {
        return "";
    }
    const int error = written < 0 ? errno : ENOSPC;
    if (written > 0 && before >= 0) {
        // Half a line would spoil the next. Where even this fails, a reader sees a line cut off.
        [[maybe_unused]] const int cut = ::ftruncate(descriptor_, before);
    }
    return path_ + ": cannot be written: " + reasonOf(error);
}

}  // namespace fabricast::probe
