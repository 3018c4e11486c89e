#include "tests/layering/source_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace layering;
using Rooms = std::set<std::string>;

/// Which rooms each room may include, in addition to itself.
struct Arrows {
    std::map<std::string, Rooms> rooms;
};

/// One line a room: "planner/load planner/base planner/spec …".
Arrows arrowsIn(const fs::path& file) {
    Arrows arrows;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string room;
        if (line.starts_with('#') || !(words >> room)) {
            continue;
        }
        if (room.ends_with('?')) {
            room.pop_back();  // built only where CUDA, NCCL or MPI is
        }
        arrows.rooms[room] = Rooms(std::istream_iterator<std::string>(words), {});
    }
    return arrows;
}

const Arrows& law() {
    static const Arrows kLaw = arrowsIn(kRoot / "tests/layering/rooms.txt");
    return kLaw;
}

/// Libraries that only some folders may see. Whatever is not listed here is free.
const std::map<std::string, Rooms> kLibraryHomes = {
    {"nlohmann/", {"planner/text", "tests"}},
    {"boost/", {"simulator/network"}},
    {"CLI/", {"flags"}},
    {"valijson/", {"tests"}},
    {"gtest/", {"tests"}},
    {"rapidcheck", {"tests"}},
    {"benchmark/", {"tests"}},
    {"thread", {"planner/base", "machine", "probes", "tests"}},
    {"mpi", {"probes/mpi"}},
    {"cblas", {"probes/cpu"}},
    {"chrono", {"machine", "cli", "probes", "tests"}},
    {"ctime", {"cli", "probes", "tests"}},
    {"iostream", {"cli", "probes", "tests"}},
    {"cstdio", {"cli", "gui", "probes", "tests"}},
    {"random", {"probes", "tests"}},
};

/// No library prints or reads from the terminal.
constexpr std::array<std::string_view, 7> kTerminalWords = {
    "std::cout", "std::cerr", "std::clog", "std::cin", "printf(", "fmt::print", "std::puts("};
/// Only the machine's room, which talks to processes, reads clocks and the environment.
constexpr std::array<std::string_view, 6> kSurroundingsWords = {
    "getenv(", "setenv(", "time(0", "time(nullptr", "system_clock", "steady_clock"};

/// The room of the table that a file lies in: "planner/text" for planner/text/…, "cli" for
/// cli/commands/…. A file in none of them: its folder.
std::string roomOf(const fs::path& file) {
    for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        if (law().rooms.contains(folder.string())) {
            return folder.string();
        }
    }
    return file.begin()->string() == "tests" ? "tests" : file.parent_path().string();
}

std::string at(const Include& include) {
    return include.file.string() + ":" + std::to_string(include.line) + ": " + include.target;
}

bool mayInclude(const std::string& from, const std::string& to) {
    if (from == to || from == "tests") {
        return true;
    }
    const auto allowed = law().rooms.find(from);
    return allowed != law().rooms.end() && allowed->second.contains(to);
}

TEST(Layering, IncludesFollowTheArrows) {
    for (const fs::path& file : allSources()) {
        for (const Include& include : includesOf(file)) {
            if (include.quoted) {
                EXPECT_TRUE(mayInclude(roomOf(file), roomOf(include.target)))
                    << at(include) << "  " << roomOf(file) << " may not include "
                    << roomOf(include.target);
            }
        }
    }
}

TEST(Layering, EveryArrowIsUsed) {
    std::map<std::string, Rooms> used;
    for (const fs::path& file : allSources()) {
        for (const Include& include : includesOf(file)) {
            used[roomOf(file)].insert(roomOf(include.target));
        }
    }
    for (const auto& [room, allowed] : law().rooms) {
        for (const std::string& other : allowed) {
            EXPECT_TRUE(used[room].contains(other))
                << "no file of " << room << " includes " << other << ": drop the arrow";
        }
    }
}

TEST(Layering, QuotedIncludesAreOursAndWrittenFromTheRoot) {
    for (const fs::path& file : allSources()) {
        for (const Include& include : includesOf(file)) {
            const bool ours = fs::exists(kRoot / include.target);
            EXPECT_EQ(include.quoted, ours) << at(include);
        }
    }
}

/// The libraries: they print nothing and read no clock.
std::vector<fs::path> sourcesOfLibraries() {
    std::vector<fs::path> files = sourcesUnder("planner");
    std::ranges::copy(sourcesUnder("simulator"), std::back_inserter(files));
    std::ranges::copy(sourcesUnder("study"), std::back_inserter(files));
    return files;
}

