#pragma once
#include "flags/command_line.h"
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/report/format.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

enum class ColorMode { Auto, Always, Never };

/// A file that the command writes, and the flag that names it.
struct OutputFile {
    std::string flag;
    std::string path;  ///< as it is opened
};

/// The flags that every command takes, before or after its name.
struct GlobalOptions {
    std::string directory;                    ///< -C: where relative paths start
    Format format = Format::Text;             ///< --format; a page is Text to a command
    PageKind page = PageKind::None;           ///< --format html, pdf
    bool saysFormat = false;                  ///< --format was typed
    std::string output = "-";                 ///< -o: a file instead of standard output
    std::vector<std::string> sets;            ///< --set PATH=VALUE, in the order typed
    std::vector<std::string> profileFolders;  ///< --profile-dir, the last one wins
    ColorMode color = ColorMode::Auto;
    bool quiet = false;
    bool verbose = false;
    std::int64_t threads = 0;  ///< 0: as many as there are cores
    bool mayTakeLong = false;  ///< --long: work of more than some seconds is begun
    bool noFail = false;
    std::vector<std::string> typedFlags{};  ///< not a flag: each as typed, in order: "--nodes"
    std::vector<OutputFile> outputs{};      ///< not a flag: every file of -o, --svg, --trace, …
    /// Not a flag: the latest day that a profile of the user may be of; empty: any.
    std::string today{};
    /// Not a flag: told how much of a long answer is done, from any thread; may be empty.
    std::function<void(std::size_t done, std::size_t all)> progress{};
    /// Not a flag: the token that Ctrl-C sets; from the call on Ctrl-C does not end the program.
    /// May be empty.
    std::function<std::stop_token()> stop{};
    /// Not a flag: told what is being done, a line that replaces the one before; "" wipes it. Empty
    /// where nobody watches.
    std::function<void(const std::string& line)> status{};
    /// Not a flag: asks a person at the terminal; nothing where they end the input. Empty where
    /// nobody can be asked.
    std::function<std::optional<std::string>(const std::string& question)> ask{};

    /// Where no format was typed, that of the ending of the output: x.json, x.html.
    void takeFormatOfOutput();
    /// The format that was typed, where an ending says another one; a text may have any.
    [[nodiscard]] std::string formatAgainst(std::string_view ending) const;
    /// A path the user typed, seen from --directory. "-" stays "-".
    [[nodiscard]] std::string at(const std::string& path) const;
    /// How work is followed and stopped: Ctrl-C stops it from now on.
    [[nodiscard]] Watch watch() const;
    /// What only the file system knows to be wrong.
    [[nodiscard]] Result<void> check() const;
};

/// Of a file's name, in small letters: ".pdf" of "Step.PDF".
std::string endingOf(const std::string& path);

/// "md", as -f says it.
std::string_view formName(Format format);

/// Declares the flags; the values are there once the program's arguments are parsed.
void addGlobalOptions(const FlagSet& program, GlobalOptions& options);

}  // namespace fabricast
