#include "machine/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

/// Texts as execve takes them: pointers with a null at the end.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Adds the variables of our own environment that are not set yet.
void addOurs(std::vector<std::string>& environment) {
    const std::size_t own = environment.size();
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('=') + 1);
        const bool isSet =
            std::any_of(environment.begin(),
                        environment.begin() + static_cast<std::ptrdiff_t>(own),
                        [&](const std::string& set) { return set.starts_with(name); });
        if (!isSet) {
            environment.emplace_back(text);
        }
    }
}

/// Runs in the new process before exec: only calls that are safe after a fork.
[[noreturn]] void become(const ProcessStart& start,
                         const std::vector<char*>& words,
                         const std::vector<char*>& variables) {
    ::setpgid(0, start.group);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (start.inherited >= 0) {
        ::fcntl(start.inherited, F_SETFD, 0);
    }
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(start.out, STDOUT_FILENO);
    ::dup2(start.error, STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    ::execvpe(words.front(), words.data(), variables.data());
    const int why = errno;
    (void)!::write(start.report, &why, sizeof why);
    ::_exit(127);
}

}  // namespace

pid_t spawnProcess(ProcessStart start) {
    addOurs(start.environment);
    const std::vector<char*> words = pointersTo(start.command);
    const std::vector<char*> variables = pointersTo(start.environment);
    const pid_t process = ::fork();
    if (process == 0) {
        become(start, words, variables);
    }
    if (process < 0) {
        return -errno;
    }
    ::setpgid(process,
              start.group > 0 ? start.group : process);  // parent or child, whichever runs first
    return process;
}

}  // namespace fabricast
