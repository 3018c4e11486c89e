#include "planner/base/quantity_text.h"
#include "planner/report/markup.h"
#include "planner/report/scales.h"
#include "simulator/trace/svg_text.h"
#include "simulator/trace/timeline_style.h"
#include "simulator/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

// In pixels.
constexpr std::int64_t kWidth = 1280;
constexpr std::int64_t kLeft = 132;
constexpr std::int64_t kRight = 1256;
constexpr std::int64_t kTop = 108;
constexpr std::int64_t kMain = 26;
constexpr std::int64_t kThin = 5;
constexpr std::int64_t kMemory = 30;
constexpr std::int64_t kGroup = 92;
constexpr std::int64_t kPlot = 100 * (kRight - kLeft);  ///< in hundredths

class TimelineDrawing {
public:
    TimelineDrawing(const SimProgram& program,
                    const SimRun& run,
                    const CriticalPath& path,
                    const TimelinePicture& picture)
        : run_(run),
          picture_(picture),
          scale_(timeScaleFor(seconds(run.makespan).count())),
          slices_(timelineSlices(program, run, path.ops, actors(picture), kPlot)) {
        for (const MemoryCurve& curve : picture.curves) {
            most_ = std::max(most_, curve.peak);
        }
    }

    [[nodiscard]] std::string text() const {
        const auto lanes = static_cast<std::int64_t>(picture_.curves.size());
        const std::int64_t bottom = kTop + lanes * kGroup;
        const std::int64_t height = bottom + (footnote().empty() ? 44 : 64);
        std::string text = fmt::format(
            R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img">)"
            "\n<title>{2}</title>\n{3}"
            R"(<rect class="page" width="{0}" height="{1}"/>)"
            "\n",
            kWidth,
            height,
            xmlEscaped(picture_.title),
            timelineStyle());
        text += svgLabel(24, 34, picture_.title, "title") +
                svgLabel(24, 56, picture_.subtitle, "soft") + legend() + axis(bottom);
        for (std::size_t lane = 0; lane < picture_.curves.size(); ++lane) {
            text += group(lane);
        }
        if (!footnote().empty()) {
            text += svgLabel(kLeft, bottom + 50, footnote(), "small");
        }
        return text + "</svg>\n";
    }

private:
    static std::vector<ActorIndex> actors(const TimelinePicture& picture) {
        std::vector<ActorIndex> actors;
        for (const MemoryCurve& curve : picture.curves) {
            actors.push_back(curve.actor);
        }
        return actors;
    }

    /// Only of what there is to see.
    [[nodiscard]] std::string legend() const {
        std::array<bool, kPaints> seen{};
        for (const ActorSlices& actor : slices_.actors) {
            for (const auto& row : actor.rows) {
                for (const TimelineSlice& slice : row) {
                    seen[static_cast<std::size_t>(slice.paint)] = true;
                }
            }
        }
        std::string text;
        std::int64_t x = kLeft;
        const auto entry = [&](std::string_view mark, std::string_view words) {
            text += fmt::format("<g transform=\"translate({} 74)\">{}</g>\n", x, mark);
            text += svgLabel(x + 18, 84, words, "small");
            x += 34 + 7 * static_cast<std::int64_t>(words.size());
        };
        for (std::size_t paint = 0; paint < kPaints; ++paint) {
            if (seen[paint]) {
                entry(fmt::format(R"(<rect class="{}" width="12" height="12" rx="2"/>)",
                                  paintClass(static_cast<Paint>(paint))),
                      wordsFor(static_cast<Paint>(paint)));
            }
        }
        entry(R"(<rect class="critical" y="4" width="12" height="4"/>)", "critical path");
        entry(R"(<rect class="memory" width="12" height="12"/>)", "memory of tensors");
        return text;
    }

