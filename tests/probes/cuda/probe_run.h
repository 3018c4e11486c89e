#pragma once
#include "tests/support/temp_folder.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace fabricast::probe {

/// How a probe ended, and what it wrote.
struct ProbeRun {
    int code = -1;
    std::string out;
    std::string err;
};

inline std::string textOfFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What a command of the shell writes, and how it ends.
inline ProbeRun runShell(const std::string& command) {
    const std::string errors = tempFolder() + "/probe_cuda_errors_" +
                               testing::UnitTest::GetInstance()->current_test_info()->name();
    ProbeRun run;
    std::FILE* const pipe = popen((command + " 2>" + errors).c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        run.out.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.err = textOfFile(errors);
    return run;
}

/// Runs the CUDA probe: `before` are words before it (variables, "timeout 1"), `arguments` those
/// behind it.
inline ProbeRun runCudaProbe(const std::string& arguments, const std::string& before = "") {
    return runShell("env " + before + " " FABRICAST_PROBE_CUDA " " + arguments);
}

/// The same on the null device.
inline ProbeRun runOnNullDevice(const std::string& arguments, const std::string& more = "") {
    return runCudaProbe(arguments, "LD_PRELOAD=" FABRICAST_NULL_DEVICE " " + more);
}

/// Ctrl-C as soon as `file` holds three lines, or after half a minute.
inline ProbeRun interruptOnNullDevice(const std::string& arguments,
                                      const std::string& file,
                                      const std::string& more) {
    const std::string wait = "for at in $(seq 300); do [ \"$(wc -l <" + file +
                             ")\" -ge 3 ] && break; sleep 0.1; done 2>/dev/null; ";
    return runShell("bash -c 'set -m; env LD_PRELOAD=" FABRICAST_NULL_DEVICE " " + more +
                    " " FABRICAST_PROBE_CUDA " " + arguments + " & " + wait +
                    "kill -INT $!; wait $!'");
}

}  // namespace fabricast::probe
