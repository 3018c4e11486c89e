#include "planner/base/check.h"
#include "planner/comm/collective_groups.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

using Axis = GroupAxes::Axis;

struct DenseAxes {
    Axis tensor, context, data, pipeline;
};

/// t + tp · (c + cp · (d + dp · p)), or with the pipeline inside t + tp · (c + cp · (p + pp · d)).
DenseAxes denseAxes(const Layout& layout, const RankOrder& order) {
    const std::int64_t outer = layout.tp * layout.cp;
    DenseAxes axes{.tensor = {layout.tp, 1},
                   .context = {layout.cp, layout.tp},
                   .data = {layout.dp, outer},
                   .pipeline = {layout.pp, outer * layout.dp}};
    if (order.pipelineInside) {
        axes.pipeline.stride = outer;
        axes.data.stride = outer * layout.pp;
    }
    return axes;
}

struct ExpertAxes {
    Axis tensor, expert, data, pipeline;
};

ExpertAxes expertAxes(const Layout& layout, const RankOrder& order) {
    const bool overAll = order.experts == ExpertPlace::OverAll;
    const std::int64_t inner = overAll ? layout.etp : layout.tp;
    const std::int64_t data = layout.world() / (layout.pp * inner * layout.ep);
    ExpertAxes axes{.tensor = {inner, 1},
                    .expert = {layout.ep, inner},
                    .data = {data, inner * layout.ep},
                    .pipeline = {layout.pp, inner * layout.ep * data}};
    if (order.experts == ExpertPlace::DataFirst) {
        axes.data.stride = inner;
        axes.expert.stride = inner * data;
    }
    if (order.pipelineInside) {
        // The pipeline changes places with the axis outside the others.
        Axis& outermost = order.experts == ExpertPlace::DataFirst ? axes.expert : axes.data;
        axes.pipeline.stride = outermost.stride;
        outermost.stride *= layout.pp;
    }
    return axes;
}

/// The first `size` ranks along two axes, the inner one first. A size that neither divides nor is a
/// multiple of the inner axis is taken as if the ranks followed on each other.
GroupAxes firstAlong(Axis inner, Axis outer, std::int64_t size) {
    GroupAxes group;
    if (size % inner.size == 0) {
        group.add(inner);
        group.add({size / inner.size, outer.stride});
    } else {
        group.add({size, inner.stride});
    }
    return group;
}

/// Every `step`-th rank along two axes.
GroupAxes everyAlong(Axis inner, Axis outer, std::int64_t step) {
    GroupAxes group;
    if (step % inner.size == 0) {
        const std::int64_t outerStep = step / inner.size;
        group.add({outer.size / outerStep, outer.stride * outerStep});
    } else if (inner.size % step == 0) {
        group.add({inner.size / step, inner.stride * step});
        group.add(outer);
    } else {
        group.add({inner.size * outer.size / step, inner.stride * step});
    }
    return group;
}

GroupAxes along(std::initializer_list<Axis> axes) {
    GroupAxes group;
    for (const Axis& axis : axes) {
        group.add(axis);
    }
    return group;
}

/// One piece for a group that no layout can divide: the base may lie anywhere in a piece.
std::int64_t mostPieces(const Axis& axis, std::int64_t pieceRanks) {
    const std::int64_t last = (axis.size - 1) * axis.stride;
    return std::min(axis.size, (last + pieceRanks - 1) / pieceRanks + 1);
}

}  // namespace

std::int64_t GroupAxes::ranks() const {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < count; ++i) {
        product *= axes[i].size;
    }
    return product;
}

void GroupAxes::add(Axis axis) {
    if (axis.size <= 1) {
        return;
    }
    std::size_t place = count;
    while (place > 0 && axes[place - 1].stride > axis.stride) {
        --place;
    }
    if (place > 0 && axes[place - 1].size * axes[place - 1].stride == axis.stride) {
        axes[place - 1].size *= axis.size;
        return;
    }
    if (place < count && axis.size * axis.stride == axes[place].stride) {
        axes[place] = {axes[place].size * axis.size, axis.stride};
        return;
    }
    FABRICAST_CHECK(count < axes.size());
    for (std::size_t i = count; i > place; --i) {
        axes[i] = axes[i - 1];
    }
    axes[place] = axis;
    ++count;
}

