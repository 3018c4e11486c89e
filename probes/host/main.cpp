#include "probes/host/host_program.h"

#include <csignal>

int main(int argc, char** argv) {
    (void)std::signal(SIGPIPE, SIG_IGN);
    return fabricast::probe::runHostProbe({argv + 1, static_cast<std::size_t>(argc - 1)});
}
