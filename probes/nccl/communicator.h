#pragma once
#include "probes/collective/strided_group.h"
#include "probes/launch/control_channel.h"

#include <nccl.h>

namespace fabricast::probe {

/// A communicator of NCCL. It is made without blocking: this rank hears of the others meanwhile,
/// and gives up where one is gone. What nobody has closed is aborted.
class Communicator {
public:
    /// Of all ranks. No collective runs on it: others are split off it.
    static Answer<Communicator> ofWorld(ControlChannel& channel, double seconds);
    /// Of this rank's group, for blocking calls, which come back as soon as their kernel is
    /// launched; all ranks of the world call. Without a seat it is of no use (see valid).
    Answer<Communicator> split(ControlChannel& channel,
                               double seconds,
                               const std::optional<GroupSeat>& seat);

    Communicator() = default;
    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&& other) noexcept;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    [[nodiscard]] bool valid() const { return handle_ != nullptr; }
    [[nodiscard]] ncclComm_t handle() const { return handle_; }

    /// Waits for what is under way, and gives it back.
    Done close(ControlChannel& channel, double seconds);
    /// Stops what is under way, which another thread may wait for. Of no use afterwards.
    void callOff() {
        if (handle_ != nullptr && !aborted_) {
            aborted_ = true;
            // Nothing is to be done about an abort that fails.
            (void)ncclCommAbort(handle_);
        }
    }

private:
    explicit Communicator(ncclComm_t handle) : handle_(handle) {}

    Done settled(ControlChannel& channel,
                 double seconds,
                 ncclResult_t result,
                 const std::string& what) const;

    ncclComm_t handle_ = nullptr;
    bool aborted_ = false;
};

}  // namespace fabricast::probe
