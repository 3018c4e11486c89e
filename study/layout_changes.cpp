#include "planner/ops/megatron_vocab.h"
#include "planner/spec/names.h"
#include "planner/stack/stack.h"
#include "study/change_offers.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast::offers {

namespace {

/// Where nothing is offloaded and the stack has it.
void offload(const ChangeSubject& subject, Offers& offers, Offload what) {
    const Layout& now = subject.now.layout;
    const Result<const Stack*> stack = findStack(subject.now.stack);
    if (now.offload != Offload::None || !stack) {
        return;
    }
    const StackAxes& axes = (*stack)->axes;
    const bool hasIt = std::ranges::find(axes.offloads, what) != axes.offloads.end() &&
                       (axes.checkOffload == nullptr || axes.checkOffload(now.shard, what));
    if (hasIt) {
        offers.add({layoutKey("offload", std::string(nameOf(what)))});
    }
}

/// Moves a factor of two from data parallelism to another axis; the ranks stay the same.
void moveToAxis(const ChangeSubject& subject,
                Offers& offers,
                std::string_view axis,
                std::int64_t ranks,
                Edits more = {}) {
    const std::int64_t dp = subject.now.layout.dp;
    if (dp % 2 != 0) {
        return;
    }
    Edits edits = {layoutKey(axis, ranks * 2), layoutKey("dp", dp / 2)};
    edits.insert(edits.end(), more.begin(), more.end());
    offers.add(withOpenShards(subject, std::move(edits)));
}

}  // namespace

void recomputeSelective(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.recompute.kind == Checkpointing::None &&
        settings.kernels.code == ModelCode::TorchTitan) {
        offers.add({layoutKey("recompute", "selective")});
    }
}

/// Modules of a layer, those first that cost least for what they free.
void recomputeModules(const ChangeSubject& subject, Offers& offers) {
    if (!isMegatronCode(subject.now) ||
        subject.now.settings.recompute.kind != Checkpointing::None) {
        return;
    }
    int more = 0;
    offers.add({layoutKey("recompute", "core_attn")}, more++);
    offers.add({layoutKey("recompute", subject.now.model.moe ? "moe_act" : "mlp")}, more++);
}

void recomputeFull(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.recompute.kind != Checkpointing::Full) {
        offers.add({layoutKey("recompute", "full")});
    }
}

void recomputeLess(const ChangeSubject& subject, Offers& offers) {
    const Checkpointing kind = subject.now.settings.recompute.kind;
    if (kind != Checkpointing::None) {
        offers.add({layoutKey("recompute", "none")});
    }
    if (kind == Checkpointing::Full) {
        offers.add({layoutKey("recompute", "selective")});
    }
}

void smallerMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.layout.microBatch;
    for (std::int64_t smaller = now / 2; smaller >= 1; smaller /= 2) {
        if (now % smaller == 0) {
            offers.add({layoutKey("micro_batch", smaller)});
        }
    }
}

void otherMicroBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.layout.microBatch;
    if (now % 2 == 0) {
        offers.add({layoutKey("micro_batch", now / 2)}).sideEffect = "fewer sequences at once";
    }
    offers.add({layoutKey("micro_batch", now * 2)});
}

