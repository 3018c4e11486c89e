// What the ranks' times and counts say together.
#include "probes/collective/check_pattern.h"
#include "probes/nccl/nccl_bench.h"
#include "probes/record/statistics.h"

#include <algorithm>

namespace fabricast::probe {

namespace {

/// The mean over the ranks that took part, as nccl-tests has it.
double meanOf(const std::vector<std::vector<double>>& ofRanks, std::size_t at) {
    double sum = 0.0;
    int count = 0;
    for (const std::vector<double>& values : ofRanks) {
        sum += values.at(at);
        count += values.at(at) > 0.0 ? 1 : 0;
    }
    return count > 0 ? sum / count : 0.0;
}

double sumOf(const std::vector<std::vector<double>>& ofRanks, std::size_t at) {
    double sum = 0.0;
    for (const std::vector<double>& values : ofRanks) {
        sum += values.at(at);
    }
    return sum;
}

}  // namespace

Done NcclBench::report(const CollectiveTask& task,
                       const Side& out,
                       const Side& same,
                       Measurement& into) {
    const Answer<std::vector<double>> each = channel_->maxima(out.times.each);
    const Answer<std::vector<double>> sameEach =
        each ? channel_->maxima(same.times.each) : Answer<std::vector<double>>(each.trouble());
    if (!sameEach) {
        return sameEach.trouble();
    }
    const auto all = channel_->shared({out.times.wall,
                                       same.times.wall,
                                       static_cast<double>(out.wrong),
                                       static_cast<double>(same.wrong)});
    if (!all) {
        return all.trouble();
    }
    const auto bytes = static_cast<double>(countsOf(task).bytes);
    into.samples = *each;
    into.facts = {{"bytes", bytes},
                  {"groups", task.oneGroup ? 1.0 : groupsIn(task.shape, channel_->world())},
                  {"wall", meanOf(*all, 0)}};
    const double seconds = median(*each);
    if (seconds > 0.0) {
        into.facts["algbw"] = bytes / seconds / 1e9;
        into.facts["busbw"] = into.facts["algbw"] * busFactor(task.call, task.shape.ranks);
    }
    if (!sameEach->empty()) {
        into.facts["in_place"] = median(*sameEach);
        into.facts["in_place_wall"] = meanOf(*all, 1);
    }
    if (flags_.check && CheckPattern(task).possible()) {
        into.facts["out_of_place_wrong"] = sumOf(*all, 2);
        into.facts["wrong"] = sumOf(*all, 2) + sumOf(*all, 3);
        std::int64_t judged = 0;
        for (const JudgedPart& part : judgedParts(task)) {
            judged += part.elements;
        }
        if (judged < countsOf(task).received) {
            into.facts["judged"] = static_cast<double>(judged);
        }
        if (!sameEach->empty()) {
            into.facts["in_place_wrong"] = sumOf(*all, 3);
        }
    } else {
        into.words["checked"] = "no";
    }
    return std::monostate();
}

}  // namespace fabricast::probe
