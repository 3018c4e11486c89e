#include "cli/run_program.h"
#include "machine/interrupt_watch.h"
#include "planner/output/printable_text.h"
#include "probes/record/utc_now.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using fabricast::ExitCode;

/// A closed standard stream becomes one that cannot be written, so that no file opened later
/// takes its number.
void holdStandardStreams() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
        if (::fcntl(number, F_GETFD) == -1) {
            (void)::open("/dev/null", O_RDONLY);  // takes the lowest free number: this one
        }
    }
}

/// Freed memory is kept for what is worked out next: each walk of a step's memory fills megabytes,
/// which the system would have to clear again and again.
void keepFreedMemory() {
#ifdef __GLIBC__
    constexpr int kLargest = 1 << 30;
    (void)::mallopt(M_MMAP_THRESHOLD, kLargest);
    (void)::mallopt(M_TRIM_THRESHOLD, kLargest);
    constexpr int kAtATime = 16 << 20;
    (void)::mallopt(M_TOP_PAD, kAtATime);
#endif
}

bool isSet(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return value != nullptr && *value != '\0';
}

bool isDumbTerminal() {
    const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
    return terminal != nullptr && std::string_view(terminal) == "dumb";
}

/// Returns 0, or the errno of a write that failed.
int writeAll(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
    return 0;
}

/// A reader that has seen enough (`| head`) is no failure; a full disk is.
ExitCode print(const fabricast::ProgramOutput& output) {
    const int failure = writeAll(STDOUT_FILENO, output.out);
    writeAll(STDERR_FILENO, output.err);
    if (failure == 0 || failure == EPIPE) {
        return output.code;
    }
    writeAll(
        STDERR_FILENO,
        "error: standard output: cannot be written: " + std::generic_category().message(failure) +
            "\n  try: -o FILE, where there is room\n");
    return ExitCode::Environment;
}

/// What a user's limit leaves for calls within calls is enough: a search beyond it would crash.
bool hasStack() {
    constexpr rlim_t kLeast = rlim_t{1} << 20;
    struct rlimit limit = {};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) {
        return true;
    }
    writeAll(STDERR_FILENO,
             "error: the stack may have " + std::to_string(limit.rlim_cur >> 10) +
                 " KiB only, of the 1024 that are needed\n  try: ulimit -s 8192\n");
    return false;
}

/// A line on the terminal that replaces itself and is gone at the end.
class ProgressLine {
public:
    void operator()(std::size_t done, std::size_t all) {
        const std::size_t percent = all == 0 ? 100 : 100 * done / all;
        const std::lock_guard lock(mutex_);
        if (percent <= shown_) {
            return;
        }
        shown_ = percent;
        writeAll(STDERR_FILENO,
                 percent == 100 ? "\r\x1b[K" : "\r" + std::to_string(percent) + " %");
    }

private:
    std::mutex mutex_;
    std::size_t shown_ = 0;
};

/// A line of what is being done, as wide as most terminals are.
void showStatus(const std::string& line) {
    constexpr std::size_t kWidth = 79;
    writeAll(STDERR_FILENO, "\r\x1b[K" + fabricast::printableText(line).substr(0, kWidth));
}

/// A line that a person types; nothing at the end of the input.
std::optional<std::string> askPerson(const std::string& question) {
    writeAll(STDERR_FILENO, fabricast::printableText(question));
    std::string line;
    if (!std::getline(std::cin, line)) {
        return std::nullopt;
    }
    return line;
}

}  // namespace

int main(int argc, char** argv) {
    keepFreedMemory();
    holdStandardStreams();
    (void)std::signal(SIGPIPE, SIG_IGN);
    // A limit on a file's size is a file that cannot be written.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    try {
        if (!hasStack()) {
            return static_cast<int>(ExitCode::Environment);
        }
        fabricast::Surroundings surroundings{
            .terminalOut = ::isatty(STDOUT_FILENO) == 1,
            .terminalError = ::isatty(STDERR_FILENO) == 1,
            .noColor = isSet("NO_COLOR") || isDumbTerminal(),
            .forceColor = isSet("FORCE_COLOR") || isSet("CLICOLOR_FORCE"),
            .today = fabricast::latestDay()};
        fabricast::InterruptWatch watch;
        surroundings.stop = std::ref(watch);
        ProgressLine line;
        if (surroundings.terminalError) {
            surroundings.progress = std::ref(line);
            surroundings.status = &showStatus;
        }
        if (surroundings.terminalError && ::isatty(STDIN_FILENO) == 1) {
            surroundings.ask = &askPerson;
        }
        const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
        const ExitCode code = print(fabricast::runProgram(arguments, surroundings));
        return code == ExitCode::Interrupted ? fabricast::interruptedStatus()
                                             : static_cast<int>(code);
    } catch (...) {
        return static_cast<int>(ExitCode::Bug);
    }
}
