#include "machine/listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace fabricast {

Result<ListeningSocket> ListeningSocket::open() {
    constexpr int kCallers = 4096;
    ListeningSocket listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    if (listener.handle_ < 0 || ::bind(listener.handle_, general, size) != 0 ||
        ::listen(listener.handle_, kCallers) != 0 ||
        ::getsockname(listener.handle_, general, &size) != 0) {
        return fail(Error::Code::Environment,
                    "127.0.0.1",
                    "cannot listen on any port: " + std::generic_category().message(errno));
    }
    listener.port_ = ntohs(address.sin_port);
    return listener;
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), port_(other.port_) {}

ListeningSocket::~ListeningSocket() {
    if (handle_ >= 0) {
        ::close(handle_);
    }
}

int ListeningSocket::release() {
    return std::exchange(handle_, -1);
}

}  // namespace fabricast
