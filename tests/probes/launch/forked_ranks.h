#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace fabricast::probe {

/// One process per rank, forked from the test. What `run` answers comes back as text.
class ForkedRanks {
public:
    explicit ForkedRanks(std::vector<std::function<std::string()>> ranks) {
        for (const auto& run : ranks) {
            int ends[2] = {-1, -1};
            if (pipe(ends) != 0) {
                continue;
            }
            const pid_t child = fork();
            if (child == 0) {
                close(ends[0]);
                const std::string text = run();
                (void)!write(ends[1], text.data(), text.size());
                _exit(0);
            }
            close(ends[1]);
            children_.push_back({child, ends[0]});
        }
    }
    ForkedRanks(const ForkedRanks&) = delete;
    ForkedRanks& operator=(const ForkedRanks&) = delete;
    ~ForkedRanks() {
        for (const Child& child : children_) {
            if (child.pid > 0) {
                kill(child.pid, SIGKILL);
                waitpid(child.pid, nullptr, 0);
            }
            close(child.pipe);
        }
    }

    void signal(std::size_t rank, int number) const { kill(children_[rank].pid, number); }

    /// What the rank answered: empty where a signal ended it. "hangs" after a timeout.
    std::string answer(std::size_t rank, double seconds = 10.0) {
        Child& child = children_[rank];
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (waitpid(child.pid, nullptr, WNOHANG) == 0) {
            if (std::chrono::steady_clock::now() > end) {
                return "hangs";
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        child.pid = -1;
        std::string text;
        char buffer[4096];
        for (ssize_t count = 0; (count = read(child.pipe, buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(count));
        }
        return text;
    }

private:
    struct Child {
        pid_t pid = -1;
        int pipe = -1;
    };
    std::vector<Child> children_;
};

}  // namespace fabricast::probe
