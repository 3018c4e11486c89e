#include "planner/base/decimal_ticks.h"
#include "planner/report/schedule_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fabricast {
namespace {

/// How much of an action's name a drawing shows.
enum class Label { Full, PassAndMicroBatch, Pass };

constexpr char kPairLetter = 'X';

std::string nameOf(const StageAction& action, Label label) {
    std::string pass(1, letterOf(action.pass));
    switch (label) {
        case Label::Full:
            return std::to_string(action.stage) + pass + std::to_string(action.microBatch);
        case Label::PassAndMicroBatch:
            return pass + std::to_string(action.microBatch);
        case Label::Pass:
            break;
    }
    return pass;
}

/// A stretch of a line: an action, or the two of a pair that run as one.
struct Stretch {
    std::int64_t start = 0;
    std::int64_t end = 0;
    const TimedAction* first = nullptr;
    const TimedAction* second = nullptr;

    [[nodiscard]] std::string name(Label label) const {
        if (second == nullptr) {
            return nameOf(first->action, label);
        }
        return label == Label::Pass
                   ? std::string(1, kPairLetter)
                   : nameOf(first->action, label) + "&" + nameOf(second->action, label);
    }
    /// What fills the rest of it.
    [[nodiscard]] char filler() const {
        return second != nullptr                            ? '+'
               : first->action.pass == Pass::Forward        ? '-'
               : first->action.pass == Pass::WeightGradient ? '~'
                                                            : '=';
    }
    [[nodiscard]] char letter() const { return name(Label::Pass).front(); }
};

std::vector<Stretch> stretchesOf(const RankTimeline& rank) {
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < rank.actions.size(); ++i) {
        const TimedAction& action = rank.actions[i];
        Stretch stretch{action.start, action.end, &action, nullptr};
        if (action.action.paired && i + 1 < rank.actions.size() &&
            rank.actions[i + 1].start == action.start) {
            stretch.second = &rank.actions[++i];
        }
        if (stretch.end > stretch.start) {
            stretches.push_back(stretch);
        }
    }
    return stretches;
}

/// Columns for a makespan: several for a tick, or several ticks for one.
class Scale {
public:
    Scale(std::int64_t makespan, std::size_t width)
        : makespan_(std::max<std::int64_t>(1, makespan)),
          width_(static_cast<std::int64_t>(width)),
          perTick_(width_ / makespan_) {}

    /// Fewer columns, where what they show is the same.
    void shrink(std::int64_t perTick) { perTick_ = std::min(perTick_, perTick); }
    [[nodiscard]] std::int64_t perTick() const { return perTick_; }
    [[nodiscard]] std::int64_t columns() const {
        return perTick_ > 0 ? makespan_ * perTick_ : width_;
    }
    [[nodiscard]] std::int64_t columnOf(std::int64_t tick) const {
        if (perTick_ > 0) {
            return tick * perTick_;
        }
        // In doubles: the product of a tick and a width may not fit 64 bits.
        const double part = static_cast<double>(tick) / static_cast<double>(makespan_);
        return std::llround(part * static_cast<double>(width_));
    }

private:
    std::int64_t makespan_;
    std::int64_t width_;
    std::int64_t perTick_;
};

bool fits(const std::vector<std::vector<Stretch>>& ranks, const Scale& scale, Label label) {
    for (const std::vector<Stretch>& stretches : ranks) {
        for (const Stretch& stretch : stretches) {
            const auto columns = static_cast<std::size_t>(scale.columnOf(stretch.end) -
                                                          scale.columnOf(stretch.start));
            if (columns < stretch.name(label).size()) {
                return false;
            }
        }
    }
    return true;
}

std::string labelledLine(const std::vector<Stretch>& stretches, const Scale& scale, Label label) {
    std::string line(static_cast<std::size_t>(scale.columns()), '.');
    for (const Stretch& stretch : stretches) {
        const auto begin = static_cast<std::size_t>(scale.columnOf(stretch.start));
        const auto end = static_cast<std::size_t>(scale.columnOf(stretch.end));
        std::string cell = stretch.name(label);
        cell.resize(std::max(cell.size(), end - begin), stretch.filler());
        line.replace(begin, end - begin, cell);
    }
    return line;
}

