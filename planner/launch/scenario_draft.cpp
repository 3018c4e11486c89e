#include "planner/launch/scenario_draft.h"

#include "planner/launch/import_settings.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/nccl_variables.h"
#include "planner/launch/possible_lengths.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {

void ScenarioDraft::moveTo(std::string_view from) {
    const LaunchKey* const key = keys_.use(from);
    builder_ = JsonBuilder(key == nullptr || key->file.empty() ? keys_.source() : key->file);
    builder_.moveTo(key == nullptr ? 0 : key->line, key == nullptr ? 0 : key->column);
}

/// A path of the draft's own always has a place.
void ScenarioDraft::put(std::string_view path, JsonValue value) {
    root_ = builder_.with(std::move(root_), path, std::move(value)).value();
}

void ScenarioDraft::set(std::string_view path, std::string_view text, std::string_view from) {
    moveTo(from);
    put(path, builder_.string(oneLine(std::string(text))));
}

void ScenarioDraft::set(std::string_view path, std::int64_t number, std::string_view from) {
    moveTo(from);
    put(path, builder_.integer(number, std::to_string(number)));
}

void ScenarioDraft::set(std::string_view path, bool value, std::string_view from) {
    moveTo(from);
    put(path, builder_.boolean(value));
}

void ScenarioDraft::set(std::string_view path, double value, std::string_view from) {
    moveTo(from);
    put(path, builder_.number(value, decimalText(value)));
}

void ScenarioDraft::setNull(std::string_view path, std::string_view from) {
    moveTo(from);
    put(path, builder_.null());
}

void ScenarioDraft::assume(std::string_view path, std::string_view text) {
    moveTo("script");
    const std::string place = "imported.assumed." + std::string(path);
    const std::string before = word(place);
    put(place, builder_.string(before + (before.empty() ? "" : "; ") + std::string(text)));
}

void ScenarioDraft::leaveOpen(std::string_view path,
                              const LaunchKey& at,
                              const std::string& why,
                              const std::string& hint) {
    builder_ = JsonBuilder(at.file.empty() ? keys_.source() : at.file);
    builder_.moveTo(at.line, at.column);
    const std::string place = "imported.open." + std::string(path);
    if (find(place) == nullptr) {
        put(place + ".why", builder_.string(oneLine(why)));
        put(place + ".hint", builder_.string(oneLine(hint)));
    }
}

Result<void> ScenarioDraft::copyWhole(std::string_view path, std::string_view from) {
    FABRICAST_ASSIGN(const auto value, keys_.whole(from));
    if (value) {
        set(path, *value, from);
    }
    return {};
}

Result<void> ScenarioDraft::copyFlag(std::string_view path, std::string_view from) {
    FABRICAST_ASSIGN(const auto value, keys_.flag(from));
    if (value) {
        set(path, *value, from);
    }
    return {};
}

void ScenarioDraft::copyLength(std::string_view from, std::string_view unit) {
    const Result<std::optional<std::int64_t>> count = keys_.whole(from);
    if (count && count->value_or(0) > 0) {
        set("workload.tokens", std::to_string(**count) + " " + std::string(unit), from);
    }
}

Result<void> ScenarioDraft::refuseUnmodelled(std::span<const std::string_view> paths) {
    constexpr std::array<std::string_view, 9> kNo = {
        "false", "False", "no", "none", "null", "auto", "0", "1", "-1"};
    for (const std::string_view path : paths) {
        const LaunchKey* const key = keys_.use(path);
        const bool saysNo =
            key == nullptr ||
            (key->values.size() == 1 && std::ranges::find(kNo, key->values.front()) != kNo.end());
        if (!saysNo) {
            return keys_.refuse(
                *key, "is not modelled", "leave it out: the forecast is then of a run without it");
        }
    }
    return {};
}

void ScenarioDraft::merge(const JsonValue& scenario, const std::string& before) {
    for (const JsonValue& member : scenario.members()) {
        const std::string path = before + member.name();
        if (member.is(JsonValue::Kind::Object) && path != "imported") {
            merge(member, path + ".");
        } else if (path == "imported") {
            for (const char* const ranks : {"batch_ranks", "per_node"}) {
                if (const JsonValue* const said = member.find(ranks)) {
                    put(std::string("imported.") + ranks, *said);
                }
            }
            if (const JsonValue* const assumed = member.find("assumed")) {
                merge(*assumed, "imported.assumed.");
            }
            // The length of a sample is asked for again when all is read.
            const JsonValue* const open = member.find("open");
            if (const JsonValue* const said = open == nullptr ? nullptr : open->find("settings")) {
                merge(*said, "imported.open.settings.");
            }
        } else if (path != "stack" || root_.find("stack") == nullptr) {
            put(path, member);
        }
    }
}

void ScenarioDraft::takeNotes(const JsonValue& scenario) {
    for (const JsonValue& one : scenario.find("imported")->find("notes")->items()) {
        note(one.text().value_or(""));
    }
}

const JsonValue* ScenarioDraft::find(std::string_view path) const {
    const JsonValue* at = &root_;
    while (at != nullptr && !path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        at = at->find(path.substr(0, dot));
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return at;
}

std::string ScenarioDraft::word(std::string_view path) const {
    const JsonValue* const value = find(path);
    return value == nullptr ? "" : value->text().value_or("");
}

JsonValue ScenarioDraft::finish(const std::string& framework,
                                const std::vector<std::string_view>& harmless) {
    askForLength(*this);
    importAllocator(*this);
    importTf32(*this);
    importNcclVariables(*this);
    noteProcessVariables(*this);
    noteUntypedSwitches(*this);
    std::string unread;
    for (const LaunchKey& key : keys_.all()) {
        const bool matters = std::ranges::none_of(
            harmless, [&key](std::string_view one) { return key.path.starts_with(one); });
        const bool surrounds = key.path.starts_with("env ") || key.path.starts_with("sbatch ") ||
                               key.path.starts_with("srun ") || key.path.starts_with("mpirun ");
        if (!key.isUsed && matters && !surrounds) {
            unread += (unread.empty() ? "" : ", ") + oneLine(key.path) + " (" +
                      (key.file.empty() ? "line " : oneLine(key.file) + ":") +
                      std::to_string(key.line) + ")";
        }
    }
    if (!unread.empty()) {
        note("not looked at: " + unread);
    }
    builder_ = JsonBuilder(keys_.source());
    put("imported.from", builder_.string(framework + ": " + keys_.source()));
    JsonValue notes = builder_.array();
    for (const std::string& one : notes_) {
        JsonBuilder::appendItem(notes, builder_.string(one));
    }
    put("imported.notes", std::move(notes));
    return root_;
}

}  // namespace fabricast
