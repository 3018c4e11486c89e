#include "planner/output/temporary_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace fabricast {
namespace {

std::string randomLetters() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
    constexpr int kLength = 12;
    std::uint64_t bits = 0;
    if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
        return {};  // O_EXCL refuses a name that is taken
    }
    std::string letters;
    for (int at = 0; at < kLength; ++at) {
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
    for (int attempt = 0; attempt < kAttempts && descriptor_ < 0; ++attempt) {
        path_ = beside + ".partial-" + randomLetters();
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