/// What each column is spent on, idle time as '.'.
std::vector<std::map<char, double>> sharesOf(const std::vector<Stretch>& stretches,
                                             std::int64_t makespan,
                                             std::size_t width) {
    const double column = static_cast<double>(makespan) / static_cast<double>(width);
    std::vector<std::map<char, double>> shares(width, {{'.', 1.0}});
    for (const Stretch& stretch : stretches) {
        const double from = static_cast<double>(stretch.start) / column;
        const double to = static_cast<double>(stretch.end) / column;
        const auto last = std::min(width - 1, static_cast<std::size_t>(to));
        for (auto at = static_cast<std::size_t>(from); at <= last; ++at) {
            const double begin = std::max(from, static_cast<double>(at));
            const double end = std::min(to, static_cast<double>(at + 1));
            const double share = std::max(0.0, end - begin);
            shares[at][stretch.letter()] += share;
            shares[at]['.'] -= share;
        }
    }
    return shares;
}

/// For actions shorter than a column: letters in proportion to their durations. What
/// a column owes a letter carries over to the next.
std::string crowdedLine(const std::vector<Stretch>& stretches,
                        std::int64_t makespan,
                        std::size_t width) {
    std::string line;
    std::map<char, double> owed;
    for (const std::map<char, double>& shares : sharesOf(stretches, makespan, width)) {
        char shown = '.';
        for (const auto& [letter, share] : shares) {
            owed[letter] += share;
        }
        for (const auto& [letter, share] : shares) {  // only what is there
            shown = owed[letter] > owed[shown] || shares.at(shown) <= 0 ? letter : shown;
        }
        owed[shown] -= 1;
        line += shown;
    }
    return line;
}

std::string legendOf(const PipelineTimeline& timeline) {
    std::array<bool, kPasses> seen{};
    bool pairs = false;
    for (const RankTimeline& rank : timeline.ranks) {
        for (const TimedAction& action : rank.actions) {
            seen.at(static_cast<std::size_t>(action.action.pass)) = true;
            pairs = pairs || action.action.paired;
        }
    }
    constexpr std::array kNames = {
        "F forward", "B backward", "I input gradient", "W weight gradient"};
    std::string legend;
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
        legend += seen.at(pass) ? std::string(kNames.at(pass)) + "  " : "";
    }
    return legend + (pairs ? "& or X both at once  " : "") + ". waits";
}

/// Columns of a tick with which the label still fits, for short schedules.
void shrinkTo(const std::vector<std::vector<Stretch>>& ranks, Label label, Scale& scale) {
    while (scale.perTick() > 1) {
        Scale smaller = scale;
        smaller.shrink(scale.perTick() - 1);
        if (!fits(ranks, smaller, label)) {
            return;
        }
        scale = smaller;
    }
}

}  // namespace

ScheduleDrawing drawSchedule(const PipelineTimeline& timeline, std::size_t width) {
    std::vector<std::vector<Stretch>> ranks;
    for (const RankTimeline& rank : timeline.ranks) {
        ranks.push_back(stretchesOf(rank));
    }
    ScheduleDrawing drawing{.lines = {}, .legend = legendOf(timeline)};
    Scale scale(timeline.makespan, width);
    const Label most = timeline.chunks > 1 ? Label::Full : Label::PassAndMicroBatch;
    for (const Label label : {Label::Full, Label::PassAndMicroBatch, Label::Pass}) {
        if (label < most || !fits(ranks, scale, label)) {
            continue;
        }
        shrinkTo(ranks, label, scale);
        for (const std::vector<Stretch>& stretches : ranks) {
            drawing.lines.push_back(labelledLine(stretches, scale, label));
        }
        return drawing;
    }
    for (const std::vector<Stretch>& stretches : ranks) {
        drawing.lines.push_back(crowdedLine(stretches, timeline.makespan, width));
    }
    return drawing;
}

}  // namespace fabricast
