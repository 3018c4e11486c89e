#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A kind of thing that a program measures, as its records name it: "gemm", and the settings that
/// such a point may have.
struct ProbePoint {
    std::string_view program;  ///< "fabricast-probe-cuda"
    std::string_view what;
    std::string_view settings;  ///< "op=copy bytes": where op is copy

    [[nodiscard]] std::vector<std::string_view> settingNames() const;
    [[nodiscard]] bool has(std::string_view setting) const;
};

/// Of all programs that write records. What the probes take, and what is read of their records, is
/// in this table only.
std::span<const ProbePoint> probePoints();

/// The kind that a point is of; nothing: that program measures no such thing.
const ProbePoint* probePoint(std::string_view program,
                             std::string_view what,
                             const std::map<std::string, std::string>& settings);

}  // namespace fabricast
