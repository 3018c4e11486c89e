#pragma once
#include "probes/launch/wait_limit.h"
#include "probes/record/answer.h"

#include <cstdint>
#include <string>
#include <utility>

namespace fabricast::probe {

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

/// Waits for callers at this port: on all addresses of the host, or on the loopback alone where
/// `host` is that. Port 0 takes any free one.
Answer<Socket> listenAt(const std::string& host, std::uint16_t port);

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
