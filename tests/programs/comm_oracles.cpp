// comm_oracles CASES.csv: every communication call of the steady step of each recorded case, from
// the product's own code, one JSON row per case. With --compare SUMMARY.csv: what differs from the
// record, of entries of 64 KiB and more, and of all.
#include "tests/programs/comm_rows/comm_row.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace fabricast {
namespace {

constexpr std::int64_t kLargeBytes = 65536;

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            out += ' ';
            continue;
        }
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

void printJson(const std::string& id, const Result<CommTotals>& totals) {
    if (!totals) {
        std::printf("{\"id\": \"%s\", \"status\": \"refused\", \"why\": \"%s\", \"calls\": []}\n",
                    escaped(id).c_str(),
                    escaped(totals.error().text()).c_str());
        return;
    }
    std::printf("{\"id\": \"%s\", \"status\": \"ok\", \"why\": null, \"calls\": [",
                escaped(id).c_str());
    const char* separator = "";
    for (const auto& [key, total] : *totals) {
        const auto& [group, op, dtype] = key;
        std::printf(
            "%s{\"group\": \"%s\", \"op\": \"%s\", \"dtype\": \"%s\", \"count\": %lld, "
            "\"total_elems\": %lld}",
            separator,
            group.c_str(),
            op.c_str(),
            dtype.c_str(),
            static_cast<long long>(total.count),
            static_cast<long long>(total.elements));
        separator = ", ";
    }
    std::printf("]}\n");
}

struct Score {
    int cases = 0;
    int refused = 0;
    int large = 0;  ///< cases whose every entry of 64 KiB and more is equal
    int all = 0;
};

std::string totalText(const CommTotals& totals, const CommKey& key) {
    const auto found = totals.find(key);
    if (found == totals.end()) {
        return "nothing";
    }
    return std::to_string(found->second.count) + " x, " + std::to_string(found->second.elements);
}

void compare(Score& score,
             const std::string& id,
             const Result<CommTotals>& forecast,
             const CommTotals& recorded) {
    ++score.cases;
    if (!forecast) {
        ++score.refused;
        std::printf("%s refused: %s\n", id.c_str(), forecast.error().text().c_str());
        return;
    }
    const auto different = differences(*forecast, recorded, 0);
    score.large += differences(*forecast, recorded, kLargeBytes).empty() ? 1 : 0;
    score.all += different.empty() ? 1 : 0;
    for (const CommKey& key : different) {
        const auto& [group, op, dtype] = key;
        std::printf("%s %s %s %s: forecast %s, recorded %s\n",
                    id.c_str(),
                    group.c_str(),
                    op.c_str(),
                    dtype.c_str(),
                    totalText(*forecast, key).c_str(),
                    totalText(recorded, key).c_str());
    }
}

int run(int argc, char** argv) {
    const bool compares = argc == 4 && std::strcmp(argv[2], "--compare") == 0;
    if (argc != 2 && !compares) {
        std::fprintf(stderr, "usage: comm_oracles CASES.csv [--compare SUMMARY.csv]\n");
        return 2;
    }
    const CsvTable table = CsvTable::read(argv[1]);
    const auto recorded =
        compares ? recordedTotals(CsvTable::read(argv[3])) : std::map<std::string, CommTotals>{};
    Score score;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string id = table.text(row, "id");
        const Result<CommTotals> totals = forecastTotals(table, row);
        if (!compares) {
            printJson(id, totals);
        } else if (const auto found = recorded.find(id); found != recorded.end()) {
            compare(score, id, totals, found->second);
        }
    }
    if (compares) {
        std::printf("%d cases, %d refused, %d equal from 64 KiB, %d equal in every call\n",
                    score.cases,
                    score.refused,
                    score.large,
                    score.all);
    }
    return 0;
}

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    return fabricast::run(argc, argv);
}
