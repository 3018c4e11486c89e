#pragma once
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

/// Runs the CUDA probe in a shell: `before` are words before it (variables, "timeout -s INT 1"),
/// `arguments` those behind it.
inline ProbeRun runCudaProbe(const std::string& arguments, const std::string& before = "") {
    const std::string errors = testing::TempDir() + "/probe_cuda_errors_" +
                               testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string command =
        "env " + before + " " FABRICAST_PROBE_CUDA " " + arguments + " 2>" + errors;
    ProbeRun run;
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
        run.out.append(buffer.data(), got);
    }
    const int status = pclose(pipe);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run.err = textOfFile(errors);
    return run;
}

/// The same on the device that is not there.
inline ProbeRun runOnNullDevice(const std::string& arguments, const std::string& more = "") {
    return runCudaProbe(arguments, "LD_PRELOAD=" FABRICAST_NULL_DEVICE " " + more);
}

}  // namespace fabricast::probe
