#pragma once
#include <mutex>
#include <stop_token>
#include <thread>

namespace fabricast {

/// Ctrl-C and SIGTERM as a stop token. It takes the signals when the token is first asked for, and
/// one of them once only: the next ends the program. The handler may do no more than wake a thread,
/// which then sets the token; a call that waits for a pipe is broken off. A program has one.
///     InterruptWatch watch;
///     const std::stop_token stop = watch();
class InterruptWatch {
public:
    InterruptWatch() = default;
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

    std::stop_token operator()();

private:
    void start();

    std::once_flag started_;
    std::stop_source source_;
    std::jthread waiter_;
};

/// What a shell says of a program that the signal ended which came, or that Ctrl-C did.
int interruptedStatus();

}  // namespace fabricast
