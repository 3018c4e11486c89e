#include "cli/child_process.h"

#include "cli/child_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace fabricast {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostOut = std::size_t{64} << 20;
constexpr std::size_t kLastLines = 10;
constexpr std::size_t kLongestLine = 4096;
constexpr int kTickMs = 50;
constexpr double kKillSeconds = 3.0;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// In the new process, before the program: only calls that are safe after a fork.
[[noreturn]] void become(const std::vector<char*>& words, int out, int error, int report) {
    ::setpgid(0, 0);
    // Whatever happens to us, it is asked to stop.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(error, STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    ::execvp(words.front(), words.data());
    const int why = errno;
    (void)!::write(report, &why, sizeof why);
    ::_exit(127);
}

class Child {
public:
    explicit Child(const ChildRequest& request) : request_(request) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (process_ > 0) {
            ::kill(-process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
        }
    }

    Result<void> start() {
        std::vector<std::string> text = request_.command;
        std::vector<char*> words;
        for (std::string& word : text) {
            words.push_back(word.data());
        }
        words.push_back(nullptr);
        ChildPipe report;
        process_ = ::fork();
        if (process_ == 0) {
            become(words, out_.end(1), error_.end(1), report.end(1));
        }
        int why = process_ < 0 ? errno : 0;
        if (process_ > 0) {
            ::setpgid(process_, process_);  // whoever comes first
            report.closeEnd(1);
            (void)!::read(report.end(0), &why, sizeof why);
        }
        out_.closeEnd(1);
        error_.closeEnd(1);
        if (why != 0) {
            return fail(Error::Code::Environment,
                        request_.command.front(),
                        "cannot be run: " + std::generic_category().message(why));
        }
        return {};
    }

    ChildOutcome finish() {
        while (true) {
            const bool open = readSome();
            if (!open || hasEnded()) {
                drain();
                break;
            }
            judge();
        }
        reap();
        flushLine();
        return std::move(outcome_);
    }

private:
    /// What has come on either stream within a tick; false when both are closed.
    bool readSome() {
        std::array<pollfd, 2> streams = {pollfd{out_.end(0), POLLIN, 0},
                                         pollfd{error_.end(0), POLLIN, 0}};
        if (::poll(streams.data(), streams.size(), kTickMs) > 0) {
            read(out_, streams[0].revents, false);
            read(error_, streams[1].revents, true);
        }
        return out_.end(0) >= 0 || error_.end(0) >= 0;
    }

    void read(ChildPipe& pipe, int events, bool isError) {
        if (events == 0) {
            return;
        }
        std::array<char, 65536> buffer{};
        const ssize_t count = ::read(pipe.end(0), buffer.data(), buffer.size());
        if (count <= 0) {
            if (count == 0 || errno != EINTR) {
                pipe.closeEnd(0);
            }
            return;
        }
        heard_ = Clock::now();
        const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
        if (isError) {
            takeError(text);
        } else if (outcome_.out.size() + text.size() <= kMostOut) {
            outcome_.out += text;
        }
    }

    void takeError(std::string_view text) {
        for (const char letter : text) {
            if (letter == '\n' || letter == '\r') {
                flushLine();
            } else if (line_.size() < kLongestLine) {
                line_ += letter;
            }
        }
    }

    void flushLine() {
        if (line_.empty()) {
            return;
        }
        if (request_.onError) {
            request_.onError(line_);
        }
        outcome_.lastLines.push_back(std::exchange(line_, {}));
        if (outcome_.lastLines.size() > kLastLines) {
            outcome_.lastLines.erase(outcome_.lastLines.begin());
        }
    }

    /// Whether the program itself is gone: others may still hold its streams.
    bool hasEnded() {
        int status = 0;
        if (ended_ || ::waitpid(process_, &status, WNOHANG) != process_) {
            return ended_;
        }
        keepStatus(status);
        return true;
    }

    void keepStatus(int status) {
        ended_ = true;
        if (WIFSIGNALED(status)) {
            outcome_.signal = WTERMSIG(status);
            if (outcome_.end == ChildOutcome::End::Exited) {
                outcome_.end = ChildOutcome::End::Killed;
            }
        } else {
            outcome_.code = WEXITSTATUS(status);
        }
    }

    void drain() {
        for (int tick = 0; tick < 4 && (out_.end(0) >= 0 || error_.end(0) >= 0); ++tick) {
            (void)readSome();
        }
    }

    /// Asks it to stop where it is time, and ends it where it does not.
    void judge() {
        using End = ChildOutcome::End;
        if (!asked_) {
            if (request_.interrupted && request_.interrupted()) {
                ask(SIGINT, End::Interrupted);
            } else if (request_.mostSeconds > 0 && secondsSince(begun_) > request_.mostSeconds) {
                ask(SIGINT, End::OutOfTime);
            } else if (request_.silentSeconds > 0 &&
                       secondsSince(heard_) > request_.silentSeconds) {
                ask(SIGTERM, End::Stalled);
            }
            return;
        }
        const double grace = outcome_.end == End::Stalled ? kKillSeconds : request_.graceSeconds;
        const double waited = secondsSince(*asked_);
        if (waited > grace) {
            ::kill(-process_, waited > grace + kKillSeconds ? SIGKILL : SIGTERM);
        }
    }

    void ask(int signal, ChildOutcome::End why) {
        asked_ = Clock::now();
        outcome_.end = why;
        ::kill(-process_, signal);
    }

    /// Nothing of its group is left behind. A program that closed its streams may go on a little.
    void reap() {
        while (!hasEnded()) {
            judge();
            std::this_thread::sleep_for(std::chrono::milliseconds(kTickMs));
        }
        ::kill(-process_, SIGKILL);
        process_ = -1;
    }

    const ChildRequest& request_;
    ChildPipe out_;
    ChildPipe error_;
    pid_t process_ = -1;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point heard_ = Clock::now();
    std::optional<Clock::time_point> asked_;
    bool ended_ = false;
    std::string line_;
    ChildOutcome outcome_;
};

}  // namespace

Result<ChildOutcome> runChild(const ChildRequest& request) {
    Child child(request);
    FABRICAST_TRY(child.start());
    return child.finish();
}

}  // namespace fabricast
