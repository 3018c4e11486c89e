#include "planner/base/checked.h"
#include "planner/load/scenario_defaults.h"
#include "planner/spec/names.h"
#include "planner/spec/size_limits.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace fabricast {
namespace {

std::string named(std::string_view key, std::int64_t value) {
    return std::string(key) + " " + std::to_string(value);
}

/// "tp 8 x pp 4 x cp 1".
std::string modelRanksText(const Layout& layout) {
    return named("tp", layout.tp) + " x " + named("pp", layout.pp) + " x " + named("cp", layout.cp);
}

/// The largest divisor of `number` that is not above `most`.
std::int64_t nearestDivisor(std::int64_t number, std::int64_t most) {
    std::int64_t divisor = std::min(number, most);
    while (number % divisor != 0) {
        --divisor;
    }
    return divisor;
}

/// The axis of a model's ranks that a number of GPUs rules out, and its sizes next to the one said
/// that would do beside the others; no sizes where the others rule the number out, too.
struct WrongAxis {
    std::string_view name;
    std::string sizes;
};

/// Whether the model can be divided so often along an axis: a pipeline rank has vpp chunks, each of
/// a layer at least.
bool divides(const Layout& layout, const Room& room, std::string_view axis, std::int64_t size) {
    if (axis == "tp") {
        return room.heads % size == 0;
    }
    const std::int64_t most = std::max<std::int64_t>(1, room.layers / layout.vpp);
    return axis != "pp" || room.layers == 0 || size <= most;
}

WrongAxis wrongAxis(const Layout& layout, const Room& room) {
    const std::array<std::pair<std::string_view, std::int64_t>, 3> axes = {
        {{"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}}};
    const std::int64_t all = layout.tp * layout.pp * layout.cp;
    for (const auto& [name, size] : axes) {
        const std::int64_t others = all / size;
        if (size == 1 || *room.gpus % others != 0) {
            continue;
        }
        const std::int64_t most = *room.gpus / others;
        const auto isTaken = [&, axis = name](std::int64_t one) {
            return most % one == 0 && divides(layout, room, axis, one);
        };
        std::int64_t below = std::min(size, most);
        while (!isTaken(below)) {
            --below;
        }
        std::int64_t above = size + 1;
        while (above < most && !isTaken(above)) {
            ++above;
        }
        const std::string key = std::string(name) + "=";
        return {name,
                key + std::to_string(below) +
                    (above <= most && isTaken(above) ? ", or " + key + std::to_string(above) : "")};
    }
    return {"", ""};
}

Layout withStackDefaults(const PartialLayout& partial, const Stack& stack) {
    Layout layout = partial.layout;
    const LayoutDefaults defaults = layoutDefaults(stack, layout);
    layout.shard = partial.says("shard") ? layout.shard : defaults.shard;
    layout.vpp = partial.says("vpp") ? layout.vpp : defaults.vpp;
    layout.schedule = partial.says("schedule") ? layout.schedule : defaults.schedule;
    layout.cpKind = partial.says("cp_kind") ? layout.cpKind : defaults.cpKind;
    layout.sp = partial.says("sp") ? layout.sp : defaults.sp;
    layout.etp = partial.says("etp") ? layout.etp : defaults.etp;
    return layout;
}

Error mismatch(const Layout& layout, std::int64_t modelRanks, std::int64_t gpus) {
    const std::int64_t product = modelRanks * layout.dp;
    const bool divides = gpus % modelRanks == 0;
    return {
        Error::Code::BadInput,
        "layout.dp",
        modelRanksText(layout) + " x " + named("dp", layout.dp) + " = " + std::to_string(product) +
            ", but there are " + std::to_string(gpus) + " GPUs",
        divides ? "dp=" + std::to_string(gpus / modelRanks) : "--gpus " + std::to_string(product)};
}

Error tooManyCopies(const Room& room, std::int64_t modelRanks) {
    const std::int64_t most = kMostAxisRanks * modelRanks;
    const std::string nodes = std::to_string(most / room.gpusPerNode);
    return {Error::Code::BadInput,
            room.gpusWhere.empty() ? "layout" : room.gpusWhere,
            std::to_string(*room.gpus) + " GPUs are " + named("dp", *room.gpus / modelRanks) +
                ", and dp is at most " + std::to_string(kMostAxisRanks),
            room.gpusWhere == "-n" ? "-n " + nodes + ", or more of tp, pp and cp"
                                   : "at most " + std::to_string(most) + " GPUs (" + nodes +
                                         " nodes), or more of tp, pp and cp"};
}

/// No number of GPUs given: the cluster as it is sold, or more nodes if the model needs them.
std::int64_t openDataRanks(const Room& room, std::int64_t modelRanks) {
    const std::int64_t nodes = (modelRanks + room.gpusPerNode - 1) / room.gpusPerNode;
    const std::int64_t gpus = std::max(room.usualGpus, nodes * room.gpusPerNode);
    return gpus % modelRanks == 0 ? gpus / modelRanks : 1;
}

Result<std::int64_t> dataRanks(const PartialLayout& partial,
                               const Layout& layout,
                               const Room& room) {
    FABRICAST_ASSIGN(
        const std::int64_t modelRanks,
        (Checked(layout.tp) * layout.pp * layout.cp).result("layout", "ranks of a model"));
    FABRICAST_TRY((Checked(modelRanks) * layout.dp).result("layout", "ranks"));
    if (!room.gpus) {
        return partial.says("dp") ? layout.dp : openDataRanks(room, modelRanks);
    }
    if (partial.says("dp")) {
        if (modelRanks * layout.dp != *room.gpus) {
            return tl::unexpected(mismatch(layout, modelRanks, *room.gpus));
        }
        return layout.dp;
    }
    if (*room.gpus % modelRanks != 0) {
        const WrongAxis wrong = wrongAxis(layout, room);
        return fail(
            Error::Code::BadInput,
            wrong.name.empty() ? "layout" : "layout." + std::string(wrong.name),
            modelRanksText(layout) + " = " + std::to_string(modelRanks) +
                ", which does not divide " + std::to_string(*room.gpus) + " GPUs",
            wrong.sizes.empty()
                ? (modelRanks > *room.gpus ? "--gpus " + std::to_string(modelRanks) + ", or "
                                           : std::string()) +
                      "sizes whose product divides " + std::to_string(*room.gpus)
                : wrong.sizes);
    }
    const std::int64_t dp = *room.gpus / modelRanks;
    return dp > kMostAxisRanks ? tl::unexpected(tooManyCopies(room, modelRanks))
                               : Result<std::int64_t>(dp);
}

/// One node's GPUs share a copy of the states where the layout leaves it open; all, where a node
/// does not divide them.
std::int64_t hybridShardSize(const Layout& layout, const Room& room) {
    const std::int64_t perNode = std::max<std::int64_t>(1, room.gpusPerNode / layout.tp);
    return layout.replicas() % perNode == 0 ? perNode : layout.replicas();
}

/// So many copies of the states: one in each group of hsdp, or on each rank.
Result<void> divideCopies(const PartialLayout& partial, Layout& layout) {
    const std::int64_t copies = partial.copies;
    const std::int64_t replicas = layout.replicas();
    if (partial.says("shard_size")) {
        return fail(Error::Code::BadInput,
                    "layout.copies",
                    "and shard_size are both given",
                    "one of them: shard_size is dp x cp / copies");
    }
    if (replicas % copies != 0) {
        return fail(
            Error::Code::BadInput,
            "layout.copies",
            named("copies", copies) + " does not divide dp x cp = " + std::to_string(replicas),
            "copies=" + std::to_string(nearestDivisor(replicas, copies)));
    }
    const Shard wanted = copies == replicas ? Shard::None : Shard::Hsdp;
    if (copies > 1 && !partial.says("shard")) {
        layout.shard = wanted;
    }
    if (copies > 1 && layout.shard != wanted && layout.shard != Shard::Hsdp) {
        return fail(Error::Code::BadInput,
                    "layout.copies",
                    "shard=" + std::string(nameOf(layout.shard)) + " does not keep " +
                        std::to_string(copies) + " copies of the states on " +
                        std::to_string(replicas) + " ranks",
                    "shard=" + std::string(nameOf(wanted)));
    }
    if (layout.shard == Shard::Hsdp) {
        layout.shardSize = replicas / copies;
    }
    return {};
}

/// The most experts' ranks below those said that divide the stage's, and the model's experts.
std::int64_t fewerExpertRanks(const Layout& layout, std::int64_t stageRanks, const Room& room) {
    std::int64_t fewer = layout.ep - 1;
    while (stageRanks % (fewer * layout.etp) != 0 || room.experts % fewer != 0) {
        --fewer;
    }
    return fewer;
}

Result<void> checkExpertRanks(const Layout& layout, const Room& room) {
    const std::int64_t stageRanks = layout.world() / layout.pp;
    FABRICAST_ASSIGN(const std::int64_t expertRanks,
                     (Checked(layout.ep) * layout.etp).result("layout.ep", "ranks of experts"));
    if (stageRanks % expertRanks != 0) {
        return fail(Error::Code::BadInput,
                    "layout.ep",
                    named("ep", layout.ep) + " x " + named("etp", layout.etp) + " = " +
                        std::to_string(expertRanks) + ", which does not divide the " +
                        std::to_string(stageRanks) + " GPUs of a pipeline stage",
                    layout.etp > 1
                        ? "etp=1 (default: tp)"
                        : "ep=" + std::to_string(fewerExpertRanks(layout, stageRanks, room)));
    }
    return {};
}

}  // namespace

Result<Layout> completeLayout(const PartialLayout& partial, const Stack& stack, const Room& room) {
    Layout layout = withStackDefaults(partial, stack);
    FABRICAST_ASSIGN(layout.dp, dataRanks(partial, layout, room));
    if (stack.axes.wholeAlone && layout.replicas() == 1 && !partial.says("shard") &&
        layout.offload == Offload::None) {
        layout.shard = Shard::None;
    }
    if (partial.says("copies")) {
        FABRICAST_TRY(divideCopies(partial, layout));
    } else if (layout.shard == Shard::Hsdp && !partial.says("shard_size")) {
        layout.shardSize = hybridShardSize(layout, room);
    }
    if (layout.shardSize > 0 && layout.replicas() % layout.shardSize != 0) {
        // Ranks of cp stay together: most stacks take no other groups.
        const std::int64_t most = std::max<std::int64_t>(1, layout.shardSize / layout.cp);
        return fail(Error::Code::BadInput,
                    "layout.shard_size",
                    named("shard_size", layout.shardSize) +
                        " does not divide dp x cp = " + std::to_string(layout.replicas()),
                    "shard_size=" + std::to_string(layout.cp * nearestDivisor(layout.dp, most)));
    }
    if (layout.vpp > 1 && layout.pp == 1) {
        return fail(Error::Code::BadInput,
                    "layout.vpp",
                    named("vpp", layout.vpp) + " needs a pipeline, and pp is 1",
                    "pp=2, or leave vpp out");
    }
    if (partial.says("schedule") && layout.schedule != ScheduleKind::None && layout.pp == 1) {
        return fail(Error::Code::BadInput,
                    "layout.schedule",
                    "the schedule " + std::string(nameOf(layout.schedule)) +
                        " needs a pipeline, and pp is 1",
                    "pp=2, or leave schedule out");
    }
    FABRICAST_TRY(checkExpertRanks(layout, room));
    return layout;
}

Result<void> checkBatch(const Layout& layout, std::int64_t globalBatch) {
    FABRICAST_ASSIGN(
        const std::int64_t round,
        (Checked(layout.dp) * layout.microBatch).result("layout", "samples of a round"));
    if (globalBatch % round == 0) {
        return {};
    }
    const std::string multiples = multiplesAround(globalBatch, round);
    return fail(Error::Code::BadInput,
                "workload.global_batch",
                std::to_string(globalBatch) + " samples are not a multiple of " +
                    named("dp", layout.dp) + " x " + named("micro_batch", layout.microBatch) +
                    " = " + std::to_string(round),
                multiples.empty() ? "fewer GPUs" : "--global-batch " + multiples);
}

}  // namespace fabricast
