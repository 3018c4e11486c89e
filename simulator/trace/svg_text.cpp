#include "simulator/trace/svg_text.h"

#include "planner/report/markup.h"

#include <fmt/format.h>

namespace fabricast {

std::string svgNumber(std::int64_t hundredths) {
    const std::int64_t whole = hundredths / 100;
    const std::int64_t rest = hundredths % 100;
    if (rest == 0) {
        return std::to_string(whole);
    }
    return rest % 10 == 0 ? fmt::format("{}.{}", whole, rest / 10)
                          : fmt::format("{}.{:02}", whole, rest);
}

std::string svgLabel(std::int64_t x,
                     std::int64_t y,
                     std::string_view text,
                     std::string_view style,
                     std::string_view more) {
    return fmt::format(R"(<text x="{}" y="{}" class="{}"{}{}>{}</text>)"
                       "\n",
                       x,
                       y,
                       style,
                       more.empty() ? "" : " ",
                       more,
                       xmlEscaped(text));
}

}  // namespace fabricast
