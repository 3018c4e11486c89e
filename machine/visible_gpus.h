#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What CUDA_VISIBLE_DEVICES leaves of the GPUs that are installed; the driver lists all.
class VisibleGpus {
public:
    /// `variable` is its text; none where it is not set.
    VisibleGpus(std::size_t installed, const std::optional<std::string>& variable);
    /// By the environment of this process.
    static VisibleGpus here(std::size_t installed);

    [[nodiscard]] std::size_t count() const { return names_.size(); }
    /// Whether a GPU ("3") is among them. Where they are named by UUID, nobody can tell: no.
    [[nodiscard]] bool has(std::string_view number) const;
    /// "CUDA_VISIBLE_DEVICES=0,1"; empty where it is not set.
    [[nodiscard]] const std::string& why() const { return why_; }

private:
    std::vector<std::string> names_;
    std::string why_;
};

}  // namespace fabricast
