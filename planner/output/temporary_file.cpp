#include "planner/output/replace_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

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

TemporaryFile::TemporaryFile(const std::string& beside, Rights rights) {
    constexpr int kAttempts = 16;
    const std::string start = withRoomFor(beside, kAddition.size() + kRandomLetters);
    for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
        path_ = start + std::string(kAddition) + randomLetters();
        descriptor_ = ::open(path_.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             rights == Rights::Private ? 0600 : 0666);
        if (descriptor_ < 0 && errno != EEXIST) {
            break;
        }
    }
    owned_ = descriptor_ >= 0;
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
