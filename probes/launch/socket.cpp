#include "probes/launch/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace fabricast::probe {

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Answer<Addresses> addressesOf(const std::string& host, std::uint16_t port) {
    addrinfo hints = {};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0) {
        return Trouble{"host '" + host + "' has no address: " + gai_strerror(error)};
    }
    return Addresses(found, &freeaddrinfo);
}

Socket newSocket(int family) {
    return Socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void setFlag(const Socket& socket, int level, int name, int value) {
    // What the system refuses here costs speed, not correctness.
    (void)setsockopt(socket.handle(), level, name, &value, sizeof value);
}

Answer<Socket> listenOn(const addrinfo& address, const std::string& host, int port) {
    Socket socket = newSocket(address.ai_family);
    if (socket.open()) {
        // A port whose last owner has just ended is free.
        setFlag(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    constexpr int kCallers = 4096;
    if (socket.open() && bind(socket.handle(), address.ai_addr, address.ai_addrlen) == 0 &&
        listen(socket.handle(), kCallers) == 0) {
        return socket;
    }
    const std::string where = "port " + std::to_string(port);
    return Trouble{errno == EADDRINUSE ? where + " is taken on " + hostName() +
                                             ": give another with --rendezvous HOST:PORT or "
                                             "FABRICAST_PROBE_PORT"
                   : errno == EADDRNOTAVAIL
                       ? "'" + host + "' is not an address of " + hostName() +
                             ": give rank 0's own with --rendezvous HOST:PORT or MASTER_ADDR"
                       : where + " of '" + host +
                             "' cannot be listened at: " + std::strerror(errno)};
}

Answer<Socket> callAddress(const addrinfo& address, const WaitLimit& deadline) {
    Socket socket = newSocket(address.ai_family);
    if (!socket.open()) {
        return Trouble{std::strerror(errno)};
    }
    int error = connect(socket.handle(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS || error == EINTR) {
        pollfd wait = {socket.handle(), POLLOUT, 0};
        constexpr int kLongestMs = 500;
        const int ready = poll(&wait, 1, deadline.pollMs(kLongestMs));
        socklen_t length = sizeof error;
        if (ready <= 0) {
            return Trouble{"no answer"};
        }
        if (getsockopt(socket.handle(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
            error = errno;
        }
    }
    if (error != 0) {
        return Trouble{std::strerror(error)};
    }
    setFlag(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    return socket;
}

}  // namespace

Socket::~Socket() {
    if (handle_ >= 0) {
        close(handle_);
    }
}

Answer<Socket> listenAt(const std::string& host, std::uint16_t port) {
    const Answer<Addresses> named = addressesOf(host, port);
    if (!named) {
        return named.trouble();
    }
    Answer<Socket> socket = Trouble{"host '" + host + "' has no address"};
    for (const addrinfo* each = named->get(); each != nullptr && !socket; each = each->ai_next) {
        socket = listenOn(*each, host, port);
    }
    return socket;
}

Answer<Socket> adoptListener(int handle) {
    int listens = 0;
    socklen_t length = sizeof listens;
    if (getsockopt(handle, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) {
        return Trouble{"FABRICAST_PROBE_LISTENER: descriptor " + std::to_string(handle) +
                       " is not a listening socket"};
    }
    (void)fcntl(handle, F_SETFD, FD_CLOEXEC);
    (void)fcntl(handle, F_SETFL, O_NONBLOCK);
    return Socket(handle);
}

std::uint16_t portOf(const Socket& listener) {
    sockaddr_in6 address = {};
    socklen_t length = sizeof address;
    if (getsockname(listener.handle(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        return 0;
    }
    // The port lies at the same place in both families.
    return ntohs(address.sin6_port);
}

Socket acceptFrom(const Socket& listener) {
    Socket socket(accept4(listener.handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) {
        setFlag(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    }
    return socket;
}

Answer<Socket> callOnce(const std::string& host, std::uint16_t port, const WaitLimit& deadline) {
    const Answer<Addresses> addresses = addressesOf(host, port);
    if (!addresses) {
        return addresses.trouble();
    }
    Answer<Socket> socket = Trouble{"no address"};
    for (const addrinfo* each = addresses->get(); each != nullptr; each = each->ai_next) {
        socket = callAddress(*each, deadline);
        if (socket) {
            break;
        }
    }
    return socket;
}

std::string peerOf(const Socket& socket) {
    sockaddr_storage address = {};
    socklen_t length = sizeof address;
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    auto* const end = reinterpret_cast<sockaddr*>(&address);
    if (getpeername(socket.handle(), end, &length) != 0 ||
        getnameinfo(end,
                    length,
                    host.data(),
                    host.size(),
                    port.data(),
                    port.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return "somebody";
    }
    return std::string(host.data()) + ":" + port.data();
}

std::string hostName() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this host";
}

}  // namespace fabricast::probe
