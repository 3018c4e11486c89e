#include "planner/output/printable_text.h"
#include "planner/output/replace_file.h"
#include "planner/text/text_files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

std::string systemError() {
    return std::generic_category().message(errno);
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ > STDERR_FILENO) {
            ::close(number_);
        }
    }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool valid() const { return number_ >= 0; }

private:
    int number_;
};

tl::unexpected<Error> tooLarge(std::string_view text, const std::string& where, std::size_t most) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(most);
    const std::ptrdiff_t line = 1 + std::count(text.begin(), end, '\n');
    return fail(Error::Code::BadInput,
                where + ":" + std::to_string(line),
                "is larger than " + std::to_string(most >> 20) + " MiB, which end in this line",
                "a smaller file");
}

/// A signal came while nothing did: of a pipe that nobody writes to, nothing would ever come.
tl::unexpected<Error> interrupted(const std::string& where) {
    return fail(Error::Code::Stopped,
                where,
                "was not read to its end: stopped",
                "a file, or a pipe that ends");
}

/// Read as UTF-8, a text in UTF-16 or UTF-32 is one without words that anybody knows.
Result<std::string> inUtf8(std::string text, const std::string& where) {
    using namespace std::string_view_literals;
    const bool isUtf32 = text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv);
    const bool isUtf16 = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
    const std::string coding = isUtf32 ? "UTF-32" : "UTF-16";
    return isUtf32 || isUtf16
               ? fail(Error::Code::BadInput,
                      where + ":1:1",
                      "is in " + coding + ", and texts are read in UTF-8",
                      "iconv -f " + coding + " -t UTF-8, and the file that it writes")
               : Result<std::string>(std::move(text));
}

Result<std::string> readAll(int descriptor,
                            const std::string& where,
                            std::size_t most,
                            std::string text = {}) {
    std::array<char, 65536> buffer{};
    while (true) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            return interrupted(where);
        }
        if (count < 0) {
            return fail(Error::Code::BadInput,
                        where,
                        "cannot be read: " + systemError(),
                        "a file that can be read");
        }
        if (count == 0) {
            return inUtf8(std::move(text), where);
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > most) {
            return tooLarge(text, where, most);
        }
    }
}

bool isPipe(int descriptor) {
    struct stat about {};
    return ::fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

tl::unexpected<Error> unreadable(const std::string& where) {
    return fail(Error::Code::BadInput,
                where,
                "cannot be read: " + systemError(),
                "a file that can be read");
}

/// Waits for what is read next from now on.
Result<std::string> readRest(int descriptor,
                             const std::string& where,
                             std::size_t most,
                             std::string_view first) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return readAll(descriptor, where, most, std::string(first));
}

/// A pipe that was opened without waiting says that it ends as long as nobody writes to it, and
/// that there is nothing yet where somebody is about to. A writer that is started beside the
/// program has a moment to open it; the first bytes of one that has are the answer.
Result<std::string> readPipe(int descriptor, const std::string& where, std::size_t most) {
    constexpr int kLooks = 30;
    constexpr int kPause = 50;  // ms
    std::array<char, 4096> first{};
    for (int look = 0; look < kLooks; ++look) {
        pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&readable, 1, kPause);
        if (ready < 0 && errno == EINTR) {
            return interrupted(where);
        }
        const bool ended = ready > 0 && (readable.revents & POLLHUP) != 0;
        const ssize_t count = ::read(descriptor, first.data(), first.size());
        if (count > 0 || ended || (count < 0 && errno == EAGAIN)) {
            const auto size = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
            return readRest(descriptor, where, most, {first.data(), size});
        }
        if (count < 0) {
            return errno == EINTR ? interrupted(where) : unreadable(where);
        }
    }
    return fail(Error::Code::BadInput,
                where,
                "is a pipe that nobody writes to",
                "a file, or - for standard input");
}

/// Devices, and the kernel's own files, may have nothing to say for ever.
Result<std::string> readFile(int descriptor, const std::string& where, std::size_t most) {
    std::array<char, 4096> first{};
    const ssize_t count = ::read(descriptor, first.data(), first.size());
    if (count < 0 && errno == EAGAIN) {
        return fail(Error::Code::BadInput,
                    where,
                    "is a device that has nothing to read",
                    "a file, or - for standard input");
    }
    if (count < 0) {
        return errno == EINTR ? interrupted(where) : unreadable(where);
    }
    // It goes on without waiting: what says no more for now is not waited for.
    return readAll(
        descriptor, where, most, std::string(first.data(), static_cast<std::size_t>(count)));
}

}  // namespace

std::string sourceName(const std::string& path) {
    return path == "-" ? "standard input" : printableLine(path);
}

Result<std::string> readTextFile(const std::string& path, std::size_t most, ReadFor purpose) {
    if (path == "-") {
        keepRead(STDIN_FILENO, sourceName(path));
        return readAll(STDIN_FILENO, sourceName(path), most);
    }
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid() && errno == EINTR) {
        return interrupted(path);
    }
    if (!file.valid()) {
        const auto code = errno == ENOENT ? Error::Code::NotFound : Error::Code::BadInput;
        return fail(code,
                    path,
                    "cannot be opened: " + systemError(),
                    code == Error::Code::NotFound ? "" : "a file that can be read");
    }
    if (purpose == ReadFor::Input) {
        keepRead(file.number(), path);
    }
    if (isPipe(file.number())) {
        return readPipe(file.number(), path, most);
    }
    return readFile(file.number(), path, most);
}

Result<void> writeTextFile(const std::string& path, std::string_view text) {
    FABRICAST_TRY(checkNotRead(path));
    if (std::string trouble = replaceFile(path, text); !trouble.empty()) {
        return fail(Error::Code::Environment,
                    path,
                    std::move(trouble),
                    "a file in a folder that takes new ones, on a disk with room");
    }
    return {};
}

}  // namespace fabricast
