#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricast {

/// Applies a pure function to every item on several threads. The answer is in the order of the
/// items and does not depend on the number of threads; it is empty when the work was stopped.
///     const auto plans = parallelMap(layouts, estimate, {.threads = 8, .stop = token});
/// When calls throw, the exception of the earliest item is the one that comes out.
struct ParallelOptions {
    std::size_t threads = 1;  ///< the calling thread is one of them; 0 is taken as 1
    std::stop_token stop{};
};

/// Threads that the machine runs at once; at least 1.
inline std::size_t threadsOfMachine() {
    return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

namespace parallel {

/// What the threads share: the next item to take, and the earliest item that threw.
class Queue {
public:
    Queue(std::size_t items, std::size_t threads)
        : items_(items), block_(std::max<std::size_t>(1, items / (threads * 16))) {}

    /// The next few items, or an empty range when there is nothing left to do.
    std::pair<std::size_t, std::size_t> take() {
        const std::size_t first = next_.fetch_add(block_);
        return {std::min(first, items_), std::min(first + block_, items_)};
    }

    void failed(std::size_t item, std::exception_ptr error) {
        next_ = items_;  // items before this one are already taken, and will be finished
        const std::lock_guard lock(mutex_);
        if (!error_ || item < failedItem_) {
            failedItem_ = item;
            error_ = std::move(error);
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::size_t items_;
    std::size_t block_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t failedItem_ = 0;
    std::exception_ptr error_;
};

template <class Item, class Function, class Output>
void work(Queue& queue,
          std::span<const Item> items,
          const Function& function,
          std::vector<std::optional<Output>>& outputs,
          const std::stop_token& stop) {
    for (auto [item, end] = queue.take(); item < end; std::tie(item, end) = queue.take()) {
        for (; item < end && !stop.stop_requested(); ++item) {
            try {
                outputs[item].emplace(function(items[item]));
            } catch (...) {
                queue.failed(item, std::current_exception());
                return;
            }
        }
    }
}

}  // namespace parallel

template <class Items, class Function>
auto parallelMap(const Items& items,
                 const Function& function,
                 const ParallelOptions& options = {}) {
    using Item = std::remove_cvref_t<decltype(*std::data(items))>;
    using Output = std::invoke_result_t<const Function&, const Item&>;
    const std::span<const Item> inputs(items);
    const std::size_t threads =
        std::clamp<std::size_t>(options.threads, 1, std::max<std::size_t>(1, inputs.size()));
    std::vector<std::optional<Output>> outputs(inputs.size());
    parallel::Queue queue(inputs.size(), threads);
    const auto worker = [&] { parallel::work(queue, inputs, function, outputs, options.stop); };
    {
        std::vector<std::jthread> others;
        for (std::size_t thread = 1; thread < threads; ++thread) {
            others.emplace_back(worker);
        }
        worker();
    }
    queue.rethrow();
    std::optional<std::vector<Output>> answer;
    if (std::ranges::all_of(outputs, [](const auto& output) { return output.has_value(); })) {
        answer.emplace();
        answer->reserve(outputs.size());
        for (auto& output : outputs) {
            answer->push_back(*std::move(output));
        }
    }
    return answer;
}

}  // namespace fabricast
