#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kAddition = ".partial-";
constexpr std::size_t kRandomLetters = 12;

/// A path whose name leaves room for so many letters more: a name has 255 at most.
std::string withRoomFor(const std::string& path, std::size_t letters) {
    constexpr std::size_t kLongest = 255;
    const std::size_t begin = path.rfind('/') + 1;  // 0 where there is no folder
    return path.substr(0, begin) + path.substr(begin, kLongest - letters);
}

std::string randomLetters() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
        return {};  // O_EXCL refuses a name that is taken
    }
    std::string letters;
    for (std::size_t at = 0; at < kRandomLetters; ++at) {
        letters += kLetters[bits % kLetters.size()];
        bits /= kLetters.size();
    }
    return letters;
}

/// What leads to an open file that may have no name.
std::string linkTo(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

bool writeAllTo(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return true;
}

TemporaryFile::TemporaryFile(const std::string& beside, Rights rights)
    : start_(withRoomFor(beside, kAddition.size() + kRandomLetters)),
      mode_(rights == Rights::Private ? 0600 : 0666) {
    if (!openNameless()) {
        openNamed();
    }
}

bool TemporaryFile::openNameless() {
    const std::size_t slash = start_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : start_.substr(0, slash + 1);
    descriptor_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode_);
    if (descriptor_ >= 0 && ::access(linkTo(descriptor_).c_str(), F_OK) != 0) {
        // Without /proc it could get no name.
        (void)::close(std::exchange(descriptor_, -1));
    }
    return descriptor_ >= 0;
}

template <class Make>
bool TemporaryFile::makeWithName(const Make& make) {
    constexpr int kAttempts = 16;
    for (int attempt = 0; attempt < kAttempts && !owned_; ++attempt) {
        path_ = start_ + std::string(kAddition) + randomLetters();
        owned_ = make(path_.c_str());
        if (!owned_ && errno != EEXIST) {
            break;
        }
    }
    return owned_;
}

void TemporaryFile::openNamed() {
    (void)makeWithName([this](const char* name) {
        constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        descriptor_ = ::open(name, kNew, mode_);
        return descriptor_ >= 0;
    });
}

bool TemporaryFile::takeName() {
    return makeWithName([link = linkTo(descriptor_)](const char* name) {
        return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
}

bool TemporaryFile::complete(std::string_view text) {
    const auto isWritten = [&] {
        return writeAllTo(descriptor_, text) && ::fsync(descriptor_) == 0;
    };
    if (!isWritten()) {
        return false;
    }
    if (owned_ || takeName()) {
        return true;
    }
    // A file system that has nameless files, and no names for them.
    (void)::close(std::exchange(descriptor_, -1));
    openNamed();
    return open() && isWritten();
}

TemporaryFile::~TemporaryFile() {
    if (owned_) {
        (void)::unlink(path_.c_str());
    }
    if (descriptor_ >= 0) {
        (void)::close(descriptor_);
    }
}

bool TemporaryFile::moveTo(const std::string& target) {
    std::error_code error;
    std::filesystem::rename(path_, target, error);
    errno = error.value();
    owned_ = static_cast<bool>(error);
    return !error;
}

}  // namespace fabricast
