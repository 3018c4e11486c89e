#include "planner/text/text_file.h"

#include "planner/output/printable_text.h"
#include "planner/output/replace_file.h"

#include <fcntl.h>
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
                "is larger than " + std::to_string(most >> 20) + " MiB, which end in this line");
}

/// A signal came while nothing did: of a pipe that nobody writes to, nothing would ever come.
tl::unexpected<Error> interrupted(const std::string& where) {
    return fail(Error::Code::Stopped, where, "was not read to its end: stopped");
}

Result<std::string> readAll(int descriptor, const std::string& where, std::size_t most) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (true) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) {
            return interrupted(where);
        }
        if (count < 0) {
            return fail(Error::Code::BadInput, where, "cannot be read: " + systemError());
        }
        if (count == 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
        if (text.size() > most) {
            return tooLarge(text, where, most);
        }
    }
}

}  // namespace

std::string sourceName(const std::string& path) {
    return path == "-" ? "standard input" : printableLine(path);
}

Result<std::string> readTextFile(const std::string& path, std::size_t most) {
    if (path == "-") {
        return readAll(STDIN_FILENO, sourceName(path), most);
    }
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() && errno == EINTR) {
        return interrupted(path);
    }
    if (!file.valid()) {
        const auto code = errno == ENOENT ? Error::Code::NotFound : Error::Code::BadInput;
        return fail(code, path, "cannot be opened: " + systemError());
    }
    return readAll(file.number(), path, most);
}

Result<void> writeTextFile(const std::string& path, std::string_view text) {
    if (std::string trouble = replaceFile(path, text); !trouble.empty()) {
        return fail(Error::Code::Environment, path, std::move(trouble));
    }
    return {};
}

}  // namespace fabricast
