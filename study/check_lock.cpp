#include "study/check_lock.h"

#include "planner/base/text_digest.h"
#include "planner/result/requirement.h"
#include "planner/text/json_text.h"
#include "study/question_inputs.h"
#include "study/requirements.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kLockSchema = "fabricast.lock/1";
constexpr std::array kLockedMetrics = {
    Metric::StepSeconds, Metric::TokensPerSecond, Metric::MemoryPeak, Metric::UsdPerMtok};
/// Beyond the last digits that another compiler may round in another way.
constexpr double kNoticeable = 1e-9;

bool isSame(double before, double now) {
    return std::abs(now - before) <= kNoticeable * std::abs(before);
}

/// Names whose digests are not the same on both sides, or that one side lacks.
std::vector<std::string> changedProfiles(const CheckLock& lock, const CheckLock& tool) {
    std::map<std::string, std::string> all = lock.profiles;
    all.insert(tool.profiles.begin(), tool.profiles.end());
    std::vector<std::string> changed;
    for (const auto& [name, digest] : all) {
        const auto before = lock.profiles.find(name);
        const auto now = tool.profiles.find(name);
        if (before == lock.profiles.end() || now == tool.profiles.end() ||
            before->second != now->second) {
            changed.push_back(name);
        }
    }
    return changed;
}

}  // namespace

CheckLock lockOfTool(const ProfileStore& profiles, std::string_view version) {
    CheckLock lock{.version = std::string(version), .profiles = {}, .scenarios = {}};
    for (const ProfileKind kind : kProfileKinds) {
        for (const ProfileFile& file : profiles.files(kind)) {
            lock.profiles[std::string(profileKindName(kind)) + "/" + file.name] =
                textDigest(file.text);
        }
    }
    return lock;
}

LockedScenario lockedScenario(const Question& question, const ComparedSide& side) {
    LockedScenario locked{.digest = textDigest(textWithFiles(question)), .values = {}};
    for (const Metric metric : kLockedMetrics) {
        if (const auto value = metricOf(side, metric)) {
            locked.values[std::string(nameOf(metric).name)] = value->value;
        }
    }
    return locked;
}

LockDifference sinceLock(const CheckLock& lock,
                         const CheckLock& tool,
                         const std::string& name,
                         const LockedScenario& now) {
    const auto locked = lock.scenarios.find(name);
    if (locked == lock.scenarios.end()) {
        return {.isNew = true};
    }
    LockDifference difference{.scenarioChanged = locked->second.digest != now.digest};
    if (lock.version != tool.version) {
        difference.tool.push_back("fabricast " + lock.version + " -> " + tool.version);
    }
    for (std::string& profile : changedProfiles(lock, tool)) {
        difference.tool.push_back(std::move(profile));
    }
    for (const auto& [metric, before] : locked->second.values) {
        const auto value = now.values.find(metric);
        if (value != now.values.end() && !isSame(before, value->second)) {
            difference.values.push_back({metric, before, value->second});
        }
    }
    return difference;
}

CheckLock lockOf(CheckLock tool,
                 const std::vector<CheckOutcome>& outcomes,
                 const LockPlace& place) {
    for (const CheckOutcome& outcome : outcomes) {
        if (outcome.report) {
            tool.scenarios[lockedName(outcome.report->source, place)] = outcome.report->forecast;
        }
    }
    return tool;
}

namespace {

/// "; new: a.json, b.json and 3 more".
void addNames(std::string& text, const char* what, const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
        text += (i == 0 ? std::string("; ") + what + ": " : std::string(", ")) + names[i];
    }
    if (names.size() > kShown) {
        text += " and " + std::to_string(names.size() - kShown) + " more";
    }
}

}  // namespace

std::string lockChanges(const CheckLock* before, const CheckLock& now) {
    const std::size_t count = now.scenarios.size();
    std::string text = std::to_string(count) + (count == 1 ? " scenario" : " scenarios");
    if (before == nullptr) {
        return text;
    }
    std::vector<std::string> added;
    std::vector<std::string> changed;
    std::vector<std::string> gone;
    for (const auto& [source, scenario] : now.scenarios) {
        const LockDifference difference = sinceLock(*before, now, source, scenario);
        if (difference.isNew) {
            added.push_back(source);
        } else if (difference.scenarioChanged || !difference.values.empty()) {
            changed.push_back(source);
        }
    }
    for (const auto& [source, scenario] : before->scenarios) {
        if (!now.scenarios.contains(source)) {
            gone.push_back(source);
        }
    }
    addNames(text, "new", added);
    addNames(text, "changed", changed);
    addNames(text, "no longer in it", gone);
    const bool isOtherTool = before->version != now.version || before->profiles != now.profiles;
    text += isOtherTool ? "; of another tool" : "";
    return text.find(';') == std::string::npos ? text + ", as before" : text;
}

std::string lockText(const CheckLock& lock) {
    JsonText json;
    json.beginObject();
    json.add("schema", kLockSchema);
    json.add("version", lock.version);
    json.beginObject("scenarios");
    for (const auto& [source, scenario] : lock.scenarios) {
        json.beginObject(source);
        json.add("digest", scenario.digest);
        for (const auto& [metric, value] : scenario.values) {
            json.add(metric, value);
        }
        json.end();
    }
    json.end();
    json.beginObject("profiles");
    for (const auto& [name, digest] : lock.profiles) {
        json.add(name, digest);
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

namespace {

Result<LockedScenario> readLocked(const JsonValue& value) {
    LockedScenario scenario;
    FABRICAST_TRY(value.expect(JsonValue::Kind::Object));
    for (const JsonValue& member : value.members()) {
        if (member.name() == "digest") {
            FABRICAST_ASSIGN(scenario.digest, member.text());
        } else {
            FABRICAST_ASSIGN(scenario.values[member.name()],
                             member.number(0.0, std::numeric_limits<double>::max()));
        }
    }
    return scenario;
}

}  // namespace

Result<CheckLock> parseLock(std::string_view text, const std::string& source) {
    constexpr std::array<std::string_view, 4> kLockKeys = {
        "schema", "version", "scenarios", "profiles"};
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(root.onlyKeys(kLockKeys));
    FABRICAST_ASSIGN(const JsonValue* schema, root.require("schema"));
    FABRICAST_ASSIGN(const std::string schemaName, schema->text());
    if (schemaName != kLockSchema) {
        return tl::unexpected(schema->problem("is not " + std::string(kLockSchema)));
    }
    CheckLock lock;
    FABRICAST_ASSIGN(const JsonValue* version, root.require("version"));
    FABRICAST_ASSIGN(lock.version, version->text());
    FABRICAST_ASSIGN(const JsonValue* scenarios, root.require("scenarios"));
    FABRICAST_TRY(scenarios->expect(JsonValue::Kind::Object));
    for (const JsonValue& member : scenarios->members()) {
        FABRICAST_ASSIGN(lock.scenarios[member.name()], readLocked(member));
    }
    FABRICAST_ASSIGN(const JsonValue* profiles, root.require("profiles"));
    FABRICAST_TRY(profiles->expect(JsonValue::Kind::Object));
    for (const JsonValue& member : profiles->members()) {
        FABRICAST_ASSIGN(lock.profiles[member.name()], member.text());
    }
    return lock;
}

}  // namespace fabricast
