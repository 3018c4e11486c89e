#include "probes/record/probe_flags.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>

namespace fabricast::probe {

namespace {

constexpr std::size_t kMostPointBytes = std::size_t{8} << 20;

Answer<std::string> streamText(std::istream& stream, const std::string& name) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > kMostPointBytes) {
            return Trouble{name + ": is larger than 8 MiB"};
        }
    }
    return stream.bad() ? Answer<std::string>(Trouble{name + ": cannot be read"}) : text;
}

/// A pipe, opened without waiting for somebody who writes to it.
class OpenedPipe {
public:
    explicit OpenedPipe(std::string path)
        : path_(std::move(path)),
          descriptor_(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    ~OpenedPipe() {
        if (descriptor_ >= 0) {
            (void)::close(descriptor_);
        }
    }
    OpenedPipe(const OpenedPipe&) = delete;
    OpenedPipe& operator=(const OpenedPipe&) = delete;

    /// Somebody who is started beside the probe has a moment to write; what is begun is read to its
    /// end.
    [[nodiscard]] Answer<std::string> text() const {
        constexpr int kMilliseconds = 1500;
        pollfd readable{.fd = descriptor_, .events = POLLIN, .revents = 0};
        const bool isWritten = descriptor_ >= 0 && ::poll(&readable, 1, kMilliseconds) > 0 &&
                               (readable.revents & POLLIN) != 0;
        if (!isWritten) {
            return Trouble{path_ + ": is a pipe that nobody writes to; give a file, or -"};
        }
        (void)::fcntl(descriptor_, F_SETFL, 0);  // from here on it waits
        std::string all;
        std::array<char, 65536> buffer{};
        ssize_t count = 0;
        while ((count = ::read(descriptor_, buffer.data(), buffer.size())) > 0) {
            all.append(buffer.data(), static_cast<std::size_t>(count));
            if (all.size() > kMostPointBytes) {
                return Trouble{path_ + ": is larger than 8 MiB"};
            }
        }
        return count == 0 ? Answer<std::string>(all) : Trouble{path_ + ": cannot be read"};
    }

private:
    std::string path_;
    int descriptor_;
};

Answer<std::string> fileText(const std::string& path) {
    if (path == "-") {
        return streamText(std::cin, "standard input");
    }
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        return Trouble{path + ": is a folder"};
    }
    if (std::filesystem::is_fifo(path, error)) {
        return OpenedPipe(path).text();
    }
    std::ifstream file(path, std::ios::binary);
    return file ? streamText(file, path) : Trouble{path + ": cannot be read"};
}

Done addPoints(const Answer<std::vector<Point>>& points, ProbeFlags& flags) {
    if (!points) {
        return points.trouble();
    }
    if (points->empty()) {
        return Trouble{"names no point"};
    }
    flags.points.insert(flags.points.end(), points->begin(), points->end());
    return std::monostate();
}

/// A flag with a value that all probes have.
Answer<bool> takeCommon(const std::string& flag, const std::string& value, ProbeFlags& flags) {
    if (flag == "--suite") {
        flags.suite = value;
    } else if (flag == "--out") {
        flags.out = value;
    } else if (flag == "--points") {
        flags.pointFiles.push_back(value);
        const Answer<std::string> text = fileText(value);
        if (!text) {
            return text.trouble();
        }
        const Done added = addPoints(parsePoints(*text, value), flags);
        return added ? Answer<bool>(true) : Answer<bool>(added.trouble());
    } else if (flag == "--point") {
        const Done added = addPoints(parsePoints(value, "--point"), flags);
        return added ? Answer<bool>(true) : Answer<bool>(added.trouble());
    } else if (flag == "--time-budget" || flag == "--point-time") {
        const Answer<double> seconds = parseDuration(value);
        if (!seconds) {
            return seconds.trouble();
        }
        (flag == "--time-budget" ? flags.seconds : flags.pointSeconds) = *seconds;
    } else {
        return false;
    }
    return true;
}

/// A flag without a value; false where it is none.
bool takeSwitch(const std::string& flag, ProbeFlags& flags) {
    using Ask = ProbeFlags::Ask;
    const std::map<std::string, Ask> asks = {{"--help", Ask::Help},
                                             {"-h", Ask::Help},
                                             {"--version", Ask::Version},
                                             {"--doctor", Ask::Doctor},
                                             {"--dry-run", Ask::List}};
    const auto ask = asks.find(flag);
    if (ask != asks.end()) {
        flags.ask = ask->second;
        return true;
    }
    flags.quiet = flags.quiet || flag == "--quiet";
    return flag == "--quiet";
}

}  // namespace

Answer<double> parseDuration(const std::string& text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const double scale = unit.empty() || unit == "s" ? 1.0
                         : unit == "m"               ? 60.0
                         : unit == "h"               ? 3600.0
                                                     : 0.0;
    if (error != std::errc() || scale == 0.0 || !std::isfinite(value) || value <= 0.0) {
        return Trouble{"'" + text + "' is no time: write 90s, 5m or 1h"};
    }
    constexpr double kMost = 720.0 * 3600.0;
    if (value * scale > kMost) {
        return Trouble{"'" + text + "' is longer than 30 days (720h)"};
    }
    return value * scale;
}

Answer<ProbeFlags> parseProbeFlags(const ProbeProgram& program,
                                   std::span<const char* const> arguments) {
    ProbeFlags flags;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string argument = arguments[at];
        if (takeSwitch(argument, flags)) {
            continue;
        }
        const std::size_t equals = argument.find('=');
        const std::string flag = argument.substr(0, equals);
        const bool joined = argument.starts_with("--") && equals != std::string::npos;
        const bool follows = !joined && at + 1 < arguments.size();
        const std::string value = joined    ? argument.substr(equals + 1)
                                  : follows ? std::string(arguments[at + 1])
                                            : std::string();
        Answer<bool> taken = takeCommon(flag, value, flags);
        if (taken && !*taken && program.flag) {
            taken = program.flag(flag, value);
        }
        if (!taken) {
            return Trouble{flag + ": " + taken.trouble().why};
        }
        if (!*taken) {
            return Trouble{"unknown argument '" + argument + "'; " + program.name +
                           " --help lists them"};
        }
        if (!joined && !follows) {
            return Trouble{flag + " needs a value"};
        }
        at += follows ? 1 : 0;
    }
    return flags;
}

std::string probeHelp(const ProbeProgram& program) {
    return program.name + ": " + program.purpose +
           "\n\n"
           "  --suite quick|full     what to measure (quick unless points are named)\n"
           "  --point 'NAME K=V …'   one point; may be repeated\n"
           "  --points FILE          a file of points, one per line; - reads standard input\n"
           "  --time-budget 5m       stop after this long; what is left is measured next time\n"
           "  --point-time 0.5s      repeat no point for longer, though it then varies more\n"
           "  --out FILE             keep what is measured in FILE, and go on with it if it is "
           "there\n"
           "  --dry-run              list the points, and measure nothing\n"
           "  --doctor               say what works here\n"
           "  --version              say what it was built with and finds\n"
           "  --quiet                no progress\n" +
           program.moreHelp +
           "\n"
           "Ends with 0, 1 for wrong results, 2 for bad input, 4 where it cannot measure here, "
           "130\n"
           "after Ctrl-C, 143 after SIGTERM; what was measured is in FILE in any case.\n";
}

}  // namespace fabricast::probe
