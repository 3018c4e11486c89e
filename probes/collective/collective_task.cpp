#include "probes/collective/sweep.h"
#include "probes/record/known_settings.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

/// Bytes: the parts of ranks that begin elsewhere are moved element by element, and slowly.
constexpr std::int64_t kAlignment = 16;

Answer<int> smallWhole(const Point& point, const std::string& name, int otherwise) {
    if (otherwise > 0 && !point.settings.contains(name)) {
        return otherwise;
    }
    const Answer<std::int64_t> value = wholeOf(point, name, 1);
    if (!value) {
        return value.trouble();
    }
    constexpr std::int64_t kMost = 1 << 20;
    if (*value > kMost) {
        return Trouble{name + " is more than " + std::to_string(kMost)};
    }
    return static_cast<int>(*value);
}

}  // namespace

Answer<CollectiveTask> taskOf(const Point& point) {
    CollectiveTask task;
    const std::optional<GroupCall> call = groupCallNamed(point.what);
    if (!call) {
        return Trouble{"'" + point.what + "' is none of " + groupCallNames()};
    }
    task.call = *call;
    const Done known = onlyKnownSettings("fabricast-probe-nccl", point);
    const Answer<std::int64_t> bytes = wholeOf(point, "bytes", 1);
    const Answer<int> ranks = smallWhole(point, "ranks", 0);
    const Answer<int> nodes = smallWhole(point, "nodes", 0);
    const Answer<int> stride = smallWhole(point, "stride", 1);
    if (!known || !bytes) {
        return known ? bytes.trouble() : known.trouble();
    }
    for (const Answer<int>* number : {&ranks, &nodes, &stride}) {
        if (!*number) {
            return number->trouble();
        }
    }
    const std::string dtype = wordOr(point, "dtype", "float");
    const std::optional<CollectiveType> type = collectiveTypeNamed(dtype);
    if (!type) {
        return Trouble{"dtype '" + dtype + "' is none of " + collectiveTypeNames()};
    }
    const std::string groups = wordOr(point, "groups", "all");
    if (groups != "all" && groups != "1") {
        return Trouble{"groups is 'all' or '1'"};
    }
    task.bytes = *bytes;
    task.shape = {.ranks = *ranks, .stride = *stride};
    task.nodes = *nodes;
    task.type = *type;
    task.oneGroup = groups == "1";
    return task;
}

CollectiveCounts countsOf(const CollectiveTask& task) {
    const bool whole = task.call == GroupCall::AllReduce || task.call == GroupCall::Broadcast ||
                       task.call == GroupCall::SendRecv;
    const std::int64_t ranks = task.shape.ranks;
    std::int64_t count = task.bytes / task.type.bytes / (whole ? 1 : ranks);
    const std::int64_t wide = kAlignment / task.type.bytes;
    if (!whole && count >= wide) {
        count -= count % wide;
    }
    const std::int64_t all = whole ? count : count * ranks;
    CollectiveCounts counts{.count = count, .sent = all, .received = all};
    counts.sent = task.call == GroupCall::AllGather ? count : all;
    counts.received = task.call == GroupCall::ReduceScatter ? count : all;
    counts.bytes = all * task.type.bytes;
    return counts;
}

}  // namespace fabricast::probe
