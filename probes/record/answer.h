#pragma once
#include <string>
#include <utility>
#include <variant>

namespace fabricast::probe {

/// Why something could not be done, as one sentence for whoever started the probe.
struct Trouble {
    std::string why;
};

/// A value, or why there is none. The probes build with a compiler and CUDA alone, so they share
/// no library with the planner, whose Result this stands for.
///     Answer<Point> point = parsePoint(line);
///     if (!point) { return point.trouble(); }
template <class T>
class [[nodiscard]] Answer {
public:
    Answer(T value) : held_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
    Answer(Trouble trouble) : held_(std::move(trouble)) {}  // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return held_.index() == 0; }
    T& operator*() { return std::get<0>(held_); }
    const T& operator*() const { return std::get<0>(held_); }
    T* operator->() { return &std::get<0>(held_); }
    const T* operator->() const { return &std::get<0>(held_); }
    [[nodiscard]] const Trouble& trouble() const { return std::get<1>(held_); }

private:
    std::variant<T, Trouble> held_;
};

/// Done, or why not.
using Done = Answer<std::monostate>;

}  // namespace fabricast::probe
