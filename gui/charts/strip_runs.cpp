#include "gui/charts/strip_runs.h"

#include <cstddef>

namespace fabricast {

std::vector<StripRun> stripRuns(const QRectF& box, std::span<const QRgb> colours) {
    std::vector<StripRun> runs;
    const double wide = box.width() / static_cast<double>(colours.size());
    for (std::size_t first = 0; first < colours.size();) {
        std::size_t last = first + 1;
        while (last < colours.size() && colours[last] == colours[first]) {
            ++last;
        }
        if (qAlpha(colours[first]) != 0) {
            const QRectF run(box.left() + static_cast<double>(first) * wide,
                             box.top(),
                             static_cast<double>(last - first) * wide,
                             box.height());
            runs.push_back({run, colours[first]});
        }
        first = last;
    }
    return runs;
}

}  // namespace fabricast