GroupAxes groupAxes(const Layout& layout, const RankOrder& order, GroupKind kind) {
    const DenseAxes dense = denseAxes(layout, order);
    const ExpertAxes expert = expertAxes(layout, order);
    switch (kind) {
        case GroupKind::Tensor:
            return along({dense.tensor});
        case GroupKind::Context:
            return along({dense.context});
        case GroupKind::Data:
            return along({dense.data});
        case GroupKind::DataContext:
            return along({dense.context, dense.data});
        case GroupKind::Pipeline:
            return along({dense.pipeline});
        case GroupKind::TensorContext:
            return along({dense.tensor, dense.context});
        case GroupKind::Embedding:
            return along({{.size = layout.pp > 1 ? 2 : 1,
                           .stride = dense.pipeline.stride * (layout.pp - 1),
                           .block = dense.pipeline.stride * layout.pp}});
        case GroupKind::ExpertTensor:
            return along({expert.tensor});
        case GroupKind::Expert:
            return along({expert.expert});
        case GroupKind::ExpertTensorExpert:
            return along({expert.tensor, expert.expert});
        case GroupKind::ExpertData:
            return along({expert.data});
        case GroupKind::Shard:
            return firstAlong(dense.context, dense.data, shardSize(layout));
        case GroupKind::Replicate:
            return everyAlong(dense.context, dense.data, shardSize(layout));
        case GroupKind::ExpertShard:
            return along({{expertShardSize(layout, expert.data.size), expert.data.stride}});
        case GroupKind::ExpertReplicate: {
            const std::int64_t size = expertShardSize(layout, expert.data.size);
            return along({{expert.data.size / size, expert.data.stride * size}});
        }
        case GroupKind::Stage:
            return along({dense.tensor, dense.context, dense.data});
        case GroupKind::TensorPipeline:
            return along({dense.tensor, dense.pipeline});
        case GroupKind::ExpertModel:
            return along({expert.tensor, expert.expert, expert.pipeline});
        case GroupKind::OptimizerInstance: {
            GroupAxes group = firstAlong(dense.context, dense.data, shardSize(layout));
            group.add(dense.tensor);
            group.add(dense.pipeline);
            return group;
        }
        case GroupKind::World:
            return along({{layout.world(), 1}});
        case GroupKind::ContextInner:
            return along({{contextInner(layout), dense.context.stride}});
        case GroupKind::ContextOuter: {
            const std::int64_t inner = contextInner(layout);
            return along({{layout.cp / inner, dense.context.stride * inner}});
        }
    }
    return {};
}

GroupSpan spanOver(const GroupAxes& group, std::int64_t pieceRanks, std::int64_t world) {
    const std::int64_t ranks = group.ranks();
    if (world <= pieceRanks) {
        return {.pieces = 1, .perPiece = ranks};
    }
    GroupSpan span;
    for (std::size_t i = 0; i < group.count; ++i) {
        const Axis& axis = group.axes[i];
        const std::int64_t run = axis.run();
        if (axis.stride >= pieceRanks) {
            span.pieces *= axis.size;
        } else if (pieceRanks % run == 0) {
            span.perPiece *= axis.size;
        } else if (axis.block == 0 && pieceRanks % axis.stride == 0 && run % pieceRanks == 0) {
            span.perPiece *= pieceRanks / axis.stride;
            span.pieces *= run / pieceRanks;
        } else {
            const std::int64_t pieces = mostPieces(axis, pieceRanks);
            span.perPiece *= (axis.size + pieces - 1) / pieces;
            span.pieces *= pieces;
        }
    }
    span.pieces = std::min(span.pieces, ranks);
    span.perPiece = std::max(span.perPiece, (ranks + span.pieces - 1) / span.pieces);
    return span;
}

}  // namespace fabricast
