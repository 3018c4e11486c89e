#pragma once
#include "simulator/core/sim_time.h"
#include "simulator/network/fair_share.h"

#include <optional>
#include <utility>
#include <vector>

namespace fabricast {

/// The next transfer to end, and when.
struct TransferEnd {
    SimTime time;
    FlowIndex flow = 0;
};

/// This moves bytes over a network that transfers share fairly, between the calls of an event loop:
///     Transfers transfers(capacities);
///     transfers.start(SimTime(0), 64_MiB, {.uses = route.uses});
///     while (const auto next = transfers.next()) { transfers.end(*next); … }
/// Times never go back. A transfer's latency is its caller's: it starts that much later.
class Transfers {
public:
    explicit Transfers(std::vector<BytesPerSecond> capacities) : network_(std::move(capacities)) {}

    FlowIndex start(SimTime now, Bytes size, FlowDemand demand);
    /// The earliest end; of several at one time, the lowest number. Nothing while nothing moves.
    [[nodiscard]] std::optional<TransferEnd> next();
    void end(const TransferEnd& transfer);
    void setCapacity(SimTime now, ResourceIndex resource, BytesPerSecond capacity);

    [[nodiscard]] BytesPerSecond rate(FlowIndex flow) const { return network_.rate(flow); }

private:
    struct Moving {
        double bytesLeft = 0.0;
        double rate = 0.0;
        SimTime since;            ///< when `bytesLeft` was true
        std::uint64_t state = 0;  ///< counts its changes of rate; never starts over
        bool active = false;
    };
    struct Planned {
        SimTime time;
        FlowIndex flow = 0;
        std::uint64_t state = 0;
    };
    static bool later(const Planned& a, const Planned& b);
    void follow(SimTime now);

    FairShare network_;
    std::vector<Moving> moving_;
    std::vector<Planned> planned_;  ///< a heap; with entries that a later one has replaced
};

}  // namespace fabricast
