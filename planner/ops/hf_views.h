#pragma once
#include "planner/ops/op_builder.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace fabricast {

/// Every second column: a view, whose gradient is put in zeros of all.
inline TensorId everySecond(OpBuilder& g, TensorId both, std::int64_t inner) {
    const TensorId view = g.viewOf(both, inner);
    g.push({.kind = OpKind::Copy, .name = "slice", .inputs = {both}, .outputs = {view}});
    return view;
}

/// A tensor that no gradient reaches, with what comes and goes while it is made; the code has a
/// name for it until it returns.
inline TensorId namedIndex(OpBuilder& g,
                           TensorIds& named,
                           std::string_view name,
                           std::int64_t elements,
                           std::int64_t width,
                           ByteList temps = {}) {
    const TensorId out = g.fresh(elements, width, false);
    g.push({.name = name, .outputs = {out}, .forwardTemps = std::move(temps)});
    named.push_back(out);
    return out;
}

}  // namespace fabricast
