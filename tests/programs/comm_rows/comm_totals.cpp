#include "planner/comm/comm_names.h"
#include "tests/programs/comm_rows/comm_row.h"

#include <algorithm>
#include <set>

namespace fabricast {
namespace {

std::int64_t at(const RankGroup& group, std::size_t index) {
    return group[index].index();
}

/// The first run of ranks at equal steps.
std::size_t runLength(const RankGroup& group) {
    const std::int64_t step = at(group, 1) - at(group, 0);
    std::size_t length = 2;
    while (length < group.size() && at(group, length) - at(group, length - 1) == step) {
        ++length;
    }
    return length;
}

/// ":step:length", and for runs at equal steps "*step:length" of them; empty: not regular.
std::string strides(const RankGroup& group) {
    if (group.size() == 1) {
        return ":0:1";
    }
    const std::size_t length = runLength(group);
    const std::int64_t step = at(group, 1) - at(group, 0);
    std::string text = ":" + std::to_string(step) + ":" + std::to_string(length);
    if (length == group.size()) {
        return text;
    }
    RankGroup firsts;
    for (std::size_t run = 0; run < group.size(); run += length) {
        firsts.push_back(group[run]);
        for (std::size_t place = 0; place < length; ++place) {
            if (run + place >= group.size() ||
                at(group, run + place) !=
                    at(group, run) + static_cast<std::int64_t>(place) * step) {
                return {};
            }
        }
    }
    const std::string outer = strides(firsts);
    return outer.empty() ? outer : text + "*" + outer.substr(1);
}

}  // namespace

std::string groupText(const RankGroup& group) {
    const std::string regular = group.empty() ? "" : strides(group);
    if (!regular.empty()) {
        return std::to_string(at(group, 0)) + regular;
    }
    std::string list;
    for (const RankId rank : group) {
        list += (list.empty() ? "" : ",") + std::to_string(rank.index());
    }
    return list;
}

Result<CommTotals> forecastTotals(const CsvTable& table, std::size_t row) {
    FABRICAST_ASSIGN(const CommRow read, commRow(table, row));
    FABRICAST_ASSIGN(const std::vector<CommCall> calls, stepCalls(read.scenario, read.where));
    std::map<GroupKind, std::string> groups;
    CommTotals totals;
    for (const CommCall& call : calls) {
        std::string& group = groups[call.group];
        if (group.empty()) {
            group = groupText(rankGroupOf(read.rank, read.scenario.layout, {}, call.group));
        }
        CommTotal& total =
            totals[{group, std::string(nameOf(call.op)), std::string(nameOf(call.type))}];
        total.count += call.count();
        total.elements += call.totalElements();
        total.bytes += call.count() * call.bytes();
    }
    return totals;
}

std::map<std::string, CommTotals> recordedTotals(const CsvTable& summary) {
    std::map<std::string, CommTotals> cases;
    for (std::size_t row = 0; row < summary.rows(); ++row) {
        if (summary.text(row, "step") == "steady") {
            CommTotal& total = cases[summary.text(row, "id")][{
                summary.text(row, "group"), summary.text(row, "op"), summary.text(row, "dtype")}];
            total.count += summary.integer(row, "count");
            total.elements += summary.integer(row, "total_elems");
            total.bytes += summary.integer(row, "total_bytes");
        }
    }
    return cases;
}

std::vector<CommKey> differences(const CommTotals& forecast,
                                 const CommTotals& recorded,
                                 std::int64_t bytes) {
    std::set<CommKey> keys;
    for (const CommTotals* side : {&forecast, &recorded}) {
        for (const auto& [key, total] : *side) {
            if (total.bytes >= bytes) {
                keys.insert(key);
            }
        }
    }
    std::vector<CommKey> different;
    for (const CommKey& key : keys) {
        const auto ours = forecast.find(key);
        const auto theirs = recorded.find(key);
        if (ours == forecast.end() || theirs == recorded.end() ||
            ours->second.count != theirs->second.count ||
            ours->second.elements != theirs->second.elements) {
            different.push_back(key);
        }
    }
    return different;
}

}  // namespace fabricast
