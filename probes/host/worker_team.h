#pragma once
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace fabricast::probe {

/// Threads that wait, each on a CPU of its own, to do one thing together; spread over the CPUs that
/// this process may use, so that a few of them meet every socket's memory.
class WorkerTeam {
public:
    explicit WorkerTeam(int workers);
    WorkerTeam(const WorkerTeam&) = delete;
    WorkerTeam& operator=(const WorkerTeam&) = delete;
    ~WorkerTeam();

    [[nodiscard]] int workers() const { return static_cast<int>(threads_.size()); }

    /// Every worker does `task` once with its number; the seconds until the last has.
    double run(const std::function<void(int worker)>& task);

    /// The CPUs that this process may use.
    static int usableCpus();

private:
    void work(int worker);

    std::barrier<> begin_;
    std::barrier<> end_;
    const std::function<void(int)>* task_ = nullptr;  ///< null: go home
    std::vector<std::thread> threads_;
};

}  // namespace fabricast::probe
