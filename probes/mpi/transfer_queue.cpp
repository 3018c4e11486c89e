#include "probes/mpi/transfer_queue.h"

#include <utility>

namespace fabricast::probe {

TransferQueue::TransferQueue() : thread_([this] { work(); }) {}

TransferQueue::~TransferQueue() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

std::size_t TransferQueue::add(std::function<void()> transfer) {
    std::size_t ticket = 0;
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(transfer));
        ticket = ++added_;
    }
    changed_.notify_all();
    return ticket;
}

void TransferQueue::wait(std::size_t ticket) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= ticket; });
}

void TransferQueue::waitAll() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ == added_; });
}

void TransferQueue::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        const std::function<void()> transfer = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        transfer();
        lock.lock();
        ++done_;
        changed_.notify_all();
    }
}

}  // namespace fabricast::probe
