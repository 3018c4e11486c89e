#include "planner/output/replace_file.h"

#include "planner/output/destination.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

namespace fabricast {
namespace {

std::string failedToWrite() {
    return "cannot be written: " + std::generic_category().message(errno);
}

std::string writeOverWith(TemporaryFile& complete, const std::string& path, std::string_view text) {
    // A file that cannot be opened is as it was.
    const bool opens = ::access(path.c_str(), W_OK) == 0;
    if (!opens || writeOver(path, text)) {
        return opens ? std::string() : failedToWrite();
    }
    const std::string trouble = failedToWrite();
    complete.keep();
    return trouble + "; all of it is in " + complete.path();
}

std::string replaceWith(TemporaryFile& next,
                        const std::string& path,
                        const std::optional<struct stat>& old,
                        std::string_view text,
                        const std::function<void(int)>& prepare) {
    if (!next.complete(text)) {
        return failedToWrite();
    }
    if (!old || (!hasOtherNames(*old) && takeRights(next.descriptor(), *old))) {
        if (prepare) {
            prepare(next.descriptor());
        }
        if (next.moveTo(path)) {
            return {};
        }
        if (errno != EBUSY) {
            return failedToWrite();
        }
    }
    return old ? writeOverWith(next, path, text) : failedToWrite();
}

/// For a file in a folder that takes no new one.
std::string writeOverByWayOfElsewhere(const std::string& path, std::string_view text) {
    const std::string trouble = failedToWrite();
    std::error_code error;
    const std::filesystem::path elsewhere = std::filesystem::temp_directory_path(error);
    if (error || ::access(path.c_str(), W_OK) != 0) {
        return trouble;
    }
    TemporaryFile complete((elsewhere / std::filesystem::path(path).filename()).string(),
                           TemporaryFile::Rights::Private);
    if (!complete.open() || !complete.complete(text)) {
        return failedToWrite();
    }
    return writeOverWith(complete, path, text);
}

bool isPipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// A pipe that nobody reads would be waited for without end. A reader that is started beside the
/// program has a moment to open it; a signal ends the wait.
int openToWrite(const std::string& path) {
    constexpr int kTries = 60;
    constexpr int kPause = 50;  // ms
    int file = -1;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (file >= 0 || errno != ENXIO || !isPipe(path)) {
            break;
        }
        if (::poll(nullptr, 0, kPause) != 0) {
            return -1;
        }
        errno = ENXIO;
    }
    if (file >= 0) {
        (void)::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
    }
    return file;
}

bool mayBeWrittenOver(int error) {
    return error == EACCES || error == EPERM || error == EROFS;
}

}  // namespace

std::string writeThrough(const std::string& path, std::string_view text) {
    const Destination end = destinationOf(path);
    const bool held = end.kind == Destination::Kind::Descriptor;
    const int file = held ? end.descriptor : openToWrite(path);
    if (file < 0 && errno == ENXIO && isPipe(path)) {
        return "is a pipe that nobody reads";
    }
    std::string trouble = file < 0 || !writeAllTo(file, text) ? failedToWrite() : std::string();
    if (!held && file >= 0 && ::close(file) != 0 && trouble.empty()) {
        trouble = failedToWrite();
    }
    return trouble;
}

bool isReplaceable(const std::string& path) {
    return destinationOf(path).kind == Destination::Kind::File;
}

std::string replaceFile(const std::string& path,
                        std::string_view text,
                        const std::function<void(int)>& prepare) {
    const Destination end = destinationOf(path);
    if (end.kind != Destination::Kind::File) {
        return writeThrough(path, text);
    }
    const std::optional<struct stat> old = statusOf(end.path);
    using Rights = TemporaryFile::Rights;
    TemporaryFile next(end.path, old ? Rights::Private : Rights::OfNewFiles);
    if (next.open()) {
        return replaceWith(next, end.path, old, text, prepare);
    }
    return mayBeWrittenOver(errno) ? writeOverByWayOfElsewhere(end.path, text) : failedToWrite();
}

}  // namespace fabricast
