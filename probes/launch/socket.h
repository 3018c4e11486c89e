#pragma once
#include "probes/record/answer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace fabricast::probe {

/// When waiting ends, on a clock that nobody sets.
class WaitLimit {
public:
    using Clock = std::chrono::steady_clock;

    static WaitLimit in(double seconds) {
        // A few years are as good as for ever, and do not overflow the clock.
        constexpr double kEver = 1e8;
        return WaitLimit(Clock::now() +
                         std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(std::clamp(seconds, 0.0, kEver))));
    }

    [[nodiscard]] bool passed() const { return Clock::now() >= end_; }

    /// What is left in milliseconds for poll(): at most `most`, so that whoever waits looks around.
    [[nodiscard]] int pollMs(int most) const {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
        return static_cast<int>(
            std::clamp<std::chrono::milliseconds::rep>(left.count() + 1, 0, most));
    }

private:
    explicit WaitLimit(Clock::time_point end) : end_(end) {}

    Clock::time_point end_;
};

/// A TCP socket, closed with its owner; never blocks, and no child inherits it.
class Socket {
public:
    Socket() = default;
    explicit Socket(int handle) : handle_(handle) {}
    Socket(Socket&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket();

    [[nodiscard]] int handle() const { return handle_; }
    [[nodiscard]] bool open() const { return handle_ >= 0; }

private:
    int handle_ = -1;
};

/// Waits for callers at this address and port; at no other address. Trouble where the host is not
/// this one, or has no address.
Answer<Socket> listenAt(const std::string& host, std::uint16_t port);

/// A socket that this process was started with and that listens already. No child inherits it.
Answer<Socket> adoptListener(int handle);

/// The port at which it listens.
std::uint16_t portOf(const Socket& listener);

/// Whoever calls next; not open where nobody does.
Socket acceptFrom(const Socket& listener);

/// One attempt to call. Trouble says what the system said.
Answer<Socket> callOnce(const std::string& host, std::uint16_t port, const WaitLimit& deadline);

/// "10.0.0.2:41234", the other end.
std::string peerOf(const Socket& socket);

/// This host's name.
std::string hostName();

}  // namespace fabricast::probe
