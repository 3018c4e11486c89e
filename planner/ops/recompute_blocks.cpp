#include "planner/ops/op_builder.h"

#include <algorithm>

namespace fabricast {

namespace {

void addOnce(TensorIds& list, TensorId id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) {
        list.push_back(id);
    }
}

}  // namespace

void OpBuilder::holdUntilHere(const TensorIds& ids) {
    push({.kind = OpKind::Copy, .name = "hold", .inputs = ids});
}

int OpBuilder::openBlock(bool on) {
    if (!on) {
        return -1;
    }
    block_ = static_cast<int>(list_.blocks.size());
    list_.blocks.push_back({.begin = list_.ops.size()});
    return block_;
}

void OpBuilder::closeBlock(int block) {
    if (block < 0) {
        return;
    }
    RecomputeBlock& mine = list_.blocks[static_cast<std::size_t>(block)];
    mine.end = list_.ops.size();
    block_ = -1;
    for (std::size_t op = mine.begin; op < mine.end; ++op) {
        mine.keepsGraph = mine.keepsGraph || !list_.ops[op].attributes.empty();
        for (const auto* ids : {&list_.ops[op].inputs, &list_.ops[op].saved}) {
            for (const TensorId id : *ids) {
                const TensorId base = info(id).base;
                if (info(base).block != block) {
                    addOnce(mine.inputs, base);
                }
            }
        }
    }
    push({.kind = OpKind::Copy, .name = "recompute", .recomputes = block});
}

void OpBuilder::discardOutputs(int block) {
    if (block < 0) {
        return;
    }
    RecomputeBlock& mine = list_.blocks[static_cast<std::size_t>(block)];
    list_.ops[mine.end].recomputes = -1;
    for (std::size_t op = mine.end; op < list_.ops.size(); ++op) {
        for (const TensorId id : list_.ops[op].inputs) {
            const TensorId base = info(id).base;
            if (info(base).block == block) {
                list_.tensors[static_cast<std::size_t>(base)].discarded = true;
                addOnce(mine.outputs, base);
            }
        }
    }
    push({.kind = OpKind::Copy, .name = "recompute", .inputs = mine.outputs, .recomputes = block});
}

void OpBuilder::useScratch(std::int64_t bytes) {
    list_.scratchBytes = std::max(list_.scratchBytes, bytes);
}

/// Storages made in each block and read after it.
void OpBuilder::findBlockOutputs() {
    for (std::size_t op = 0; op < list_.ops.size(); ++op) {
        for (const TensorId id : list_.ops[op].inputs) {
            const TensorId base = info(id).base;
            const int block = info(base).block;
            if (block >= 0 && block != list_.ops[op].block) {
                addOnce(list_.blocks[static_cast<std::size_t>(block)].outputs, base);
            }
        }
    }
    const TensorId output = info(list_.output).base;
    if (info(output).block >= 0) {
        addOnce(list_.blocks[static_cast<std::size_t>(info(output).block)].outputs, output);
    }
}

}  // namespace fabricast
