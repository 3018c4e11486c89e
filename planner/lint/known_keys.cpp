#include "planner/lint/known_keys.h"

#include "planner/profiles/profile_list.h"
#include "planner/text/csv_text.h"

#include <algorithm>
#include <charconv>

namespace fabricast {
namespace {

/// A table as it was when the program was built, without its notes. That it can be read is tested.
CsvText embeddedTable(std::string_view path) {
    const auto files = embeddedProfiles();
    const auto file = std::ranges::find(files, path, &EmbeddedFile::path);
    std::string_view text = file->text;
    while (text.starts_with('#')) {
        text.remove_prefix(text.find('\n') + 1);
    }
    return parseCsv(text, std::string(path)).value();
}

int releaseNumber(std::string_view cell) {
    int number = 0;
    std::from_chars(cell.data(), cell.data() + cell.size(), number);
    return number;
}

std::vector<std::string> partsOf(std::string_view cell) {
    std::vector<std::string> parts;
    while (!cell.empty()) {
        const std::size_t bar = std::min(cell.find('|'), cell.size());
        parts.emplace_back(cell.substr(0, bar));
        cell.remove_prefix(std::min(bar + 1, cell.size()));
    }
    return parts;
}

std::vector<KnownArgument> readArguments() {
    const CsvText table = embeddedTable("launch/megatron_arguments.csv");
    std::vector<KnownArgument> arguments;
    for (const CsvText::Row& row : table.rows) {
        arguments.push_back({.name = std::string(table.cell(row, "argument")),
                             .first = releaseNumber(table.cell(row, "first")),
                             .last = releaseNumber(table.cell(row, "last")),
                             .values = std::string(table.cell(row, "values")),
                             .takes = partsOf(table.cell(row, "takes"))});
    }
    std::ranges::stable_sort(arguments, {}, &KnownArgument::name);
    return arguments;
}

using KeyTable = std::map<std::string, std::vector<std::string>, std::less<>>;

/// "deepspeed 0.19.8" of a table of keys, and "zero_optimization.stage".
std::string ownerIn(const CsvText& table, const CsvText::Row& row) {
    return std::string(table.cell(row, "framework")) + " " +
           std::string(table.cell(row, "version"));
}
std::string pathIn(const CsvText& table, const CsvText::Row& row) {
    const std::string section(table.cell(row, "section"));
    return (section.empty() ? "" : section + ".") + std::string(table.cell(row, "key"));
}

/// Both of one reading: the keys of each framework, and what each of them takes.
struct FrameworkTables {
    KeyTable keys;
    KeyTable takes;
};

FrameworkTables readTables() {
    const CsvText table = embeddedTable("launch/framework_keys.csv");
    FrameworkTables tables;
    for (const CsvText::Row& row : table.rows) {
        tables.keys[ownerIn(table, row)].push_back(pathIn(table, row));
        if (const std::string_view takes = table.cell(row, "takes"); !takes.empty()) {
            tables.takes[ownerIn(table, row) + " " + pathIn(table, row)] = partsOf(takes);
        }
    }
    return tables;
}

const FrameworkTables& frameworkTables() {
    static const FrameworkTables tables = readTables();
    return tables;
}

TuneComponents readComponents() {
    const CsvText table = embeddedTable("launch/torchtune_components.csv");
    TuneComponents components;
    for (const CsvText::Row& row : table.rows) {
        components.emplace(table.cell(row, "component"), partsOf(table.cell(row, "parameters")));
    }
    return components;
}

}  // namespace

std::span<const KnownArgument> megatronArgumentTable() {
    static const std::vector<KnownArgument> arguments = readArguments();
    return arguments;
}

std::span<const KnownArgument> megatronArgumentsNamed(std::string_view name) {
    const std::span<const KnownArgument> all = megatronArgumentTable();
    const auto found = std::ranges::equal_range(all, name, {}, &KnownArgument::name);
    const auto begin = static_cast<std::size_t>(found.begin() - all.begin());
    return all.subspan(begin, static_cast<std::size_t>(found.end() - found.begin()));
}

const TuneComponents& tuneComponents() {
    static const TuneComponents components = readComponents();
    return components;
}

int newestMegatronRelease() {
    static const int newest =
        std::ranges::max_element(megatronArgumentTable(), {}, &KnownArgument::last)->last;
    return newest;
}

const std::vector<std::string>& frameworkKeys(std::string_view framework,
                                              std::string_view version) {
    static const std::vector<std::string> none;
    const KeyTable& keys = frameworkTables().keys;
    const auto found = keys.find(std::string(framework) + " " + std::string(version));
    return found == keys.end() ? none : found->second;
}

const std::vector<std::string>& frameworkTakes(std::string_view framework,
                                               std::string_view version,
                                               std::string_view path) {
    static const std::vector<std::string> anything;
    const KeyTable& takes = frameworkTables().takes;
    const auto found =
        takes.find(std::string(framework) + " " + std::string(version) + " " + std::string(path));
    return found == takes.end() ? anything : found->second;
}

}  // namespace fabricast
