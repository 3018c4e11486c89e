#include "cli/printable_text.h"
#include "cli/run_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <mutex>
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
    writeAll(STDERR_FILENO,
             "error: standard output: cannot be written: " +
                 std::generic_category().message(failure) + "\n");
    return ExitCode::Environment;
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

std::atomic<bool> interruptSeen = false;  // NOLINT: what a signal handler can reach
static_assert(std::atomic<bool>::is_always_lock_free);

/// Whether Ctrl-C was pressed. It takes the signal the first time it is asked, for one press.
class InterruptWatch {
public:
    bool operator()() {
        if (!watching_.exchange(true)) {
            struct sigaction action = {};
            action.sa_handler = [](int) { interruptSeen = true; };
            action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
            (void)::sigaction(SIGINT, &action, nullptr);
        }
        return interruptSeen;
    }

private:
    std::atomic<bool> watching_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    holdStandardStreams();
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        fabricast::Surroundings surroundings{
            .terminalOut = ::isatty(STDOUT_FILENO) == 1,
            .terminalError = ::isatty(STDERR_FILENO) == 1,
            .noColor = isSet("NO_COLOR") || isDumbTerminal(),
            .forceColor = isSet("FORCE_COLOR") || isSet("CLICOLOR_FORCE")};
        InterruptWatch watch;
        surroundings.interrupted = std::ref(watch);
        ProgressLine line;
        if (surroundings.terminalError) {
            surroundings.progress = std::ref(line);
            surroundings.status = &showStatus;
        }
        const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
        return static_cast<int>(print(fabricast::runProgram(arguments, surroundings)));
    } catch (...) {
        return static_cast<int>(ExitCode::Bug);
    }
}