/// Other counts of ranks of an axis; dp takes up the difference, as the GPUs stay the same.
void otherCounts(const ChangeSubject& subject, Offers& offers) {
    const Layout& layout = subject.now.layout;
    const bool saysDp = says(subject.question, "layout.dp");
    const auto count = [&](const char* axis, std::int64_t now, std::int64_t then, Edits more = {}) {
        const std::int64_t ranks = layout.dp * now;
        if (then < 1 || (saysDp && ranks % then != 0)) {
            return;
        }
        Edits edits = {layoutKey(axis, then)};
        edits.insert(edits.end(), more.begin(), more.end());
        if (saysDp) {
            edits.push_back(layoutKey("dp", ranks / then));
        }
        offers.add(withOpenShards(subject, std::move(edits)));
    };
    const auto halve = [&](const char* axis, std::int64_t now, const Edits& more = {}) {
        count(axis, now, now % 2 == 0 ? now / 2 : 0, more);
    };
    const bool hasOneLeft = layout.pp == 2 && says(subject.question, "layout.schedule");
    halve("tp", layout.tp);
    count("tp", layout.tp, layout.tp * 2);
    halve("pp", layout.pp, hasOneLeft ? Edits{layoutKey("schedule", "null")} : Edits{});
    count("pp", layout.pp, layout.pp * 2);
    if (layout.pp > 1) {
        offers.add({layoutKey("vpp", layout.vpp * 2)});
    }
    halve("cp", layout.cp);
}

void shardTwo(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.engine == Engine::DeepSpeed &&
        subject.now.layout.shard < Shard::Zero2) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "zero2")}));
    }
}

void shardThree(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.settings.engine == Engine::DeepSpeed &&
        subject.now.layout.shard < Shard::Zero3) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "zero3")}));
    }
}

void shardOverAll(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.layout.shard == Shard::Hsdp) {
        offers.add(withOpenShards(subject, {layoutKey("shard", "fsdp")}));
    }
}

void offloadOptimizer(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::OptimizerCpu);
}

void offloadParameters(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::ParametersCpu);
}

void offloadActivations(const ChangeSubject& subject, Offers& offers) {
    offload(subject, offers, Offload::Activations);
}

/// States of a GPU that has the room need not be on the host.
void offloadLess(const ChangeSubject& subject, Offers& offers) {
    const Offload now = subject.now.layout.offload;
    if (now == Offload::ParametersCpu && subject.now.settings.engine == Engine::DeepSpeed) {
        offers.add({layoutKey("offload", "optimizer_cpu")});
    }
    if (now != Offload::None) {
        offers.add({layoutKey("offload", "none")});
    }
}

/// Experts that are split as the layers are go with them, whether a file says so or nobody does.
void moreTensor(const ChangeSubject& subject, Offers& offers) {
    const Layout& layout = subject.now.layout;
    const bool follows = subject.now.model.moe && layout.etp == layout.tp && layout.tp > 1 &&
                         says(subject.question, "layout.etp");
    moveToAxis(subject,
               offers,
               "tp",
               layout.tp,
               follows ? Edits{layoutKey("etp", layout.etp * 2)} : Edits{});
}

void morePipeline(const ChangeSubject& subject, Offers& offers) {
    const bool saysNone = subject.now.layout.schedule == ScheduleKind::None &&
                          says(subject.question, "layout.schedule");
    moveToAxis(subject,
               offers,
               "pp",
               subject.now.layout.pp,
               saysNone ? Edits{layoutKey("schedule", "1f1b")} : Edits{});
}

void moreContext(const ChangeSubject& subject, Offers& offers) {
    moveToAxis(subject, offers, "cp", subject.now.layout.cp);
}

/// Experts over more of the ranks that hold copies of them; over those of several nodes last, where
/// tokens cross the network.
void moreExperts(const ChangeSubject& subject, Offers& offers) {
    const Layout& layout = subject.now.layout;
    const Result<const Stack*> stack = findStack(subject.now.stack);
    if (!stack || !(*stack)->axes.expert || !subject.now.model.moe) {
        return;
    }
    const std::int64_t experts = subject.now.model.moe->experts;
    const std::int64_t ranks = layout.dp * layout.cp * layout.tp / layout.etp;
    for (std::int64_t more = layout.ep * 2; more <= std::min(experts, ranks); more *= 2) {
        if (experts % more == 0 && ranks % more == 0) {
            const bool isOnNode = more * layout.etp <= subject.now.cluster.node.gpus;
            offers.add(withOpenShards(subject, {layoutKey("ep", more)}), isOnNode ? 0 : 1);
        }
    }
}

}  // namespace fabricast::offers
