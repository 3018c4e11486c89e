#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fabricast::probe {

/// Transfers that run one after another beside the computing thread, as on a stream of a GPU. While
/// any is under way, only they may use the wire.
///     const std::size_t ticket = queue.add([&] { ringAllReduce(wire, group, in, out); });
///     … compute …
///     queue.wait(ticket);
class TransferQueue {
public:
    TransferQueue();
    ~TransferQueue();
    TransferQueue(const TransferQueue&) = delete;
    TransferQueue& operator=(const TransferQueue&) = delete;

    std::size_t add(std::function<void()> transfer);
    /// Until this one, and so all before it, is done. Ticket 0 was never given, and is.
    void wait(std::size_t ticket);
    void waitAll();

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    std::size_t added_ = 0;
    std::size_t done_ = 0;
    bool ends_ = false;
    std::thread thread_;  ///< begins when all else is there
};

}  // namespace fabricast::probe
