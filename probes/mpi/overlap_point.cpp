#include "probes/cpu/products.h"
#include "probes/mpi/collectives.h"
#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/mpi_points.h"
#include "probes/mpi/timed_together.h"
#include "probes/mpi/transfer_queue.h"
#include "probes/record/statistics.h"

#include <algorithm>
#include <cmath>

namespace fabricast::probe {

namespace {

constexpr double kComputePerTransfer = 1.5;

SampleRule ruleOf(std::size_t least) {
    return {.least = least, .most = 20, .error = 0.01, .seconds = 1.5};
}

/// A point that the others ask about as if it were their own.
Point asking(const Point& point, const char* what) {
    return {.what = what, .settings = point.settings};
}

/// What rank 0 found, told to all members.
double toldToAll(Wire& wire, const RankGroup& group, double mine) {
    if (group.index != 0) {
        return wire.receiveNumber(group.at(0));
    }
    for (int member = 1; member < group.size(); ++member) {
        wire.sendNumber(group.at(member), mine);
    }
    return mine;
}

double medianOr(const std::vector<double>& samples, double otherwise) {
    return samples.empty() ? otherwise : median(samples);
}

}  // namespace

std::string overlapFault(const Point& point, const RankGroup& group) {
    const std::string fault = gemmFault(asking(point, "gemm"));
    return fault.empty() ? collectiveFault(asking(point, "all_reduce"), group) : fault;
}

Measurement measureOverlap(Wire& wire, const RankGroup& group, const Point& point) {
    const auto side = [&point](const char* name) {
        return static_cast<int>(*wholeOf(point, name, 1));
    };
    const BlasProduct product{.m = side("m"), .n = side("n"), .k = side("k")};
    const auto size = [](int rows, int columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const std::vector<float> a(size(product.m, product.k), 1.0F);
    const std::vector<float> b(size(product.n, product.k), 1.0F);
    std::vector<float> c(size(product.m, product.n));
    std::vector<float> data(static_cast<std::size_t>(*wholeOf(point, "bytes", 4)) / sizeof(float));
    double calls = 1.0;
    const auto compute = [&] {
        for (int call = 0; call < static_cast<int>(calls); ++call) {
            multiply(product, a.data(), b.data(), c.data());
        }
    };
    const auto transfer = [&] { ringAllReduce(wire, group, data, data); };
    const double once = medianOr(timedTogether(wire, group, ruleOf(10), 2, compute), 1.0);
    const double moved = medianOr(timedTogether(wire, group, ruleOf(5), 1, transfer), 1.0);
    calls =
        toldToAll(wire, group, std::clamp(std::ceil(kComputePerTransfer * moved / once), 1.0, 1e6));
    const double alone = medianOr(timedTogether(wire, group, ruleOf(5), 0, compute), 1.0);
    Measurement measurement{.point = point};
    TransferQueue queue;
    measurement.samples = timedTogether(wire, group, ruleOf(5), 0, [&] {
        const std::size_t ticket = queue.add(transfer);
        compute();
        queue.wait(ticket);
    });
    const double both = medianOr(measurement.samples, alone);
    measurement.facts["compute"] = alone;
    measurement.facts["transfer"] = moved;
    measurement.facts["contention"] = std::max(0.0, both - std::max(alone, moved)) / moved;
    const bool right = c.front() == static_cast<float>(product.k);
    measurement.facts["wrong"] = summed(wire, group, right ? 0.0 : 1.0);
    return measurement;
}

}  // namespace fabricast::probe
