#pragma once
#include "probes/record/answer.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// One thing to measure: what, and with which settings. Its text names it in files, on command
/// lines and in progress:
///     gemm dtype=bf16 k=4096 layout=tn m=8192 n=4096
struct Point {
    std::string what;
    std::map<std::string, std::string> settings;

    friend bool operator==(const Point&, const Point&) = default;
};

/// Words and values hold letters, digits and any of "_-.:/+,": no space, no '='.
Answer<Point> parsePoint(std::string_view text);
std::string textOf(const Point& point);

/// A file of points: one per line, '#' begins a comment. Trouble names the line.
Answer<std::vector<Point>> parsePoints(std::string_view text, std::string_view file);

/// A setting that must be there: as a word, or as a whole number of at least `least`. Numbers may
/// end in K, M or G, which are powers of 1,024.
Answer<std::string> wordOf(const Point& point, const std::string& name);
Answer<std::int64_t> wholeOf(const Point& point, const std::string& name, std::int64_t least = 0);
Answer<std::int64_t> parseWhole(std::string_view text);

/// A setting that need not be there.
std::string wordOr(const Point& point, const std::string& name, const std::string& otherwise);

}  // namespace fabricast::probe
