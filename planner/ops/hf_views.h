#pragma once
#include "planner/ops/op_builder.h"

#include <cstdint>

namespace fabricast {

/// Every second column: a view, whose gradient is put in zeros of all.
inline TensorId everySecond(OpBuilder& g, TensorId both, std::int64_t inner) {
    const TensorId view = g.viewOf(both, inner);
    g.push({.kind = OpKind::Copy, .name = "slice", .inputs = {both}, .outputs = {view}});
    return view;
}

}  // namespace fabricast
