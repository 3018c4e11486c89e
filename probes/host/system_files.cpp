#include "probes/host/system_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <string_view>

namespace fabricast::probe {

namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::int64_t kMostListed = 65'536;
constexpr std::string_view kBlank = " \t\r\n";

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    return begin == std::string::npos
               ? std::string()
               : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// The letters before a name's number, and the number.
std::pair<std::string, std::int64_t> counted(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t begin = last == std::string::npos ? 0 : last + 1;
    std::int64_t number = 0;
    std::from_chars(name.data() + begin, name.data() + name.size(), number);
    return {name.substr(0, begin), number};
}

/// "0000:18:00.0".
bool isPciAddress(std::string_view name) {
    constexpr std::string_view kForm = "xxxx:xx:xx.x";
    return name.size() == kForm.size() &&
           std::ranges::equal(name, kForm, [](char letter, char form) {
               return form == 'x' ? std::isxdigit(static_cast<unsigned char>(letter)) != 0
                                  : letter == form;
           });
}

}  // namespace

std::string SystemFiles::text(const std::string& path) const {
    std::ifstream file(at(path), std::ios::binary);
    std::string text;
    std::string part(4096, '\0');
    while (file && text.size() < kMostBytes) {
        file.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part, 0, static_cast<std::size_t>(file.gcount()));
    }
    return trimmed(text);
}

std::optional<std::int64_t> SystemFiles::whole(const std::string& path) const {
    return leadingWhole(text(path));
}

std::vector<std::string> SystemFiles::names(const std::string& folder) const {
    std::vector<std::string> names;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(at(folder), error);
         !error && entry != std::filesystem::directory_iterator();
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    std::ranges::sort(
        names, {}, [](const std::string& name) { return std::pair(counted(name), name); });
    return names;
}

std::string SystemFiles::pciAddress(const std::string& path) const {
    std::error_code error;
    std::string address;
    for (const auto& part : std::filesystem::read_symlink(at(path), error)) {
        address = isPciAddress(part.string()) ? part.string() : address;
    }
    return address;
}

bool SystemFiles::has(const std::string& path) const {
    std::error_code error;
    return std::filesystem::exists(at(path), error);
}

std::optional<std::int64_t> leadingWhole(const std::string& text) {
    const std::string said = trimmed(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<std::int64_t> listedNumbers(const std::string& text) {
    std::vector<std::int64_t> numbers;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, end - at);
        at = end + 1;
        const std::optional<std::int64_t> first = leadingWhole(part);
        const std::size_t dash = part.find('-', 1);
        const std::optional<std::int64_t> last =
            dash == std::string::npos ? first : leadingWhole(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= kMostListed) {
            return {};
        }
        for (std::int64_t number = *first; number <= *last; ++number) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

std::string valueAfter(const std::string& text, const std::string& name) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && trimmed(line.substr(0, colon)) == name) {
            return trimmed(line.substr(colon + 1));
        }
    }
    return "";
}

}  // namespace fabricast::probe
