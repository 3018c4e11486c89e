#include "planner/stack/rank_groups.h"

#include "planner/base/check.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

namespace fabricast {
namespace {

enum class RankAxis { Tensor, Context, Data, Pipeline, ExpertTensor, Expert, ExpertData };

struct MeshAxis {
    RankAxis axis;
    std::int64_t size;
};
/// Axes from the fastest-varying to the slowest; the sizes multiply to the number of ranks.
using Mesh = std::vector<MeshAxis>;

Mesh denseMesh(const Layout& layout, const RankOrder& order) {
    Mesh mesh = {{RankAxis::Tensor, layout.tp},
                 {RankAxis::Context, layout.cp},
                 {RankAxis::Data, layout.dp},
                 {RankAxis::Pipeline, layout.pp}};
    if (order.pipelineInside) {
        std::swap(mesh[2], mesh[3]);
    }
    return mesh;
}

Mesh expertMesh(const Layout& layout, const RankOrder& order) {
    const bool overAll = order.experts == ExpertPlace::OverAll;
    const std::int64_t inner = overAll ? layout.etp : layout.tp;
    const std::int64_t stage = layout.world() / layout.pp;
    Mesh mesh = {{RankAxis::ExpertTensor, inner},
                 {RankAxis::Expert, layout.ep},
                 {RankAxis::ExpertData, stage / (inner * layout.ep)},
                 {RankAxis::Pipeline, layout.pp}};
    if (order.experts == ExpertPlace::DataFirst) {
        std::swap(mesh[1], mesh[2]);
    }
    if (order.pipelineInside) {
        std::swap(mesh[2], mesh[3]);
    }
    return mesh;
}

bool isIn(RankAxis axis, std::initializer_list<RankAxis> axes) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The offsets that the chosen (or the other) axes add to a rank, ascending.
std::vector<std::int64_t> offsets(const Mesh& mesh,
                                  std::initializer_list<RankAxis> axes,
                                  bool chosen) {
    std::vector<std::int64_t> ranks = {0};
    std::int64_t stride = 1;
    for (const auto& [axis, size] : mesh) {
        if (isIn(axis, axes) == chosen) {
            std::vector<std::int64_t> wider;
            for (std::int64_t step = 0; step < size; ++step) {
                for (const std::int64_t rank : ranks) {
                    wider.push_back(rank + step * stride);
                }
            }
            ranks = std::move(wider);
        }
        stride *= size;
    }
    return ranks;
}

std::vector<RankGroup> groupsAlong(const Mesh& mesh, std::initializer_list<RankAxis> axes) {
    const std::vector<std::int64_t> members = offsets(mesh, axes, true);
    std::vector<RankGroup> groups;
    for (const std::int64_t base : offsets(mesh, axes, false)) {
        RankGroup& group = groups.emplace_back();
        for (const std::int64_t member : members) {
            group.emplace_back(base + member);
        }
    }
    return groups;
}

/// Cuts every group into runs of `size`: the ranks that share one copy of the states.
std::vector<RankGroup> cut(const std::vector<RankGroup>& groups, std::int64_t size) {
    std::vector<RankGroup> parts;
    for (const RankGroup& group : groups) {
        for (std::size_t at = 0; at < group.size(); at += static_cast<std::size_t>(size)) {
            const auto first = group.begin() + static_cast<std::ptrdiff_t>(at);
            parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
        }
    }
    std::sort(parts.begin(), parts.end());
    return parts;
}

/// The ranks at the same place in every run.
std::vector<RankGroup> across(const std::vector<RankGroup>& groups, std::int64_t size) {
    std::vector<RankGroup> parts;
    for (const RankGroup& group : groups) {
        for (std::int64_t place = 0; place < size; ++place) {
            RankGroup& part = parts.emplace_back();
            for (auto at = static_cast<std::size_t>(place); at < group.size();
                 at += static_cast<std::size_t>(size)) {
                part.push_back(group[at]);
            }
        }
    }
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::vector<RankGroup> ends(const std::vector<RankGroup>& pipelines) {
    std::vector<RankGroup> groups;
    for (const RankGroup& pipeline : pipelines) {
        if (pipeline.size() == 1) {
            groups.push_back(pipeline);
        } else {
            groups.push_back({pipeline.front(), pipeline.back()});
        }
    }
    return groups;
}

std::vector<RankGroup> shardGroups(const Layout& layout, const RankOrder& order, bool replicate) {
    const auto groups = rankGroups(layout, order, GroupKind::DataContext);
    return replicate ? across(groups, shardSize(layout)) : cut(groups, shardSize(layout));
}

/// Whole stages, split into the ranks of each shard group and joined over the pipeline.
std::vector<RankGroup> instanceGroups(const Layout& layout, const RankOrder& order) {
    std::vector<RankGroup> instances;
    const std::vector<RankGroup> shards = shardGroups(layout, order, false);
    const std::vector<RankGroup> copies = rankGroups(layout, order, GroupKind::TensorPipeline);
    std::vector<std::size_t> copyOf(static_cast<std::size_t>(layout.world()));
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
        for (const RankId rank : copies[copy]) {
            copyOf[static_cast<std::size_t>(rank.index())] = copy;
        }
    }
    std::vector<bool> taken(copies.size());
    for (const RankGroup& shard : shards) {
        RankGroup instance;
        for (const RankId rank : shard) {
            const std::size_t copy = copyOf[static_cast<std::size_t>(rank.index())];
            if (!taken[copy]) {
                taken[copy] = true;
                instance.insert(instance.end(), copies[copy].begin(), copies[copy].end());
            }
        }
        if (!instance.empty()) {
            std::sort(instance.begin(), instance.end());
            instances.push_back(std::move(instance));
        }
    }
    return instances;
}

std::vector<RankGroup> expertShardGroups(const Layout& layout,
                                         const RankOrder& order,
                                         bool replicate) {
    const auto groups = rankGroups(layout, order, GroupKind::ExpertData);
    const auto dataRanks = static_cast<std::int64_t>(groups.front().size());
    const std::int64_t size = expertShardSize(layout, dataRanks);
    return replicate ? across(groups, size) : cut(groups, size);
}

}  // namespace

std::int64_t shardSize(const Layout& layout) {
    if (layout.shard == Shard::None) {
        return 1;
    }
    return layout.shardSize > 0 ? layout.shardSize : layout.replicas();
}

std::int64_t expertShardSize(const Layout& layout, std::int64_t dataRanks) {
    if (layout.shard == Shard::None) {
        return 1;
    }
    return std::max<std::int64_t>(1, dataRanks / (layout.replicas() / shardSize(layout)));
}

std::int64_t contextInner(const Layout& layout) {
    constexpr std::int64_t kNodeRanks = 8;
    std::int64_t inner = 1;
    for (std::int64_t size = 1; size <= layout.cp && size * layout.tp <= kNodeRanks; ++size) {
        inner = layout.cp % size == 0 ? size : inner;
    }
    return inner;
}

std::vector<RankGroup> rankGroups(const Layout& layout, const RankOrder& order, GroupKind kind) {
    constexpr std::int64_t kMostGrouped = 1 << 24;
    FABRICAST_CHECK(layout.world() >= 1 && layout.world() <= kMostGrouped);
    const auto dense = [&](std::initializer_list<RankAxis> axes) {
        return groupsAlong(denseMesh(layout, order), axes);
    };
    const auto sparse = [&](std::initializer_list<RankAxis> axes) {
        return groupsAlong(expertMesh(layout, order), axes);
    };
    switch (kind) {
        case GroupKind::Tensor:
            return dense({RankAxis::Tensor});
        case GroupKind::Context:
            return dense({RankAxis::Context});
        case GroupKind::Data:
            return dense({RankAxis::Data});
        case GroupKind::DataContext:
            return dense({RankAxis::Context, RankAxis::Data});
        case GroupKind::Pipeline:
            return dense({RankAxis::Pipeline});
        case GroupKind::TensorContext:
            return dense({RankAxis::Tensor, RankAxis::Context});
        case GroupKind::Embedding:
            return ends(dense({RankAxis::Pipeline}));
        case GroupKind::ExpertTensor:
            return sparse({RankAxis::ExpertTensor});
        case GroupKind::Expert:
            return sparse({RankAxis::Expert});
        case GroupKind::ExpertTensorExpert:
            return sparse({RankAxis::ExpertTensor, RankAxis::Expert});
        case GroupKind::ExpertData:
            return sparse({RankAxis::ExpertData});
        case GroupKind::Shard:
            return shardGroups(layout, order, false);
        case GroupKind::Replicate:
            return shardGroups(layout, order, true);
        case GroupKind::ExpertShard:
            return expertShardGroups(layout, order, false);
        case GroupKind::ExpertReplicate:
            return expertShardGroups(layout, order, true);
        case GroupKind::Stage:
            return dense({RankAxis::Tensor, RankAxis::Context, RankAxis::Data});
        case GroupKind::TensorPipeline:
            return dense({RankAxis::Tensor, RankAxis::Pipeline});
        case GroupKind::ExpertModel:
            return sparse({RankAxis::ExpertTensor, RankAxis::Expert, RankAxis::Pipeline});
        case GroupKind::OptimizerInstance:
            return instanceGroups(layout, order);
        case GroupKind::World:
            return dense({RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline});
        case GroupKind::ContextInner:
            return cut(dense({RankAxis::Context}), contextInner(layout));
        case GroupKind::ContextOuter:
            return across(dense({RankAxis::Context}), contextInner(layout));
    }
    return {};
}

RankGroup rankGroupOf(RankId rank, const Layout& layout, const RankOrder& order, GroupKind kind) {
    for (const RankGroup& group : rankGroups(layout, order, kind)) {
        if (std::find(group.begin(), group.end(), rank) != group.end()) {
            return group;
        }
    }
    return {};
}

}  // namespace fabricast