TEST(Layering, QtStaysInTheWindow) {
    static const std::regex kQt("Q[A-Za-z].*");
    int seen = 0;
    for (const fs::path& file : allSources()) {
        for (const Include& include : includesOf(file)) {
            const bool isQt = !include.quoted && std::regex_match(include.target, kQt);
            const std::string home = file.begin()->string();
            seen += isQt ? 1 : 0;
            EXPECT_TRUE(!isQt || home == "gui" || home == "tests") << at(include);
        }
    }
    EXPECT_GT(seen, 100);
}

TEST(Layering, EveryRoomIsInTheTable) {
    for (const fs::path& file : allSources()) {
        if (file.begin()->string() == "tests") {
            continue;
        }
        EXPECT_TRUE(law().rooms.contains(roomOf(file)))
            << file << " lies in a room that tests/layering/rooms.txt does not know";
    }
}

TEST(Layering, ThePlannerKnowsNoSimulator) {
    for (const auto& [room, allowed] : law().rooms) {
        for (const std::string& other : allowed) {
            EXPECT_TRUE(!room.starts_with("planner/") || other.starts_with("planner/")) << room;
            // The two meet in files of profiles only; the machine's programs start probes.
            const bool library = room.starts_with("planner/") || room.starts_with("simulator/");
            EXPECT_TRUE(!library || !other.starts_with("probes/")) << room;
        }
    }
}

TEST(Layering, TheTableHasNoCircle) {
    // Rooms are taken away while one is left that includes none of the others.
    std::map<std::string, Rooms> left = law().rooms;
    for (bool found = true; found;) {
        found = false;
        for (const auto& [room, allowed] : left) {
            const bool free = std::ranges::none_of(
                allowed, [&](const std::string& other) { return left.contains(other); });
            if (free) {
                left.erase(room);
                found = true;
                break;
            }
        }
    }
    for (const auto& [room, allowed] : left) {
        ADD_FAILURE() << room << " is in a circle, or includes one";
    }
    for (const auto& [room, allowed] : law().rooms) {
        for (const std::string& other : allowed) {
            EXPECT_TRUE(law().rooms.contains(other)) << room << " -> " << other;
        }
    }
}

TEST(Layering, LibrariesStayInTheirRooms) {
    for (const fs::path& file : allSources()) {
        for (const Include& include : includesOf(file)) {
            for (const auto& [library, homes] : kLibraryHomes) {
                const bool matches = library.ends_with("/") ? include.target.starts_with(library)
                                                            : include.target == library ||
                                                                  include.target == library + ".h";
                const bool home =
                    homes.contains(roomOf(file)) || homes.contains(file.begin()->string());
                EXPECT_TRUE(include.quoted || !matches || home)
                    << at(include) << "  belongs to another room";
            }
        }
    }
}

void expectNoneOf(std::span<const std::string_view> words, const std::vector<fs::path>& files) {
    for (const fs::path& file : files) {
        int number = 0;
        for (const std::string& line : linesOf(file)) {
            ++number;
            const std::string code = line.substr(0, line.find("//"));
            for (const std::string_view word : words) {
                EXPECT_EQ(code.find(word), std::string::npos)
                    << file.string() << ":" << number << ": " << word;
            }
        }
    }
}

TEST(Layering, TheRoomsPrintNothingAndReadNoClock) {
    expectNoneOf(kTerminalWords, sourcesOfLibraries());
    expectNoneOf(kTerminalWords, sourcesUnder("machine"));
    expectNoneOf(kSurroundingsWords, sourcesOfLibraries());
}

TEST(Layering, TestsKeepTheirFilesInTheFolderOfTheirProcess) {
    // Two that run beside each other would write one file.
    static constexpr std::array<std::string_view, 2> kShared = {"TempDir()", "temp_directory_path"};
    std::vector<fs::path> tests = sourcesUnder("tests");
    std::erase(tests, fs::path("tests/support/temp_folder.h"));
    std::erase(tests, fs::path("tests/layering/layering_test.cpp"));
    EXPECT_GT(tests.size(), 100U);
    expectNoneOf(kShared, tests);
}

/// The types a file defines for others to see: at the margin, not in an unnamed namespace.
std::vector<std::string> typesDefinedIn(const fs::path& file) {
    static const std::regex kType(R"(^(?:struct|class|enum class) (\w+)\b[^;:]*(?: :[^:].*)?\{)");
    std::vector<std::string> types;
    bool unnamed = false;
    for (const std::string& line : linesOf(file)) {
        unnamed = (unnamed || line == "namespace {") && line != "}  // namespace";
        std::smatch match;
        if (!unnamed &&
            (line.starts_with("struct") || line.starts_with("class") || line.starts_with("enum")) &&
            std::regex_search(line, match, kType)) {
            types.push_back(match[1].str());
        }
    }
    return types;
}

