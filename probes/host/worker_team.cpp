#include "probes/host/worker_team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace fabricast::probe {

namespace {

std::vector<int> usable() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
                cpus.push_back(cpu);
            }
        }
    }
    return cpus;
}

/// A thread that may not be bound runs where the kernel puts it.
void bindTo(std::thread& thread, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    (void)pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
}

}  // namespace

int WorkerTeam::usableCpus() {
    return std::max(1, static_cast<int>(usable().size()));
}

WorkerTeam::WorkerTeam(int workers) : begin_(workers + 1), end_(workers + 1) {
    const std::vector<int> cpus = usable();
    for (int worker = 0; worker < workers; ++worker) {
        threads_.emplace_back([this, worker] { work(worker); });
        if (!cpus.empty()) {
            const auto place =
                static_cast<std::size_t>(worker) * cpus.size() / static_cast<std::size_t>(workers);
            bindTo(threads_.back(), cpus[place]);
        }
    }
}

WorkerTeam::~WorkerTeam() {
    task_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void WorkerTeam::work(int worker) {
    while (true) {
        begin_.arrive_and_wait();
        if (task_ == nullptr) {
            return;
        }
        (*task_)(worker);
        end_.arrive_and_wait();
    }
}

double WorkerTeam::run(const std::function<void(int worker)>& task) {
    task_ = &task;
    const auto begin = std::chrono::steady_clock::now();
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace fabricast::probe
