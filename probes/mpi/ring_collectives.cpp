#include "probes/mpi/collectives.h"

#include <algorithm>
#include <vector>

namespace fabricast::probe {

namespace {

template <class Value>
std::span<Value> part(std::span<Value> all, int i, int n) {
    const auto from = all.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(n);
    const auto to = all.size() * static_cast<std::size_t>(i + 1) / static_cast<std::size_t>(n);
    return all.subspan(from, to - from);
}

int around(int place, int n) {
    return ((place % n) + n) % n;
}

std::size_t longestPart(std::size_t all, int n) {
    return all / static_cast<std::size_t>(n) + 1;
}

void copy(std::span<const float> in, std::span<float> out) {
    if (in.data() != out.data()) {
        std::ranges::copy(in, out.begin());
    }
}

void addTo(std::span<float> sum, std::span<const float> a, std::span<const float> b) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = a[i] + b[i];
    }
}

/// n-1 steps: what member i has at last is part i of the sum, in `sum`'s place of that part. Other
/// parts of `sum` hold sums on their way.
void scatterSteps(Wire& wire,
                  const RankGroup& group,
                  std::span<const float> in,
                  std::span<float> sum) {
    const int n = group.size();
    const std::span<float> received = wire.room(0, longestPart(in.size(), n));
    for (int step = 1; step < n; ++step) {
        const int sent = around(group.index - step, n);
        const int got = around(group.index - step - 1, n);
        const std::span<float> arrived = received.first(part(in, got, n).size());
        wire.exchange(group.next(),
                      step == 1 ? part(in, sent, n) : std::span<const float>(part(sum, sent, n)),
                      group.previous(),
                      arrived);
        addTo(part(sum, got, n), part(in, got, n), arrived);
    }
}

/// n-1 steps: every part of `all` comes to every member, beginning with the own one.
void gatherSteps(Wire& wire, const RankGroup& group, std::span<float> all) {
    const int n = group.size();
    for (int step = 0; step + 1 < n; ++step) {
        wire.exchange(group.next(),
                      part(all, around(group.index - step, n), n),
                      group.previous(),
                      part(all, around(group.index - step - 1, n), n));
    }
}

}  // namespace

std::span<float> partOf(std::span<float> all, int i, int n) {
    return part(all, i, n);
}

std::span<const float> partOf(std::span<const float> all, int i, int n) {
    return part(all, i, n);
}

void ringAllReduce(Wire& wire,
                   const RankGroup& group,
                   std::span<const float> in,
                   std::span<float> out) {
    if (group.size() == 1) {
        copy(in, out);
        return;
    }
    scatterSteps(wire, group, in, out);
    gatherSteps(wire, group, out);
}

void ringReduceScatter(Wire& wire,
                       const RankGroup& group,
                       std::span<const float> in,
                       std::span<float> out) {
    const int n = group.size();
    if (n == 1) {
        copy(in, out);
        return;
    }
    // Two buffers in turn: one holds the sum that leaves, one the sum that comes.
    std::span<float> leaves = wire.room(0, longestPart(in.size(), n));
    std::span<float> comes = wire.room(1, longestPart(in.size(), n));
    for (int step = 1; step < n; ++step) {
        const int sent = around(group.index - step, n);
        const std::span<const float> own = part(in, around(group.index - step - 1, n), n);
        const std::span<float> arrived = comes.first(own.size());
        wire.exchange(group.next(),
                      step == 1 ? part(in, sent, n)
                                : std::span<const float>(leaves.first(part(in, sent, n).size())),
                      group.previous(),
                      arrived);
        addTo(step + 1 == n ? out : arrived, own, arrived);
        std::swap(leaves, comes);
    }
}

void ringAllGather(Wire& wire,
                   const RankGroup& group,
                   std::span<const float> in,
                   std::span<float> out) {
    copy(in, part(out, group.index, group.size()));
    gatherSteps(wire, group, out);
}

void pairwiseAllToAll(Wire& wire,
                      const RankGroup& group,
                      std::span<const float> in,
                      std::span<float> out) {
    const int n = group.size();
    copy(part(in, group.index, n), part(out, group.index, n));
    for (int step = 1; step < n; ++step) {
        const int to = around(group.index + step, n);
        const int from = around(group.index - step, n);
        wire.exchange(group.at(to), part(in, to, n), group.at(from), part(out, from, n));
    }
}

void chainBroadcast(Wire& wire, const RankGroup& group, std::span<float> data) {
    constexpr std::size_t kPiece = std::size_t{64} << 10U;  // 256 KiB
    const bool first = group.index == 0;
    const bool last = group.index + 1 == group.size();
    std::span<const float> held;
    for (std::size_t at = 0; at < data.size() || !held.empty(); at += kPiece) {
        const std::span<float> piece = at < data.size()
                                           ? data.subspan(at, std::min(kPiece, data.size() - at))
                                           : std::span<float>();
        // A piece goes on while the next one comes.
        wire.exchange(last || held.empty() ? -1 : group.next(),
                      held,
                      first || piece.empty() ? -1 : group.previous(),
                      piece);
        held = last ? std::span<const float>() : std::span<const float>(piece);
    }
}

void shift(Wire& wire, const RankGroup& group, std::span<const float> in, std::span<float> out) {
    if (group.size() == 1) {
        copy(in, out);
        return;
    }
    wire.exchange(group.next(), in, group.previous(), out);
}

}  // namespace fabricast::probe
