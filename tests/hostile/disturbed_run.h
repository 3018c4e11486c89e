#pragma once
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// How a program ended that was given little, or disturbed.
struct Disturbed {
    int code = -1;  ///< 128 and the number of the signal that ended it; -1: it hung
    std::string out;
    std::string err;
    double cpuSeconds = 0.0;
    std::int64_t peakBytes = 0;
};

/// What it is given, and what is done to it.
struct Conditions {
    std::vector<std::string> variables{};                 ///< "NAME=VALUE", beside PATH
    std::vector<std::pair<int, std::uint64_t>> limits{};  ///< RLIMIT_…, both soft and hard
    std::vector<int> closed{};                            ///< standard streams that are not open
    std::string in = "/dev/null";
    bool asNobody = false;      ///< where the test is root: as a user without rights
    int signal = 0;             ///< sent once; 0: none
    double after = 0.0;         ///< so many seconds from the start
    double mostSeconds = 60.0;  ///< by the clock; then it hangs
};

namespace disturbed_detail {

using Clock = std::chrono::steady_clock;
constexpr unsigned kNobody = 65534;

inline double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

[[noreturn]] inline void become(const std::vector<char*>& words,
                                const std::vector<char*>& variables,
                                const Conditions& conditions,
                                const std::array<int, 2>& streams) {
    ::dup2(::open(conditions.in.c_str(), O_RDONLY | O_NONBLOCK), STDIN_FILENO);
    ::dup2(streams[0], STDOUT_FILENO);
    ::dup2(streams[1], STDERR_FILENO);
    (void)std::signal(SIGPIPE, SIG_DFL);
    for (const int stream : conditions.closed) {
        ::close(stream);
    }
    if (conditions.asNobody && ::geteuid() == 0) {
        (void)!::setgid(kNobody);
        (void)!::setuid(kNobody);
    }
    for (const auto& [what, most] : conditions.limits) {
        const rlimit limit{.rlim_cur = most, .rlim_max = most};
        (void)::setrlimit(static_cast<__rlimit_resource>(what), &limit);
    }
    ::execve(words.front(), words.data(), variables.data());
    ::_exit(127);
}

/// Reads both streams until they end; sends the signal when it is due. False: it hangs.
inline bool watch(pid_t child,
                  const Conditions& conditions,
                  std::array<int, 2> ends,
                  Disturbed& run) {
    const Clock::time_point begin = Clock::now();
    bool due = conditions.signal != 0;
    while (ends[0] >= 0 || ends[1] >= 0) {
        const double limit = due ? conditions.after : conditions.mostSeconds;
        const double left = limit - since(begin);
        if (left <= 0.0 && !due) {
            return false;
        }
        if (left <= 0.0) {
            ::kill(child, conditions.signal);
            due = false;
            continue;
        }
        std::array<pollfd, 2> streams = {pollfd{ends[0], POLLIN, 0}, pollfd{ends[1], POLLIN, 0}};
        (void)::poll(streams.data(), streams.size(), static_cast<int>(left * 1000.0) + 1);
        for (std::size_t at = 0; at < streams.size(); ++at) {
            if (streams[at].revents == 0) {
                continue;
            }
            std::array<char, 65536> buffer{};
            const ssize_t count = ::read(ends[at], buffer.data(), buffer.size());
            if (count <= 0) {
                ::close(std::exchange(ends[at], -1));
            } else {
                (at == 0 ? run.out : run.err)
                    .append(buffer.data(), static_cast<std::size_t>(count));
            }
        }
    }
    return true;
}

}  // namespace disturbed_detail

/// Runs a program and waits for it.
///     disturbedRun({FABRICAST_BINARY, "model", "gpt2"}, {.limits = {{RLIMIT_NOFILE, 4}}})
inline Disturbed disturbedRun(std::vector<std::string> words, Conditions conditions = {}) {
    using namespace disturbed_detail;
    conditions.variables.emplace_back("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    const std::vector<char*> arguments = pointersTo(words);
    const std::vector<char*> environment = pointersTo(conditions.variables);
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
        return {};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        become(arguments, environment, conditions, {out[1], err[1]});
    }
    ::close(out[1]);
    ::close(err[1]);
    Disturbed run;
    const bool ended = watch(child, conditions, {out[0], err[0]}, run);
    if (!ended) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    rusage use{};
    ::wait4(child, &status, 0, &use);
    if (ended) {
        run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    run.cpuSeconds = seconds(use.ru_utime) + seconds(use.ru_stime);
    run.peakBytes = use.ru_maxrss * 1024;
    return run;
}

}  // namespace fabricast
