#pragma once
#include "probes/launch/socket.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace fabricast::probe {

/// How a rank is started: what is on its command line and in its environment.
struct RankStart {
    std::vector<std::string> words;
    std::map<std::string, std::string> environment;
};

/// How it ended.
struct RankEnd {
    int code = -1;  ///< 128 and the signal's number where one ended it; -1: it hangs
    std::string out;
    std::string err;
};

inline std::string textOfFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::uint16_t freePort() {
    const Answer<Socket> socket = listenAt("127.0.0.1", 0);
    return socket ? portOf(*socket) : std::uint16_t{0};
}

/// The ranks of one run of fabricast-probe-nccl, on GPUs that are not there. None outlives it.
class NcclJob {
public:
    explicit NcclJob(const std::vector<RankStart>& ranks) {
        static int number = 0;
        folder_ = std::filesystem::path(tempFolder()) /
                  ("nccl_job_" + std::to_string(getpid()) + "_" + std::to_string(++number));
        std::filesystem::create_directories(folder_);
        for (const RankStart& rank : ranks) {
            pids_.push_back(start(rank, pids_.size()));
        }
    }
    NcclJob(const NcclJob&) = delete;
    NcclJob& operator=(const NcclJob&) = delete;
    ~NcclJob() {
        for (const pid_t pid : pids_) {
            if (pid > 0) {
                kill(pid, SIGKILL);
                waitpid(pid, nullptr, 0);
            }
        }
        std::filesystem::remove_all(folder_);
    }

    void signal(std::size_t rank, int number) const { kill(pids_[rank], number); }

    /// Waits until a rank has printed this on standard error or output; false after ten seconds.
    [[nodiscard]] bool says(std::size_t rank, const std::string& text) const {
        for (int turn = 0; turn < 1000; ++turn) {
            if ((textOfFile(out(rank)) + textOfFile(err(rank))).find(text) != std::string::npos) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    /// Waits for its end, but no longer than this.
    RankEnd end(std::size_t rank, double seconds = 15.0) {
        const auto limit =
            std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        int status = 0;
        RankEnd ended;
        while (waitpid(pids_[rank], &status, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > limit) {
                return ended;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        pids_[rank] = -1;
        ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        ended.out = textOfFile(out(rank));
        ended.err = textOfFile(err(rank));
        return ended;
    }

private:
    [[nodiscard]] std::filesystem::path out(std::size_t rank) const {
        return folder_ / ("out." + std::to_string(rank));
    }
    [[nodiscard]] std::filesystem::path err(std::size_t rank) const {
        return folder_ / ("err." + std::to_string(rank));
    }

    pid_t start(const RankStart& rank, std::size_t number) const {
        std::vector<std::string> words = {FABRICAST_PROBE_NCCL};
        words.insert(words.end(), rank.words.begin(), rank.words.end());
        std::vector<std::string> variables = {"PATH=/usr/bin:/bin"};
        if (!rank.environment.contains("FABRICAST_PROBE_TOKEN")) {
            variables.emplace_back("FABRICAST_PROBE_TOKEN=our-secret");
        }
        for (const auto& [name, value] : rank.environment) {
            variables.push_back(name + "=" + value);
        }
        const std::string outPath = out(number).string();
        const std::string errPath = err(number).string();
        const pid_t child = fork();
        if (child == 0) {
            (void)!std::freopen(outPath.c_str(), "w", stdout);
            (void)!std::freopen(errPath.c_str(), "w", stderr);
            std::vector<char*> arguments = pointersTo(words);
            std::vector<char*> environment = pointersTo(variables);
            execve(arguments.front(), arguments.data(), environment.data());
            _exit(127);
        }
        return child;
    }

    static std::vector<char*> pointersTo(std::vector<std::string>& texts) {
        std::vector<char*> pointers;
        for (std::string& text : texts) {
            pointers.push_back(text.data());
        }
        pointers.push_back(nullptr);
        return pointers;
    }

    std::filesystem::path folder_;
    std::vector<pid_t> pids_;
};

/// Ranks that are started by hand, all the same: short waits, and a GPU for each.
inline std::vector<RankStart> ranksOf(int world, const std::vector<std::string>& words) {
    const std::string address = "127.0.0.1:" + std::to_string(freePort());
    std::vector<RankStart> ranks;
    for (int rank = 0; rank < world; ++rank) {
        RankStart start;
        start.words = {"--rank",
                       std::to_string(rank),
                       "--world-size",
                       std::to_string(world),
                       "--rendezvous",
                       address,
                       "--timeout",
                       "5s",
                       "--join-timeout",
                       "3s"};
        start.words.insert(start.words.end(), words.begin(), words.end());
        start.environment = {
            {"LD_PRELOAD", std::string(FABRICAST_NULL_DEVICE) + " " + FABRICAST_NULL_NCCL},
            {"FABRICAST_NULL_GPUS", std::to_string(world)}};
        ranks.push_back(std::move(start));
    }
    return ranks;
}

/// Pids and host names differ from run to run: "rank 1 (…)".
inline std::string withoutNames(std::string text) {
    for (std::size_t at = 0; (at = text.find(" (", at)) != std::string::npos; ++at) {
        const std::size_t end = text.find(')', at);
        if (end != std::string::npos && text.find(", pid ", at) < end) {
            text.erase(at, end - at + 1);
        }
    }
    return text;
}

}  // namespace fabricast::probe
