#include "simulator/trace/timeline_style.h"

#include <array>

namespace fabricast {

std::string_view paintClass(Paint paint) {
    constexpr std::array<std::string_view, kPaints> kClasses = {
        "f", "b", "i", "w", "tp", "cp", "dp", "pp", "opt", "copy", "host"};
    return kClasses[static_cast<std::size_t>(paint)];
}

std::string_view timelineStyle() {
    return R"(<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px;fill:#1f2328}
.title{font-size:18px;font-weight:600}
.name{font-size:13px;font-weight:600}
.soft{font-size:13px;fill:#57606a}
.small{font-size:11.5px;fill:#57606a}
.middle{text-anchor:middle}
.number{font-size:10.5px;text-anchor:middle;fill:#1f2328}
.page{fill:#ffffff}
.idle{fill:#f2f4f6}
.grid{stroke:#d8dee4;stroke-width:1;fill:none}
.f{fill:#56b4e9}
.b{fill:#e69f00}
.i{fill:#e69f00}
.w{fill:#f0e442}
.tp{fill:#cc79a7}
.cp{fill:#8c4b7a}
.dp{fill:#009e73}
.pp{fill:#0072b2}
.opt{fill:#4d4d4d}
.copy{fill:#b58863}
.host{fill:#a0a7ae}
.critical{fill:#d55e00}
.memory{fill:#c9d4e0;stroke:#6b7f95;stroke-width:1;stroke-linejoin:round}
.peak{fill:#d55e00}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.soft,.small{fill:#9da7b1}
.number{fill:#1f2328}
.page{fill:#0d1117}
.idle{fill:#1b222b}
.grid{stroke:#30363d}
.opt{fill:#c5ccd3}
.host{fill:#6e7781}
.memory{fill:#2d3b4b;stroke:#7d93ab}
}
</style>
)";
}

}  // namespace fabricast
