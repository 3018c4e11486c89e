#include "simulator/trace/timeline_slices.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricast {
namespace {

constexpr std::int64_t kNarrow = 50;  ///< half a pixel

Paint paintOfStream(SimStream stream) {
    switch (stream) {
        case SimStream::Tensor:
            return Paint::Tensor;
        case SimStream::Expert:
            return Paint::Expert;
        case SimStream::Data:
            return Paint::Data;
        case SimStream::Pipeline:
            return Paint::HandOver;
        case SimStream::Copy:
            return Paint::Copy;
        case SimStream::Compute:
        case SimStream::Host:
        case SimStream::Count_:
            break;
    }
    return Paint::Host;
}

Paint paintOf(const SimOp& op) {
    if (op.kind == SimKind::Optimizer) {
        return Paint::Optimizer;
    }
    if (op.stream != SimStream::Compute) {
        return paintOfStream(op.stream);
    }
    switch (op.kind) {
        case SimKind::Forward:
            return Paint::Forward;
        case SimKind::Backward:
            return Paint::Backward;
        case SimKind::InputGradient:
            return Paint::InputGradient;
        case SimKind::WeightGradient:
            return Paint::WeightGradient;
        default:
            return Paint::Host;
    }
}

TimelineRow rowOf(const SimOp& op) {
    if (op.stream == SimStream::Pipeline) {
        return TimelineRow::HandOver;
    }
    return op.slows || op.kind == SimKind::Transfer ? TimelineRow::Beside : TimelineRow::Main;
}

/// One row of slices, in the order of their starts. Narrow ops are drawn together as long as what
/// they are changes within half a pixel; in longer phases, each has its own colour.
class RowWriter {
public:
    RowWriter(std::vector<TimelineSlice>& slices, std::size_t& merged)
        : slices_(slices), merged_(merged) {}

    void add(const TimelineSlice& slice) {
        if (slice.right - slice.left >= kNarrow) {
            flush();
            slices_.push_back(slice);
            isTogether_ = false;
            return;
        }
        const bool isApart = slice.left - narrow_.right >= kNarrow;
        const bool isSeen = narrow_.right - narrow_.left >= kNarrow;
        if (many_ > 0 && (isApart || (isSeen && slice.paint != last_))) {
            flush();
        }
        last_ = slice.paint;
        if (many_ == 0) {
            narrow_ = slice;
        }
        narrow_.right = std::max(narrow_.right, slice.right);
        shares_[static_cast<std::size_t>(slice.paint)] += slice.right - slice.left + 1;
        ++many_;
    }
    void flush() {
        if (many_ == 0) {
            return;
        }
        const auto most = std::ranges::max_element(shares_) - shares_.begin();
        narrow_.paint = static_cast<Paint>(most);
        narrow_.microBatch = -1;
        const bool goesOn = isTogether_ && slices_.back().paint == narrow_.paint &&
                            narrow_.left - slices_.back().right < kNarrow;
        merged_ += many_ > 1 || goesOn ? many_ : 0;
        if (goesOn) {
            slices_.back().right = std::max(slices_.back().right, narrow_.right);
        } else {
            slices_.push_back(narrow_);
        }
        isTogether_ = true;
        shares_ = {};
        many_ = 0;
    }

private:
    std::vector<TimelineSlice>& slices_;
    std::size_t& merged_;
    TimelineSlice narrow_;
    Paint last_ = Paint::Host;  ///< of the last narrow one
    bool isTogether_ = false;   ///< the last slice is of narrow ones
    std::array<std::int64_t, kPaints> shares_{};
    std::size_t many_ = 0;
};

/// One stretch for ops of the path that follow each other.
void addCritical(std::vector<TimelineSlice>& path, std::int64_t left, std::int64_t right) {
    if (!path.empty() && left - path.back().right < kNarrow) {
        path.back().right = std::max(path.back().right, right);
    } else if (right > left) {
        path.push_back({.left = left, .right = right});
    }
}

/// So that what stands alone is seen: to half a pixel, but to no more than a fifth of the way to
/// what follows, or many short ones would look like one long one.
void widenNarrow(std::vector<TimelineSlice>& slices, std::int64_t width) {
    constexpr std::int64_t kShare = 5;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        TimelineSlice& slice = slices[i];
        const std::int64_t next = i + 1 < slices.size() ? slices[i + 1].left : width + kNarrow;
        const std::int64_t room = slice.left < before ? 0 : (next - slice.left) / kShare;
        before = std::max(before, slice.right);
        slice.right = std::max(slice.right, slice.left + std::min(kNarrow, room));
    }
}

}  // namespace

std::int64_t placeOf(SimTime at, SimTime makespan, std::int64_t width) {
    return makespan > SimTime(0) ? std::llround(at / makespan * static_cast<double>(width)) : 0;
}

TimelineSlices timelineSlices(const SimProgram& program,
                              const SimRun& run,
                              const std::vector<OpIndex>& critical,
                              const std::vector<ActorIndex>& actors,
                              std::int64_t width) {
    std::map<ActorIndex, std::size_t> places;
    for (const ActorIndex actor : actors) {
        places.emplace(actor, places.size());
    }
    using Row = std::vector<OpIndex>;
    std::vector<std::array<Row, kTimelineRows>> rows(actors.size());
    for (OpIndex index = 0; index < program.ops().size(); ++index) {
        const SimOp& op = program.ops()[index];
        if (const auto place = places.find(op.actor);
            place != places.end() && run.lasted(index) > SimTime(0)) {
            rows[place->second][static_cast<std::size_t>(rowOf(op))].push_back(index);
        }
    }
    TimelineSlices drawn{.actors = std::vector<ActorSlices>(actors.size())};
    const auto left = [&](OpIndex op) { return placeOf(run.start[op], run.makespan, width); };
    const auto right = [&](OpIndex op) { return placeOf(run.end[op], run.makespan, width); };
    for (std::size_t actor = 0; actor < actors.size(); ++actor) {
        for (std::size_t row = 0; row < kTimelineRows; ++row) {
            std::ranges::stable_sort(
                rows[actor][row], {}, [&](OpIndex op) { return run.start[op]; });
            RowWriter writer(drawn.actors[actor].rows[row], drawn.merged);
            for (const OpIndex op : rows[actor][row]) {
                const SimOp& what = program.ops()[op];
                writer.add({left(op), right(op), paintOf(what), what.microBatch});
            }
            writer.flush();
            widenNarrow(drawn.actors[actor].rows[row], width);
        }
    }
    for (const OpIndex op : critical) {
        if (const auto place = places.find(program.ops()[op].actor); place != places.end()) {
            addCritical(drawn.actors[place->second].critical, left(op), right(op));
        }
    }
    for (ActorSlices& actor : drawn.actors) {
        widenNarrow(actor.critical, width);
    }
    return drawn;
}

}  // namespace fabricast
