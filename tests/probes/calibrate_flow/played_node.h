#pragma once
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace fabricast {

namespace fs = std::filesystem;

inline std::string textOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::size_t linesIn(const fs::path& path) {
    const std::string text = textOf(path);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Waits until something holds; false after a timeout.
inline bool within(double seconds, const std::function<bool()>& holds) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > limit) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

/// How a run of calibrate ended.
struct FlowEnd {
    int code = -1;  ///< 128 and the number of the signal that ended it; -1: it hangs
    std::string out;
    std::string err;
};

/// A node with two GPUs that are not there: the real probes, each started on the null device. What
/// a run of calibrate on it starts is marked, so that what outlives it is found.
class PlayedNode {
public:
    PlayedNode() : mark_("FABRICAST_FLOW=" + std::to_string(::getpid()) + "." + testName()) {
        folder_ = fs::path(tempFolder()) / ("fabricast_flow_" + testName());
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "probes");
        for (const std::string program :
             {FABRICAST_PROBE_HOST, FABRICAST_PROBE_CUDA, FABRICAST_PROBE_NCCL}) {
            addProbe(program);
        }
        // Listing the machine needs a driver, which is not simulated.
        std::ofstream(folder_ / "probes" / "inventory")
            << R"({"schema":"fabricast.machine/1","host":{"cpu":"played"},"ports":[],"gpus":[)"
               R"({"index":0,"name":"null device","architecture":"sm_90","memory":1073741824},)"
               R"({"index":1,"name":"null device","architecture":"sm_90","memory":1073741824}]})";
    }
    PlayedNode(const PlayedNode&) = delete;
    PlayedNode& operator=(const PlayedNode&) = delete;
    ~PlayedNode() {
        end();
        EXPECT_TRUE(within(5.0, [&] { return leftBehind().empty(); })) << "something goes on";
        for (const pid_t process : leftBehind()) {
            ::kill(process, SIGKILL);
        }
    }

    [[nodiscard]] std::string at(const std::string& name) const {
        return (folder_ / name).string();
    }

    /// Starts `fabricast calibrate` with these words. `before` are those of a program around it.
    void start(const std::vector<std::string>& words,
               std::vector<std::string> variables = {},
               const std::vector<std::string>& before = {}) {
        std::vector<std::string> command = before;
        command.insert(command.end(), {FABRICAST_BINARY, "calibrate", "--probes", at("probes")});
        command.insert(command.end(), words.begin(), words.end());
        variables.insert(variables.end(), {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", mark_});
        const bool counted = std::ranges::any_of(variables, [](const std::string& variable) {
            return variable.starts_with("FABRICAST_NULL_GPUS=");
        });
        if (!counted) {
            variables.emplace_back("FABRICAST_NULL_GPUS=2");
        }
        std::vector<char*> arguments = pointersTo(command);
        std::vector<char*> environment = pointersTo(variables);
        process_ = ::fork();
        if (process_ == 0) {
            (void)!std::freopen(at("out").c_str(), "w", stdout);
            (void)!std::freopen(at("err").c_str(), "w", stderr);
            ::execve(arguments.front(), arguments.data(), environment.data());
            ::_exit(127);
        }
    }
    /// Waits for its end, but no longer than this.
    FlowEnd end(double seconds = 60.0) {
        FlowEnd ended;
        int status = 0;
        if (process_ > 0 &&
            within(seconds, [&] { return ::waitpid(process_, &status, WNOHANG) == process_; })) {
            ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            process_ = -1;
        } else if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
            process_ = -1;
        }
        ended.out = textOf(at("out"));
        ended.err = textOf(at("err"));
        return ended;
    }
    FlowEnd run(const std::vector<std::string>& words,
                const std::vector<std::string>& variables = {},
                const std::vector<std::string>& before = {}) {
        start(words, variables, before);
        return end();
    }

    void signal(int number) const { ::kill(process_, number); }

    /// Processes that this run started, except calibrate itself.
    [[nodiscard]] std::vector<pid_t> leftBehind() const {
        std::vector<pid_t> found;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator("/proc", error)) {
            const std::string name = entry.path().filename();
            if (name.find_first_not_of("0123456789") != std::string::npos) {
                continue;
            }
            const pid_t number = std::stoi(name);
            const std::string around = textOf(entry.path() / "environ");
            if (number != process_ && (around + '\0').find(mark_ + '\0') != std::string::npos) {
                found.push_back(number);
            }
        }
        return found;
    }
    /// The probe that runs now, of this program; 0: none within ten seconds.
    [[nodiscard]] pid_t probe(const std::string& program, std::size_t nth = 0) const {
        pid_t found = 0;
        (void)within(10.0, [&] {
            std::size_t seen = 0;
            for (const pid_t process : leftBehind()) {
                const std::string command = textOf("/proc/" + std::to_string(process) + "/cmdline");
                const bool is =
                    fs::path(command.substr(0, command.find('\0'))).filename() == program;
                if (is && seen++ == nth) {
                    found = process;
                }
            }
            return found != 0;
        });
        return found;
    }

private:
    void addProbe(const std::string& program) const {
        const fs::path script = folder_ / "probes" / fs::path(program).filename();
        std::ofstream(script) << "#!/bin/sh\n"
                                 "[ \"$1\" = --inventory ] && exec cat \"${0%/*}/inventory\"\n"
                                 "exec env LD_PRELOAD='" FABRICAST_NULL_DEVICE
                                 " " FABRICAST_NULL_NCCL "' '"
                              << program << "' \"$@\"\n";
        fs::permissions(script, fs::perms::owner_all);
    }
    static std::string testName() {
        return testing::UnitTest::GetInstance()->current_test_info()->name();
    }
    static std::vector<char*> pointersTo(std::vector<std::string>& texts) {
        std::vector<char*> pointers;
        for (std::string& text : texts) {
            pointers.push_back(text.data());
        }
        pointers.push_back(nullptr);
        return pointers;
    }

    fs::path folder_;
    std::string mark_;
    pid_t process_ = -1;
};

}  // namespace fabricast
