#pragma once
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace fabricast {

/// How the program ended: its exit code, or 128 and the number of the signal that ended it.
struct Ended {
    int code = -1;
    std::string err;
};

/// Where the program's standard output goes, and what it is given as input.
struct Streams {
    std::string out = "/dev/null";  ///< a file; empty: closed
    std::string in = "/dev/null";
    bool brokenPipe = false;  ///< a pipe whose reader is gone, instead of `out`
};

namespace process_detail {

/// In the child: joins the streams and becomes the program.
[[noreturn]] inline void become(const std::vector<std::string>& words,
                                const Streams& streams,
                                int errorPipe) {
    (void)std::signal(SIGPIPE, SIG_DFL);
    ::dup2(::open(streams.in.c_str(), O_RDONLY), STDIN_FILENO);
    ::dup2(errorPipe, STDERR_FILENO);
    int ends[2] = {-1, -1};
    if (streams.brokenPipe && ::pipe(ends) == 0) {
        ::close(ends[0]);
        ::dup2(ends[1], STDOUT_FILENO);
    } else if (streams.out.empty()) {
        ::close(STDOUT_FILENO);
    } else {
        ::dup2(::open(streams.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    ::execv(arguments.front(), arguments.data());
    std::_Exit(127);
}

}  // namespace process_detail

/// Runs the built program and waits for it.
///     EXPECT_EQ(runBinary({"model", "gpt2"}, {}).code, 0);
inline Ended runBinary(std::vector<std::string> words, const Streams& streams) {
    words.insert(words.begin(), FABRICAST_BINARY);
    int errorPipe[2] = {-1, -1};
    if (::pipe(errorPipe) != 0) {
        return {};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(errorPipe[0]);
        process_detail::become(words, streams, errorPipe[1]);
    }
    ::close(errorPipe[1]);
    Ended ended;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(errorPipe[0], buffer, sizeof buffer)) > 0;) {
        ended.err.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(errorPipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

}  // namespace fabricast