    /// A line at every round time, and its label below.
    [[nodiscard]] std::string axis(std::int64_t bottom) const {
        const double all = seconds(run_.makespan).count() / scale_.seconds;
        double tick = std::pow(10.0, std::floor(std::log10(std::max(all, 1e-9))));
        for (const double finer : {0.5, 0.4, 0.5}) {  // 1, 0.5, 0.2 or 0.1 of it
            tick *= all / tick < 5.0 ? finer : 1.0;
        }
        const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(tick) - 1e-9)));
        std::string text;
        const auto ticks = static_cast<int>(all / tick + 1e-9);
        for (int i = 0; i <= ticks; ++i) {
            const auto x = 100 * kLeft + std::llround(i * tick / all * static_cast<double>(kPlot));
            text += fmt::format(R"(<path class="grid" d="M{} {}V{}"/>)"
                                "\n",
                                svgNumber(x),
                                kTop - 8,
                                bottom);
            const std::string number = fmt::format("{:.{}f}", i * tick, decimals);
            text += svgLabel(x / 100,
                             bottom + 18,
                             i == ticks ? number + " " + std::string(scale_.unit) : number,
                             "small middle");
        }
        return text;
    }

    [[nodiscard]] std::string group(std::size_t lane) const {
        const MemoryCurve& curve = picture_.curves[lane];
        const ActorSlices& actor = slices_.actors[lane];
        const std::int64_t top = kTop + static_cast<std::int64_t>(lane) * kGroup;
        const RowPlace main{kLeft, top + 6, kMain};
        std::string text = svgLabel(24, top + 24, fmt::format("stage {}", curve.stage), "name");
        text += fmt::format(R"(<rect class="idle" x="{}" y="{}" width="{}" height="{}"/>)"
                            "\n",
                            kLeft,
                            main.top,
                            kRight - kLeft,
                            kMain);
        text += slicePaths(actor.rows[0], main) +
                slicePaths(actor.rows[1], {kLeft, main.top + kMain + 1, kThin}) +
                slicePaths(actor.rows[2], {kLeft, main.top + kMain + kThin + 2, kThin}) +
                classPath(actor.critical, {kLeft, top + 1, 3}, "critical");
        return text + microBatchNumbers(actor.rows[0], main) + memory(curve, top + 45);
    }

    /// Height of a number of bytes, in hundredths.
    [[nodiscard]] std::int64_t heightOf(Bytes bytes) const {
        return most_ > Bytes(0) ? std::llround(bytes / most_ * 100.0 * kMemory) : 0;
    }

    [[nodiscard]] std::string memory(const MemoryCurve& curve, std::int64_t top) const {
        const std::int64_t floor = 100 * (top + kMemory);
        std::string line = fmt::format("M{} {}", kLeft, svgNumber(floor));
        std::int64_t before = -1;
        for (const MemoryPoint& point : curve.points) {
            const std::int64_t y = floor - heightOf(point.bytes.total());
            const std::int64_t x = 100 * kLeft + placeOf(point.at, run_.makespan, kPlot);
            line += (before < 0 ? "V" : fmt::format("H{}V", svgNumber(x))) + svgNumber(y);
            before = y;
        }
        line += fmt::format("H{}V{}z", kRight, svgNumber(floor));
        const std::int64_t high = floor - heightOf(curve.peak);
        const std::int64_t at = 100 * kLeft + placeOf(curve.peakFrom, run_.makespan, kPlot);
        return fmt::format(R"(<path class="memory" d="{}"><title>{} at {}: {}</title></path>)"
                           "\n"
                           R"(<circle class="peak" cx="{}" cy="{}" r="2.5"/>)"
                           "\n",
                           line,
                           shortText(curve.peak),
                           scale_.withUnit(seconds(curve.peakFrom).count()),
                           xmlEscaped(curve.peakMoment),
                           svgNumber(at),
                           svgNumber(high)) +
               svgLabel(24, top + kMemory - 8, shortText(curve.peak), "small");
    }

    [[nodiscard]] std::string footnote() const {
        std::string text;
        if (picture_.curves.size() < picture_.stages) {
            text = fmt::format("{} of {} stages: first, last, busiest, least busy, highest peak. ",
                               picture_.curves.size(),
                               picture_.stages);
        }
        if (slices_.merged > 0) {
            text += fmt::format("{} ops narrower than half a pixel are drawn together.",
                                slices_.merged);
        }
        return text;
    }

    const SimRun& run_;
    const TimelinePicture& picture_;
    TimeScale scale_;
    TimelineSlices slices_;
    Bytes most_;
};

}  // namespace

std::string timelineSvg(const SimProgram& program,
                        const SimRun& run,
                        const CriticalPath& path,
                        const TimelinePicture& picture) {
    return TimelineDrawing(program, run, path, picture).text();
}

}  // namespace fabricast
