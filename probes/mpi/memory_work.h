#pragma once
#include "probes/record/point.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The work of a `memory` point on one rank, with its buffers.
class RowWork {
public:
    explicit RowWork(const Point& point);

    static bool knows(const std::string& op);

    /// So many calls at once that a clock can tell.
    void run();
    [[nodiscard]] int calls() const { return calls_; }
    /// Read and written by one call.
    [[nodiscard]] double bytes() const;
    /// Results that are not what they should be.
    [[nodiscard]] double wrong() const;

private:
    void once();

    std::string op_;
    std::size_t rows_ = 1;
    std::size_t columns_ = 1;
    int calls_ = 1;
    double loss_ = 0.0;
    std::vector<float> in_;
    std::vector<float> other_;
    std::vector<float> out_;
    std::vector<std::int32_t> labels_;
};

}  // namespace fabricast::probe
