#include "tests/programs/collective_rows/collective_rows.h"

#include <cmath>
#include <cstdio>

namespace {

using namespace fabricast;

/// The median over all rows of a band, and over all.
void printSummary(const std::vector<CollectiveScore>& scores) {
    std::vector<double> all;
    for (std::size_t band = 0; band < bandNames().size(); ++band) {
        std::vector<double> errors;
        for (const CollectiveScore& score : scores) {
            for (const double error : score.errors) {
                if (score.band == band) {
                    errors.push_back(std::abs(error));
                }
            }
        }
        all.insert(all.end(), errors.begin(), errors.end());
        std::printf(
            "%-16s median |error| %5.1f %%\n", bandNames()[band].c_str(), medianOf(errors) * 100);
    }
    std::printf("%-16s median |error| %5.1f %%\n\n", "all sizes", medianOf(all) * 100);
}

}  // namespace

/// Prints how far the times of collectives are from measured calls:
///     collective_accuracy tests/cases/collectives_measured/collectives.csv
int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("collective_accuracy ROWS.csv\n", stderr);
        return 2;
    }
    const std::vector<CollectiveRow> rows = readCollectiveRows(argv[1]);
    const auto machines = machinesOf(rows, ProfileStore::builtIn());
    struct Way {
        LeftOut leftOut;
        const char* title;
    };
    for (const Way& way : {Way{LeftOut::Corrections, "The library's own model"},
                           Way{LeftOut::Machine, "Corrected, without the row's machine"},
                           Way{LeftOut::Curve, "Corrected, without the row's curve"},
                           Way{LeftOut::Nothing, "Corrected"}}) {
        const auto scores = scoresOf(rows, forecastsOf(rows, machines, way.leftOut));
        std::printf(
            "%s: median |error| (median error)\n%s\n", way.title, scoreTable(scores).c_str());
        printSummary(scores);
    }
    return 0;
}
