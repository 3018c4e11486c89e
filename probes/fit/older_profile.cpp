#include "probes/fit/older_profile.h"

#include "planner/profiles/kept_file.h"
#include "planner/text/json_document.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "probes/fit/lost_measurements.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string textAt(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.find(key);
    return value == nullptr ? "" : value->text().value_or("");
}

/// "Kernels of the NVIDIA H200, measured: ours" without the name of the measurement.
std::string titleBefore(const JsonValue& profile) {
    const std::string title = textAt(profile, "title");
    return title.substr(0, title.find("measured: "));
}

bool wasMeasured(const JsonValue& value) {
    return textAt(value, "source") == "measured";
}

const JsonValue* firstLost(const JsonValue& older, const JsonValue& newer);

const JsonValue* firstLostMember(const JsonValue& older, const JsonValue& newer) {
    for (const JsonValue& member : older.members()) {
        const JsonValue* const next = newer.find(member.name());
        const JsonValue* const lost = next == nullptr ? &member : firstLost(member, *next);
        if (lost != nullptr) {
            return lost;
        }
    }
    return nullptr;
}

/// The first value of the older text that the newer one does not have, though it was not measured.
const JsonValue* firstLost(const JsonValue& older, const JsonValue& newer) {
    using Kind = JsonValue::Kind;
    if (newer.is(Kind::Object) && wasMeasured(newer)) {
        return nullptr;
    }
    if (older.kind() != newer.kind() || older.items().size() != newer.items().size()) {
        return &older;
    }
    if (older.is(Kind::Object)) {
        return firstLostMember(older, newer);
    }
    for (std::size_t item = 0; item < older.items().size(); ++item) {
        if (const JsonValue* lost = firstLost(older.items()[item], newer.items()[item])) {
            return lost;
        }
    }
    return older.is(Kind::Array) || older.shown() == newer.shown() ? nullptr : &older;
}

constexpr const char* kOtherPlace = "--force, which replaces it, or --profile and another folder";

tl::unexpected<Error> kept(const std::string& where,
                           const std::string& why,
                           const char* hint = kOtherPlace) {
    return fail(Error::Code::BadInput, where, why + "; nothing was written", hint);
}

/// "is there", and what would be replaced where it is somewhere else.
std::string isThere(const fs::path& path) {
    std::error_code none;
    const fs::path leads = fs::read_symlink(path, none);
    const bool hasOther = leads.empty() && fs::hard_link_count(path, none) > 1 && !none;
    return "is there" + (leads.empty() ? "" : ", a link to " + leads.string()) +
           (hasOther ? ", under another name too" : "");
}

/// What is no file, as an error calls it.
std::string kindOf(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "folder";
        case fs::file_type::fifo:
            return "pipe";
        case fs::file_type::socket:
            return "socket";
        default:
            return "device";
    }
}

/// Whether it has the rates of nccl-tests' tables or of its JSON, whole or not and whatever its
/// name.
bool isLogOfNcclTests(const std::string& path) {
    const Result<std::string> text = readTextFile(path, kMostTextBytes, ReadFor::Look);
    const auto has = [&](const char* word) { return text->find(word) != std::string::npos; };
    return text && ((has("algbw") && has("busbw")) || (has("alg_bw") && has("bus_bw")));
}

/// What a file is, behind a link or not, that is no profile, damaged or not; empty: it may be one.
std::string noProfileAt(const fs::path& path) {
    std::error_code none;
    const fs::path end = fs::canonical(path, none);
    if (const std::string kind = keptKind(end.string()); !kind.empty()) {
        return kind.ends_with(" profile") ? "" : kind;
    }
    if (isLogOfNcclTests(end.string())) {
        return "a log of nccl-tests";
    }
    return end.extension() == ".json" ? "" : "which is no profile";
}

}  // namespace

Result<void> checkProfilePlace(const std::string& file, const std::string& folder) {
    const fs::path path = fs::path(folder) / file;
    std::error_code none;
    if (!fs::exists(fs::symlink_status(path, none))) {
        return {};
    }
    const fs::file_type type = fs::status(path, none).type();
    const fs::path leads = fs::read_symlink(path, none);
    const std::string other = type == fs::file_type::regular ? noProfileAt(path) : std::string();
    if (type == fs::file_type::regular && other.empty()) {
        return {};
    }
    const std::string kind = !other.empty() ? other
                             : type == fs::file_type::none || type == fs::file_type::not_found
                                 ? "which is not there"
                                 : "a " + kindOf(type);
    return fail(Error::Code::BadInput,
                path.string(),
                "is " + (leads.empty() ? kind : "a link to " + leads.string() + ", " + kind) +
                    ", where a file of the profile belongs; nothing was written",
                shellCommand({"mv", path.string(), path.string() + ".old"}) +
                    ", or --profile and another folder");
}

namespace {

/// Nothing where no file is there.
Result<std::optional<JsonValue>> readOlder(const std::string& file, const std::string& folder) {
    const fs::path path = fs::path(folder) / file;
    FABRICAST_TRY(checkProfilePlace(file, folder));
    std::error_code none;
    if (!fs::exists(path, none)) {
        return std::optional<JsonValue>();
    }
    const Result<std::string> text = readTextFile(path.string(), kMostTextBytes, ReadFor::Look);
    Result<JsonValue> older =
        text ? parseJson(*text, path.string()) : Result<JsonValue>(tl::unexpected(text.error()));
    if (!older) {
        return kept(older.error().where, isThere(path) + ", and is damaged: " + older.error().why);
    }
    return std::optional<JsonValue>(*std::move(older));
}

}  // namespace

Result<void> checkReadableProfile(const std::string& path, const std::string& folder) {
    FABRICAST_ASSIGN(const std::optional<JsonValue> older, readOlder(path, folder));
    return {};
}

Result<void> checkOlderProfile(const ProfileText& file,
                               const std::string& folder,
                               const std::string& measured,
                               std::string_view today) {
    const fs::path path = fs::path(folder) / file.path;
    FABRICAST_ASSIGN(const std::optional<JsonValue> older, readOlder(file.path, folder));
    if (!older) {
        return {};
    }
    FABRICAST_ASSIGN(const JsonValue newer, parseJson(file.text, file.path));
    const bool isOfItsKind = older->is(JsonValue::Kind::Object) &&
                             textAt(*older, "schema") == textAt(newer, "schema") &&
                             titleBefore(*older) == titleBefore(newer);
    if (!isOfItsKind) {
        return kept(path.string(),
                    isThere(path) + ", and was not made by a measurement as this one is");
    }
    if (const std::string lost = lostMeasurements(*older, newer, today); !lost.empty()) {
        const bool isOfAnother = textAt(*older, "machine") != textAt(newer, "machine");
        return kept(path.string(),
                    lost,
                    isOfAnother
                        ? "--name and another name, which keeps both; --force, which replaces it, "
                          "or --profile and another folder"
                        : "calibrate with the earlier records or logs as well, which keeps both; "
                          "--force, which replaces it, or --profile and another folder");
    }
    // What a measurement makes whole has its name, in the file's or in the title.
    const bool isOfMachine = file.path.starts_with("nodes/") && path.stem() != measured;
    const JsonValue* const lost = isOfMachine ? firstLost(*older, newer) : nullptr;
    return lost == nullptr
               ? Result<void>()
               : kept(lost->where(), "says " + lost->title() + " otherwise than what replaces it");
}

}  // namespace fabricast
