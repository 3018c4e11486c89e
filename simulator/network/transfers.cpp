#include "simulator/network/transfers.h"

#include "planner/base/check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// What ends later than can be counted ends at the last moment there is.
SimTime endOf(SimTime now, double takes) {
    const SimTime last(std::numeric_limits<std::int64_t>::max());
    const SimTime time = simTime(Seconds(takes));
    return time > last - now ? last : now + time;
}

}  // namespace

bool Transfers::later(const Planned& a, const Planned& b) {
    return std::tie(a.time, a.flow) > std::tie(b.time, b.flow);
}

FlowIndex Transfers::start(SimTime now, Bytes size, FlowDemand demand) {
    const FlowIndex flow = network_.start(std::move(demand));
    if (flow >= moving_.size()) {
        moving_.resize(flow + std::size_t{1});
    }
    Moving& moving = moving_[flow];
    moving = {.bytesLeft = static_cast<double>(size.count()),
              .rate = -1.0,
              .since = now,
              .state = moving.state,
              .active = true};
    follow(now);
    return flow;
}

void Transfers::end(const TransferEnd& transfer) {
    moving_[transfer.flow].active = false;
    ++moving_[transfer.flow].state;
    network_.end(transfer.flow);
    follow(transfer.time);
}

void Transfers::setCapacity(SimTime now, ResourceIndex resource, BytesPerSecond capacity) {
    network_.setCapacity(resource, capacity);
    follow(now);
}

/// Reschedules the end of every transfer whose rate has changed.
void Transfers::follow(SimTime now) {
    for (const FlowIndex flow : network_.solved()) {
        Moving& moving = moving_[flow];
        const double rate = network_.rate(flow).count();
        if (rate == moving.rate) {
            continue;
        }
        FABRICAST_CHECK(now >= moving.since);
        const double moved = std::max(0.0, moving.rate) * seconds(now - moving.since).count();
        moving.bytesLeft = std::max(0.0, moving.bytesLeft - moved);
        moving.since = now;
        moving.rate = rate;
        ++moving.state;
        if (rate > 0.0) {
            planned_.push_back({endOf(now, moving.bytesLeft / rate), flow, moving.state});
            std::ranges::push_heap(planned_, later);
        }
    }
}

std::optional<TransferEnd> Transfers::next() {
    while (!planned_.empty()) {
        const Planned first = planned_.front();
        if (moving_[first.flow].active && moving_[first.flow].state == first.state) {
            return TransferEnd{first.time, first.flow};
        }
        std::ranges::pop_heap(planned_, later);
        planned_.pop_back();
    }
    return std::nullopt;
}

}  // namespace fabricast
