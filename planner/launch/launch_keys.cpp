#include "planner/launch/launch_keys.h"

#include "planner/base/small_letters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace fabricast {
namespace {

/// As its file says it: "torchrun --num_processes" where accelerate launch has that argument.
std::string typedName(const LaunchKeys& keys, const LaunchKey& key) {
    constexpr std::string_view kBefore = "torchrun --";
    if (!key.path.starts_with(kBefore)) {
        return key.path;
    }
    const std::string flag = key.path.substr(key.path.find("--"));
    return keys.find("torchrun accelerate") != nullptr  ? "accelerate launch " + flag
           : keys.find("torchrun deepspeed") != nullptr ? "deepspeed " + flag
                                                        : key.path;
}

/// As the file has it: what a program works out is read as "$(…)".
std::string inFile(const LaunchKeys& keys, const std::string& value) {
    const bool isWorkedOut = keys.source().ends_with(".py") && value.starts_with("$(");
    return isWorkedOut ? value.substr(2, value.size() - 3) : value;
}

}  // namespace

std::string withoutItems(const std::string& path) {
    std::string all;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t open = std::min(path.find('[', begin), path.size());
        const std::size_t close = path.find(']', open);
        all += path.substr(begin, open - begin);
        begin = close == std::string::npos ? path.size() : close + 1;
    }
    return all;
}

std::optional<bool> asSwitch(std::string_view value) {
    constexpr std::array<std::string_view, 6> kOn = {"true", "yes", "on", "1", "y", "t"};
    constexpr std::array<std::string_view, 6> kOff = {"false", "no", "off", "0", "n", "f"};
    const std::string small = inSmallLetters(value);
    const bool isOn = std::ranges::find(kOn, small) != kOn.end();
    const bool isOff = std::ranges::find(kOff, small) != kOff.end();
    return isOn || isOff ? std::optional(isOn) : std::nullopt;
}

void LaunchKeys::append(const LaunchKeys& other, std::initializer_list<std::string_view> before) {
    for (LaunchKey key : other.all()) {
        const bool isWanted = std::ranges::any_of(
            before, [&key](std::string_view one) { return key.path.starts_with(one); });
        if (isWanted) {
            key.file = key.file.empty() ? other.source() : key.file;
            add(std::move(key));
        }
    }
}

const LaunchKey* LaunchKeys::use(std::string_view path) {
    const LaunchKey* found = nullptr;
    for (LaunchKey& key : keys_) {
        if (key.path == path) {
            key.isUsed = true;
            found = &key;
        }
    }
    return found;
}

const LaunchKey* LaunchKeys::find(std::string_view path) const {
    const auto last = last_.find(path);
    return last == last_.end() ? nullptr : &keys_[last->second];
}

void LaunchKeys::say(std::string_view path, const std::string& value) {
    if (const auto last = last_.find(path); last != last_.end()) {
        keys_[last->second].values = {value};
    }
}

bool LaunchKeys::has(std::string_view path) const {
    return std::ranges::any_of(keys_, [path](const LaunchKey& key) {
        return key.path == path || (key.path.starts_with(path) && key.path[path.size()] == '.');
    });
}

std::optional<std::string> LaunchKeys::text(std::string_view path) {
    const LaunchKey* const key = use(path);
    const bool says = key != nullptr && key->values.size() == 1 && key->values.front() != "null" &&
                      key->values.front() != "auto";
    return says ? std::optional(key->values.front()) : std::nullopt;
}

Result<std::optional<std::int64_t>> LaunchKeys::whole(std::string_view path) {
    constexpr double kMost = 1e12;  // sums of a few still fit
    FABRICAST_ASSIGN(const std::optional<double> value, number(path));
    if (!value) {
        return std::optional<std::int64_t>();
    }
    if (std::floor(*value) != *value || std::abs(*value) > kMost) {
        return refuse(*use(path), "must be a whole number up to 10^12", "write its digits");
    }
    return std::optional(static_cast<std::int64_t>(*value));
}

Result<std::optional<double>> LaunchKeys::number(std::string_view path) {
    const LaunchKey* const key = use(path);
    if (key != nullptr && key->values.size() != 1) {
        return refuse(
            *key,
            key->values.empty() ? "has no value" : "must be one number",
            key->values.empty() ? "" : "write the number itself: nothing is run to find it");
    }
    const std::optional<std::string> value = text(path);
    if (!value) {
        return std::optional<double>();
    }
    std::string digits;  // 1_000 in TOML
    for (const char letter : *value) {
        digits += letter == '_' ? "" : std::string(1, letter);
    }
    double parsed = 0.0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, trouble] = std::from_chars(digits.data(), end, parsed);
    if (trouble != std::errc() || stop != end || !std::isfinite(parsed)) {
        return refuse(*use(path),
                      "must be a number, not \"" + inFile(*this, *value) + "\"",
                      "write the number itself: nothing is run to find it");
    }
    return std::optional(parsed);
}

Result<std::optional<bool>> LaunchKeys::flag(std::string_view path) {
    const LaunchKey* const key = use(path);
    if (key == nullptr) {
        return std::optional<bool>();
    }
    const std::string value = key->values.empty() ? "true" : key->values.front();
    if (value == "null" || value == "auto") {  // whoever starts it decides
        return std::optional<bool>();
    }
    const std::optional<bool> on = asSwitch(value);
    if (!on) {
        return refuse(
            *key, "must be true or false, not \"" + inFile(*this, value) + "\"", "true, or false");
    }
    return on;
}

std::string LaunchKeys::where(const LaunchKey& key) const {
    return (key.file.empty() ? source_ : key.file) + ":" + std::to_string(key.line) + ":" +
           std::to_string(key.column);
}

tl::unexpected<Error> LaunchKeys::refuse(const LaunchKey& key,
                                         const std::string& why,
                                         const std::string& hint) const {
    return fail(Error::Code::BadInput, where(key), typedName(*this, key) + " " + why, hint);
}

}  // namespace fabricast
