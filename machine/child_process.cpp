#include "machine/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
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

/// Both ends of a pipe, closed with their owner.
class ChildPipe {
public:
    ChildPipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
            ends_ = {-1, -1};
        }
    }
    ChildPipe(const ChildPipe&) = delete;
    ChildPipe& operator=(const ChildPipe&) = delete;
    ~ChildPipe() {
        closeEnd(0);
        closeEnd(1);
    }
    [[nodiscard]] int end(std::size_t which) const { return ends_.at(which); }
    void closeEnd(std::size_t which) {
        if (ends_.at(which) >= 0) {
            ::close(ends_.at(which));
            ends_.at(which) = -1;
        }
    }

private:
    std::array<int, 2> ends_{};
};

class Child {
public:
    explicit Child(const ChildRequest& request) : request_(request) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (group_ > 0) {
            ::kill(-group_, SIGKILL);
            for (const pid_t process : running_) {
                while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
                }
            }
        }
    }

    Result<void> start() {
        ChildPipe report;
        int why = 0;
        const std::size_t copies = std::max<std::size_t>(1, request_.environments.size());
        for (std::size_t copy = 0; copy < copies && why == 0; ++copy) {
            const bool alone = request_.environments.empty();
            const pid_t process =
                spawnProcess({request_.command,
                              alone ? std::vector<std::string>() : request_.environments[copy],
                              out_.end(1),
                              error_.end(1),
                              report.end(1),
                              group_,
                              copy == 0 ? request_.inherited : -1});
            if (process < 0) {
                why = -process;
            } else {
                group_ = group_ > 0 ? group_ : process;
                running_.push_back(process);
            }
        }
        report.closeEnd(1);
        if (request_.inherited >= 0) {
            ::close(request_.inherited);
        }
        if (why == 0) {
            while (::read(report.end(0), &why, sizeof why) < 0 && errno == EINTR) {
            }
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
            enforceLimits();
        }
        reap();
        flushLine();
        return std::move(outcome_);
    }

private:
    /// Reads what arrives on either stream within a tick; false when both are closed.
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
        // Copies often print the same line.
        if (!outcome_.lastLines.empty() && outcome_.lastLines.back() == line_) {
            line_.clear();
            return;
        }
        outcome_.lastLines.push_back(std::exchange(line_, {}));
        if (outcome_.lastLines.size() > kLastLines) {
            outcome_.lastLines.erase(outcome_.lastLines.begin());
        }
    }

    /// Whether the program itself has ended: its children may still hold its streams.
    bool hasEnded() {
        std::erase_if(running_, [&](pid_t process) {
            int status = 0;
            const bool gone = ::waitpid(process, &status, WNOHANG) == process;
            if (gone) {
                keepStatus(status);
            }
            return gone;
        });
        return running_.empty();
    }

    void keepStatus(int status) {
        if (WIFSIGNALED(status) && outcome_.end == ChildOutcome::End::Exited) {
            outcome_.signal = WTERMSIG(status);
            outcome_.end = ChildOutcome::End::Killed;
        } else if (WIFEXITED(status) && outcome_.code == 0) {
            outcome_.code = WEXITSTATUS(status);
        }
    }

    void drain() {
        for (int tick = 0; tick < 4 && (out_.end(0) >= 0 || error_.end(0) >= 0); ++tick) {
            (void)readSome();
        }
    }

    /// Asks it to stop when it is due, and kills it if it does not.
    void enforceLimits() {
        using End = ChildOutcome::End;
        if (!asked_) {
            if (request_.stop.stop_requested()) {
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
            ::kill(-group_, waited > grace + kKillSeconds ? SIGKILL : SIGTERM);
        }
    }

    void ask(int signal, ChildOutcome::End why) {
        asked_ = Clock::now();
        outcome_.end = why;
        ::kill(-group_, request_.graceSeconds > 0 ? signal : SIGKILL);
        ::kill(-group_, SIGCONT);  // who was halted hears it only then
    }

    /// Leaves nothing of its process group behind. A program that closed its streams may still run.
    void reap() {
        while (!hasEnded()) {
            enforceLimits();
            ::poll(nullptr, 0, kTickMs);
        }
        ::kill(-group_, SIGKILL);
        group_ = 0;
    }

    const ChildRequest& request_;
    ChildPipe out_;
    ChildPipe error_;
    pid_t group_ = 0;
    std::vector<pid_t> running_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point heard_ = Clock::now();
    std::optional<Clock::time_point> asked_;
    std::string line_;
    ChildOutcome outcome_;
};

}  // namespace

Result<ChildOutcome> runChild(const ChildRequest& request) {
    Child child(request);
    FABRICAST_TRY(child.start());
    return child.finish();
}

std::string endText(const ChildOutcome& outcome) {
    using End = ChildOutcome::End;
    std::string text;
    switch (outcome.end) {
        case End::Exited:
            text = "ended with exit code " + std::to_string(outcome.code);
            break;
        case End::Killed:
            text = std::string("was killed by a signal: ") + ::strsignal(outcome.signal);
            break;
        case End::Stalled:
            text = "stopped printing and was killed";
            break;
        case End::OutOfTime:
            text = "ran out of time and was stopped";
            break;
        case End::Interrupted:
            text = "was interrupted";
            break;
    }
    // What passes it on is one error.
    constexpr std::string_view kError = "error: ";
    for (const std::string& line : outcome.lastLines) {
        text += "\n    " + (line.starts_with(kError) ? line.substr(kError.size()) : line);
    }
    return text;
}

}  // namespace fabricast
