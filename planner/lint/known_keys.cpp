#include "planner/lint/known_keys.h"

#include "planner/profiles/embedded_profiles.h"
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

std::vector<std::string> choicesOf(std::string_view cell) {
    std::vector<std::string> choices;
    while (!cell.empty()) {
        const std::size_t bar = std::min(cell.find('|'), cell.size());
        choices.emplace_back(cell.substr(0, bar));
        cell.remove_prefix(std::min(bar + 1, cell.size()));
    }
    return choices;
}

std::vector<KnownArgument> readArguments() {
    const CsvText table = embeddedTable("launch/megatron_arguments.csv");
    std::vector<KnownArgument> arguments;
    for (const CsvText::Row& row : table.rows) {
        arguments.push_back({.name = std::string(table.cell(row, "argument")),
                             .first = releaseNumber(table.cell(row, "first")),
                             .last = releaseNumber(table.cell(row, "last")),
                             .choices = choicesOf(table.cell(row, "choices"))});
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

KeyTable readKeys() {
    const CsvText table = embeddedTable("launch/framework_keys.csv");
    KeyTable keys;
    for (const CsvText::Row& row : table.rows) {
        keys[ownerIn(table, row)].push_back(pathIn(table, row));
    }
    return keys;
}

KeyTable readChoices() {
    const CsvText table = embeddedTable("launch/framework_values.csv");
    KeyTable choices;
    for (const CsvText::Row& row : table.rows) {
        choices[ownerIn(table, row) + " " + pathIn(table, row)] =
            choicesOf(table.cell(row, "choices"));
    }
    return choices;
}

TuneComponents readComponents() {
    const CsvText table = embeddedTable("launch/torchtune_components.csv");
    TuneComponents components;
    for (const CsvText::Row& row : table.rows) {
        components.emplace(table.cell(row, "component"), choicesOf(table.cell(row, "parameters")));
    }
    return components;
}

}  // namespace

std::span<const KnownArgument> megatronArgumentTable() {
    static const std::vector<KnownArgument> arguments = readArguments();
    return arguments;
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
    static const KeyTable keys = readKeys();
    static const std::vector<std::string> none;
    const auto found = keys.find(std::string(framework) + " " + std::string(version));
    return found == keys.end() ? none : found->second;
}

const std::vector<std::string>& frameworkChoices(std::string_view framework,
                                                 std::string_view version,
                                                 std::string_view path) {
    static const KeyTable choices = readChoices();
    static const std::vector<std::string> anything;
    const auto found =
        choices.find(std::string(framework) + " " + std::string(version) + " " + std::string(path));
    return found == choices.end() ? anything : found->second;
}

}  // namespace fabricast
