#include "probes/mpi/memory_work.h"

#include "probes/cpu/row_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace fabricast::probe {

namespace {

/// Passes over a tensor: what frameworks read and write for the same.
struct Op {
    const char* name;
    double passes;
};
constexpr std::array<Op, 5> kOps = {
    {{"norm", 2.0}, {"swiglu", 3.0}, {"softmax", 3.0}, {"cross_entropy", 4.0}, {"add", 3.0}}};

std::size_t wholeOr(const Point& point, const char* name, std::size_t otherwise) {
    return point.settings.contains(name) ? static_cast<std::size_t>(*wholeOf(point, name, 1))
                                         : otherwise;
}

}  // namespace

bool RowWork::knows(const std::string& op) {
    return std::ranges::any_of(kOps, [&op](const Op& known) { return op == known.name; });
}

RowWork::RowWork(const Point& point)
    : op_(wordOr(point, "op", "copy")),
      rows_(wholeOr(point, "rows", 1)),
      columns_(wholeOr(point, "columns", 1)) {
    if (op_ == "copy") {
        columns_ = std::max(std::size_t{1}, wholeOr(point, "bytes", 1) / 2 / sizeof(float));
    }
    const std::size_t elements = rows_ * columns_;
    in_.assign(elements, 1.0F);
    other_.assign(op_ == "norm" ? columns_ : elements, 1.0F);
    out_.assign(elements, 0.0F);
    labels_.assign(rows_, 0);
    constexpr std::size_t kElementsPerSample = std::size_t{1} << 22U;
    calls_ = static_cast<int>(std::clamp<std::size_t>(kElementsPerSample / elements, 1, 1000));
}

void RowWork::run() {
    for (int call = 0; call < calls_; ++call) {
        once();
    }
}

void RowWork::once() {
    if (op_ == "copy") {
        std::memcpy(out_.data(), in_.data(), in_.size() * sizeof(float));
    } else if (op_ == "norm") {
        rmsNorm(in_, other_, out_);
    } else if (op_ == "swiglu") {
        swiglu(in_, other_, out_);
    } else if (op_ == "add") {
        addInto(out_, in_);
    } else if (op_ == "softmax") {
        const std::size_t square = columns_ * columns_;
        std::ranges::copy(in_, out_.begin());
        for (std::size_t at = 0; at < out_.size(); at += square) {
            const std::size_t count = std::min(square, out_.size() - at);
            causalSoftmax(std::span(out_).subspan(at, count), static_cast<int>(columns_));
        }
    } else {
        std::ranges::copy(in_, out_.begin());
        loss_ = crossEntropy(out_, labels_, static_cast<int>(columns_), static_cast<double>(rows_));
    }
}

double RowWork::bytes() const {
    double passes = 2.0;
    for (const Op& op : kOps) {
        passes = op_ == op.name ? op.passes : passes;
    }
    return passes * static_cast<double>(rows_ * columns_ * sizeof(float));
}

double RowWork::wrong() const {
    const auto near = [](double value, double expected) {
        return std::abs(value - expected) <= 1e-3 * std::max(1.0, std::abs(expected)) ? 0.0 : 1.0;
    };
    const auto last = static_cast<double>(out_.back());
    if (op_ == "copy" || op_ == "norm") {
        return near(last, 1.0);
    }
    if (op_ == "swiglu") {
        return near(last, 1.0 / (1.0 + std::exp(-1.0)));
    }
    if (op_ == "add") {
        return last >= 1.0 ? 0.0 : 1.0;
    }
    if (op_ == "softmax") {
        const std::size_t lastRow = (rows_ - 1) % columns_;
        const double kept = lastRow + 1 == columns_ ? 1.0 / static_cast<double>(columns_) : 0.0;
        return near(last, kept);
    }
    return near(loss_, std::log(static_cast<double>(columns_)));
}

}  // namespace fabricast::probe
