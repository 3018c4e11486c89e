#include "cli/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fabricast {

Result<std::string> freePort() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
    const bool found = listener >= 0 && ::bind(listener, general, sizeof address) == 0 &&
                       ::getsockname(listener, general, &size) == 0;
    const int why = errno;
    if (listener >= 0) {
        ::close(listener);
    }
    if (!found) {
        return fail(Error::Code::Environment,
                    "127.0.0.1",
                    "no port can be had: " + std::generic_category().message(why));
    }
    return std::to_string(ntohs(address.sin_port));
}

}  // namespace fabricast
