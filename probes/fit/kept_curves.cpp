#include "probes/fit/kept_curves.h"

#include "planner/text/json_document.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace fabricast {
namespace {

constexpr std::string_view kKept = "kept of before: ";

auto groupOf(const MeasuredCurve& curve) {
    return std::tuple(curve.kind, curve.ranks, curve.nodes);
}

/// Its line of sources, and those of what it had kept itself.
std::string originOf(const ProfileStore& store, const std::string& name) {
    const Result<ProfileFile> file = store.find(ProfileKind::Collective, name);
    const Result<JsonValue> root = file ? parseJson(file->text, file->source)
                                        : Result<JsonValue>(tl::unexpected(file.error()));
    const JsonValue* const sources = root ? root->find("sources") : nullptr;
    if (sources == nullptr || sources->items().empty()) {
        return {};
    }
    const JsonValue& source = sources->items().front();
    const std::string note = source.textOr("note", "").value_or("");
    return source.textOr("from", "").value_or("") +
           (note.starts_with(kKept) ? "; " + note.substr(kKept.size()) : "");
}

}  // namespace

KeptCurves addKeptCurves(const ProfileStore& store,
                         const std::string& name,
                         const std::string& machine,
                         CollectivePoints& points) {
    KeptCurves kept;
    const auto all = store.measuredCollectives();
    if (!all) {
        return kept;
    }
    for (const MeasuredCollectives& older : *all) {
        if (!older.own || older.name != name || older.machine.name != machine) {
            continue;
        }
        for (const MeasuredCurve& curve : older.curves) {
            const auto isIt = [&](const MeasuredCurve& newer) {
                return groupOf(newer) == groupOf(curve);
            };
            if (std::ranges::none_of(points.curves, isIt)) {
                points.curves.push_back(curve);
                ++kept.count;
            }
        }
    }
    std::ranges::stable_sort(points.curves,
                             [](const auto& a, const auto& b) { return groupOf(a) < groupOf(b); });
    kept.from = kept.count == 0 ? "" : std::string(kKept) + originOf(store, name);
    return kept;
}

}  // namespace fabricast
