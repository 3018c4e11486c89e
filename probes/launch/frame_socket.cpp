#include "probes/launch/frame_socket.h"

#include "probes/launch/packed.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace fabricast::probe {

namespace {

/// A frame is its length in four bytes, its kind, and that many bytes.
constexpr std::size_t kHead = 5;

/// What one call takes in: whoever sends without end must not keep others waiting.
constexpr std::size_t kMostAtOnce = std::size_t{4} << 20;

/// Forgets what was used of a buffer, at a cost that does not grow with the number of pieces.
void dropFront(std::string& buffer, std::size_t& used) {
    constexpr std::size_t kWorthMoving = 65536;
    if (used == buffer.size()) {
        buffer.clear();
        used = 0;
    } else if (used > kWorthMoving && used > buffer.size() / 2) {
        buffer.erase(0, used);
        used = 0;
    }
}

bool isTryAgain(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void FrameSocket::say(char kind, std::string_view bytes) {
    Packer packer;
    packer.whole32(static_cast<std::uint32_t>(bytes.size()));
    outbox_ += packer.text();
    outbox_ += kind;
    outbox_ += bytes;
    spoke_ = WaitLimit::Clock::now();
    send();
}

void FrameSocket::send() {
    while (open() && !outbox_.empty()) {
        const ssize_t sent =
            ::send(socket_.handle(), outbox_.data() + sent_, outbox_.size() - sent_, MSG_NOSIGNAL);
        if (sent > 0) {
            sent_ += static_cast<std::size_t>(sent);
            dropFront(outbox_, sent_);
            continue;
        }
        if (!isTryAgain(errno)) {
            // What the other end said last may still be read.
            outbox_.clear();
            sent_ = 0;
        }
        return;
    }
}

void FrameSocket::receive() {
    std::array<char, 65536> buffer{};
    for (std::size_t came = 0; open() && came < kMostAtOnce;) {
        const ssize_t got = recv(socket_.handle(), buffer.data(), buffer.size(), 0);
        if (got > 0) {
            inbox_.append(buffer.data(), static_cast<std::size_t>(got));
            came += static_cast<std::size_t>(got);
            heard_ = WaitLimit::Clock::now();
            // A frame that is too long must not fill the memory first.
            if (inbox_.size() - taken_ > longest_ + kHead + buffer.size()) {
                return;
            }
            continue;
        }
        ended_ = got == 0 || !isTryAgain(errno);
        return;
    }
}

void FrameSocket::move() {
    send();
    receive();
}

std::optional<ControlFrame> FrameSocket::next() {
    const std::string_view rest = std::string_view(inbox_).substr(taken_);
    if (rest.size() < kHead || garbled_) {
        return std::nullopt;
    }
    const std::uint32_t length = Unpacker(rest).whole32();
    if (length > longest_) {
        garbled_ = true;
        return std::nullopt;
    }
    if (rest.size() - kHead < length) {
        return std::nullopt;
    }
    ControlFrame frame{.kind = rest[kHead - 1], .bytes = std::string(rest.substr(kHead, length))};
    taken_ += kHead + length;
    dropFront(inbox_, taken_);
    return frame;
}

void FrameSocket::finish() {
    if (socket_.open()) {
        (void)shutdown(socket_.handle(), SHUT_WR);
    }
}

void shutDown(std::vector<FrameSocket>& wires, double seconds) {
    const WaitLimit deadline = WaitLimit::in(seconds);
    constexpr int kShutDownTickMs = 20;
    std::vector<bool> finished(wires.size());
    for (bool first = true; first || !deadline.passed(); first = false) {
        std::vector<pollfd> waits;
        for (std::size_t at = 0; at < wires.size(); ++at) {
            FrameSocket& wire = wires[at];
            if (!wire.open()) {
                continue;
            }
            wire.move();
            while (wire.next()) {
                // Nobody reads them any more.
            }
            if (!wire.wantsToSend() && !finished[at]) {
                wire.finish();
                finished[at] = true;
            }
            if (wire.open() && !wire.garbled()) {
                const int events = POLLIN | (wire.wantsToSend() ? POLLOUT : 0);
                waits.push_back({wire.handle(), static_cast<short>(events), 0});
            }
        }
        if (waits.empty()) {
            break;
        }
        (void)poll(waits.data(), waits.size(), deadline.pollMs(kShutDownTickMs));
    }
    wires.clear();
}

}  // namespace fabricast::probe
