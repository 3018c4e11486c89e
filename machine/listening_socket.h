#pragma once
#include "planner/base/result.h"

#include <cstdint>

namespace fabricast {

/// A socket that already listens on a free TCP port of the loopback. Handing it to the process that
/// answers there, instead of the number of its port, leaves no moment in which another program can
/// take the port.
class ListeningSocket {
public:
    static Result<ListeningSocket> open();

    ListeningSocket(ListeningSocket&& other) noexcept;
    ListeningSocket& operator=(ListeningSocket&&) = delete;
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;
    ~ListeningSocket();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// The descriptor, which the caller closes from now on.
    [[nodiscard]] int release();

private:
    explicit ListeningSocket(int handle) : handle_(handle) {}

    int handle_;
    std::uint16_t port_ = 0;
};

}  // namespace fabricast
