#pragma once
#include "probes/launch/socket.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// One message of the control plane.
struct ControlFrame {
    char kind = 0;
    std::string bytes;
};

/// A socket that speaks in frames. It never waits: what cannot be sent yet is kept, what has come
/// in part stays until the rest is there.
class FrameSocket {
public:
    FrameSocket() = default;
    explicit FrameSocket(Socket socket, std::size_t longest = kLongest)
        : socket_(std::move(socket)), longest_(longest) {}

    [[nodiscard]] bool open() const { return socket_.open() && !ended_; }
    [[nodiscard]] int handle() const { return socket_.handle(); }
    [[nodiscard]] const Socket& socket() const { return socket_; }
    [[nodiscard]] bool wantsToSend() const { return sent_ < outbox_.size(); }
    /// Whether it sent something that is no frame.
    [[nodiscard]] bool garbled() const { return garbled_; }
    /// When it was last heard, and when something was last said to it.
    [[nodiscard]] WaitLimit::Clock::time_point heard() const { return heard_; }
    [[nodiscard]] WaitLimit::Clock::time_point spoke() const { return spoke_; }

    void say(char kind, std::string_view bytes);
    /// Sends what can be sent and takes in what has come; afterwards open() is false where the
    /// other end is gone and nothing more will come.
    void move();
    std::optional<ControlFrame> next();
    /// From now on frames may be this long.
    void allow(std::size_t longest) { longest_ = longest; }
    /// No more is sent: the other end sees that this was all.
    void finish();

    /// No message is longer; the largest is a table of all ranks.
    static constexpr std::size_t kLongest = std::size_t{256} << 20;

private:
    void send();
    void receive();

    Socket socket_;
    std::size_t longest_ = kLongest;
    std::string inbox_;
    std::size_t taken_ = 0;  ///< of the inbox
    std::string outbox_;
    std::size_t sent_ = 0;  ///< of the outbox
    bool ended_ = false;
    bool garbled_ = false;
    WaitLimit::Clock::time_point heard_ = WaitLimit::Clock::now();
    WaitLimit::Clock::time_point spoke_ = WaitLimit::Clock::now();
};

/// Closes sockets so that what was sent on them arrives: sends the rest and the end of the stream,
/// and waits for the other ends to close, but no longer than this. (A socket that is closed while
/// unread bytes lie in it discards what it has sent.)
void shutDown(std::vector<FrameSocket>& wires, double seconds);

}  // namespace fabricast::probe