TEST(Layering, ATypeNameMeansOneThing) {
    // Two types of one name in different files link silently, and corrupt memory when they run.
    std::map<std::string, fs::path> definedIn;
    for (const char* folder :
         {"planner", "simulator", "study", "machine", "manual", "flags", "cli", "gui", "probes"}) {
        for (const fs::path& file : sourcesUnder(folder)) {
            for (const std::string& type : typesDefinedIn(file)) {
                const auto [entry, isNew] = definedIn.emplace(type, file);
                EXPECT_TRUE(isNew) << type << " is defined in " << entry->second << " and " << file;
            }
        }
    }
    EXPECT_GT(definedIn.size(), 20U);
}

/// What a file keeps to itself: names at the margin of its unnamed namespaces, and statics there,
/// each with its first line. Overloads within the file count once.
std::map<std::string, std::string> namesKeptBy(const fs::path& file) {
    static const std::regex kType(R"(^(?:struct|class|enum class|enum|using) (\w+)(?! *;))");
    static const std::regex kOther(R"(^\w[\w:<>,&* ]*[ &*>](\w+)(?:\[\w*\])? ?(?:\(|\{|=|;))");
    std::map<std::string, std::string> names;
    bool unnamed = false;
    for (const std::string& line : linesOf(file)) {
        unnamed = (unnamed || line == "namespace {") && line != "}  // namespace";
        std::smatch match;
        const bool kept = (unnamed && line != "namespace {") || line.starts_with("static ");
        if (kept && !line.starts_with("template") &&
            (std::regex_search(line, match, kType) || std::regex_search(line, match, kOther))) {
            names.emplace(match[1].str(), line);
        }
    }
    return names;
}

/// A short name for the same thing may be said twice: "using Edits = std::vector<Edit>;".
bool isAlias(const std::string& line) {
    return line.starts_with("using ") || line.starts_with("namespace ");
}

/// Constants that functions of a file declare for themselves.
Rooms constantsWithin(const fs::path& file) {
    static const std::regex kLocal(R"(^ +(?:static )?const(?:expr)? [^=({]*\b(k[A-Z]\w*)\b)");
    Rooms names;
    for (const std::string& line : linesOf(file)) {
        std::smatch match;
        if (line.find("const") != std::string::npos && std::regex_search(line, match, kLocal)) {
            names.insert(match[1].str());
        }
    }
    return names;
}

struct Kept {
    fs::path file;
    std::string line;
};

using KeptNames = std::map<std::string, Kept>;

/// What is always compiled one by one: tests, and probes that measure (cmake/Rooms.cmake).
bool isCompiledAlone(const fs::path& file) {
    static const std::regex kAlone("tests/.*|probes/(cpu|cuda|host|mpi|nccl)/.*");
    return std::regex_match(file.string(), kAlone);
}

/// Room by room, the names that its files keep.
std::map<std::string, KeptNames> keptNames() {
    std::map<std::string, KeptNames> rooms;
    for (const fs::path& file : allSources()) {
        if (isCompiledAlone(file)) {
            continue;
        }
        for (const auto& [name, line] : namesKeptBy(file)) {
            const auto [entry, isNew] = rooms[roomOf(file)].emplace(name, Kept{file, line});
            const bool same = isAlias(line) && entry->second.line == line;
            EXPECT_TRUE(isNew || same) << file.string() << ": " << name << " is also a name of "
                                       << entry->second.file.string() << ": say what each does";
        }
    }
    return rooms;
}

TEST(Layering, ANameThatAFileKeepsIsTheOnlyOneOfItsRoom) {
    // Any number of a room's sources may be compiled as one.
    const std::map<std::string, KeptNames> rooms = keptNames();
    EXPECT_GT(rooms.size(), 20U);
    for (const fs::path& file : allSources()) {
        const auto room = rooms.find(roomOf(file));
        if (room == rooms.end()) {
            continue;
        }
        for (const std::string& name : constantsWithin(file)) {
            const auto kept = room->second.find(name);
            EXPECT_TRUE(kept == room->second.end() || kept->second.file == file)
                << file.string() << ": " << name << " hides that of " << kept->second.file.string();
        }
    }
}

}  // namespace
}  // namespace fabricast
