#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/profiles/sourced_json.h"
#include "planner/text/json_text.h"

#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 8> kRuntimeKeys = {
    "schema", "name", "aliases", "title", "context", "kernels", "communicator", "channels"};
constexpr std::array<std::pair<std::string_view, Sourced<Bytes> RuntimeMemory::*>, 3> kSizes = {
    {{"context", &RuntimeMemory::context},
     {"kernels", &RuntimeMemory::kernels},
     {"communicator", &RuntimeMemory::communicator}}};
/// What a file may leave to NCCL's rules.
constexpr std::string_view kOfRules = "communicator";

}  // namespace

Result<RuntimeMemory> readRuntime(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kRuntimeKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "runtime"));
    RuntimeMemory runtime{.title = header.title};
    for (const auto& [key, size] : kSizes) {
        if (key == kOfRules && root.find(key) == nullptr) {
            continue;
        }
        FABRICAST_ASSIGN(runtime.*size, requireSourced<Bytes>(root, key));
        if (!(runtime.*size).value) {
            return tl::unexpected(
                root.find(key)->problem("must be known", "remove the file to use the default one"));
        }
    }
    FABRICAST_ASSIGN(runtime.channels, readSourcedOr<std::int64_t>(root, "channels"));
    return runtime;
}

std::string runtimeJson(const RuntimeMemory& runtime, const std::string& name) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.runtime/1");
    json.add("name", name);
    json.add("title", runtime.title);
    for (const auto& [key, size] : kSizes) {
        if ((runtime.*size).value) {
            writeSourced(json, key, runtime.*size);
        }
    }
    if (runtime.channels.value) {
        writeSourced(json, "channels", runtime.channels);
    }
    json.end();
    return std::move(json).finish();
}

Result<RuntimeMemory> ProfileStore::runtime(std::string_view name) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Runtime, name));
    return parsed(file, &readRuntime);
}

Result<RuntimeMemory> ProfileStore::runtimeOf(std::string_view gpu) const {
    FABRICAST_ASSIGN(const ProfileFile* const own, lookUp(ProfileKind::Runtime, gpu));
    return runtime(own == nullptr ? kUsualRuntime : own->name);
}

}  // namespace fabricast
