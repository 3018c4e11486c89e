#include "tests/programs/collective_rows/collective_rows.h"

#include "tests/support/case_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace fabricast {
namespace {

constexpr std::array kBandEnds = {65536.0, 4194304.0, 67108864.0};

CollectiveKind kindNamed(const std::string& name) {
    const auto found = std::find(kCollectiveNames.begin(), kCollectiveNames.end(), name);
    return static_cast<CollectiveKind>(found - kCollectiveNames.begin());
}

/// The corrections that a row may be forecast from.
CorrectionTable without(const CollectiveMachine& on, const CollectiveRow& row, LeftOut leftOut) {
    CorrectionTable table = on.corrections;
    std::erase_if(table.rows, [&](const CollectiveCorrection& correction) {
        const bool here = table.machines[correction.machine].node == on.place.node;
        switch (leftOut) {
            case LeftOut::Corrections:
                return true;
            case LeftOut::Machine:
                return here;
            case LeftOut::Curve:
                return here && correction.kind == row.kind && correction.ranks == row.ranks;
            case LeftOut::Nothing:
                break;
        }
        return false;
    });
    return table;
}

using Key = std::tuple<std::string, CollectiveKind, std::int64_t, std::size_t>;

}  // namespace

std::vector<CollectiveRow> readCollectiveRows(const std::string& path) {
    const CsvTable table = CsvTable::read(path);
    std::vector<CollectiveRow> rows;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        rows.push_back({.machine = table.text(i, "machine"),
                        .kind = kindNamed(table.text(i, "collective")),
                        .ranks = table.integer(i, "ranks"),
                        .bytes = table.number(i, "bytes"),
                        .measured = Seconds(table.number(i, "microseconds") * 1e-6),
                        .source = table.text(i, "source")});
    }
    return rows;
}

std::map<std::string, CollectiveMachine> machinesOf(const std::vector<CollectiveRow>& rows,
                                                    const ProfileStore& profiles) {
    const std::vector<MeasuredCollectives> measured = profiles.measuredCollectives().value();
    std::map<std::string, CollectiveMachine> machines;
    for (const CollectiveRow& row : rows) {
        if (machines.contains(row.machine)) {
            continue;
        }
        CollectiveMachine machine{.cluster = profiles.cluster(row.machine).value()};
        const bool amd = machine.cluster.node.gpu.vendor == "AMD";
        machine.model = profiles.ncclModel(amd ? "rccl" : "nccl").value();
        machine.links = clusterLinks(machine.cluster, machine.model).value();
        machine.place = placeOf(machine.cluster, machine.links);
        machine.corrections = correctionTable(measured, machine.model);
        machines.emplace(row.machine, std::move(machine));
    }
    return machines;
}

std::vector<Seconds> forecastsOf(const std::vector<CollectiveRow>& rows,
                                 const std::map<std::string, CollectiveMachine>& machines,
                                 LeftOut leftOut) {
    std::map<std::tuple<std::string, CollectiveKind, std::int64_t>, CollectiveCurve> curves;
    std::vector<Seconds> forecasts;
    for (const CollectiveRow& row : rows) {
        const auto key = std::tuple(row.machine, row.kind, row.ranks);
        auto found = curves.find(key);
        if (found == curves.end()) {
            const CollectiveMachine& on = machines.at(row.machine);
            const CorrectionTable table = without(on, row, leftOut);
            const CollectiveSetting setting{on.links, on.model, on.place, table};
            const GroupShape shape = wholeNodes(row.ranks, on.links);
            found = curves.emplace(key, CollectiveCurve(row.kind, shape, setting)).first;
        }
        forecasts.push_back(found->second.seconds(Bytes(static_cast<std::int64_t>(row.bytes))));
    }
    return forecasts;
}

const std::vector<std::string>& bandNames() {
    static const std::vector<std::string> names = {
        "< 64 KiB", "64 KiB - 4 MiB", "4 - 64 MiB", "> 64 MiB"};
    return names;
}

std::size_t bandOf(double bytes) {
    std::size_t band = 0;
    while (band < kBandEnds.size() && bytes >= kBandEnds[band]) {
        ++band;
    }
    return band;
}

double medianOf(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double CollectiveScore::medianError() const {
    std::vector<double> sizes;
    for (const double error : errors) {
        sizes.push_back(std::abs(error));
    }
    return medianOf(std::move(sizes));
}

double CollectiveScore::bias() const {
    return medianOf(errors);
}

std::vector<CollectiveScore> scoresOf(const std::vector<CollectiveRow>& rows,
                                      const std::vector<Seconds>& forecasts) {
    std::map<Key, CollectiveScore> byKey;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CollectiveRow& row = rows[i];
        const std::size_t band = bandOf(row.bytes);
        CollectiveScore& score = byKey[{row.machine, row.kind, row.ranks, band}];
        score.machine = row.machine;
        score.kind = row.kind;
        score.ranks = row.ranks;
        score.band = band;
        score.errors.push_back(forecasts[i] / row.measured - 1.0);
    }
    std::vector<CollectiveScore> scores;
    for (auto& [key, score] : byKey) {
        scores.push_back(std::move(score));
    }
    return scores;
}

std::string scoreTable(const std::vector<CollectiveScore>& scores) {
    std::string text = "machine                      collective      ranks";
    for (const std::string& name : bandNames()) {
        std::array<char, 32> cell{};
        std::snprintf(cell.data(), cell.size(), " %18s", name.c_str());
        text += cell.data();
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const CollectiveScore& score = scores[i];
        std::array<char, 96> cell{};
        const bool starts = i == 0 || scores[i - 1].machine != score.machine ||
                            scores[i - 1].kind != score.kind || scores[i - 1].ranks != score.ranks;
        std::size_t column = score.band;
        if (starts) {
            std::snprintf(cell.data(),
                          cell.size(),
                          "\n%-28s %-15s %5d",
                          score.machine.c_str(),
                          std::string(collectiveName(score.kind)).c_str(),
                          static_cast<int>(score.ranks));
            text += cell.data();
        } else {
            column -= scores[i - 1].band + 1;
        }
        text += std::string(19 * column, ' ');
        std::snprintf(cell.data(),
                      cell.size(),
                      "  %5.1f %% (%+6.1f)",
                      score.medianError() * 100,
                      score.bias() * 100);
        text += cell.data();
    }
    return text + "\n";
}

}  // namespace fabricast
