#include "probes/mpi/mpi_checks.h"
#include "probes/record/probe_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace fabricast::probe {

namespace {

// A signal belongs to the process, and so must what its handler prints.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::array<char, 512> words{};

extern "C" void onAlarm(int /*number*/) {
    const ssize_t ignored = write(STDERR_FILENO, words.data(), std::strlen(words.data()));
    _exit(ignored < 0 ? kEnvironment : kEnvironment);
}

void say(const std::string& text) {
    const std::size_t length = std::min(text.size(), words.size() - 1);
    std::memcpy(words.data(), text.data(), length);
    words.at(length) = '\0';
}

}  // namespace

Deadline::Deadline(unsigned seconds, const std::string& waitedFor)
    : outerText_(words.data()), outerSeconds_(alarm(0)) {
    say("error: fabricast-probe-mpi: " + waitedFor + ": still waiting after " +
        std::to_string(seconds) +
        " s; another rank is gone, stopped or far slower (--deadline gives more time)\n");
    struct sigaction action = {};
    action.sa_handler = onAlarm;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, nullptr);
    alarm(seconds);
}

Deadline::~Deadline() {
    alarm(0);
    say(outerText_);
    alarm(outerSeconds_);
}

}  // namespace fabricast::probe
