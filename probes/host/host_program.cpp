#include "probes/host/host_program.h"

#include "planner/output/printable_text.h"
#include "probes/host/host_points.h"
#include "probes/host/worker_team.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace fabricast::probe {

namespace {

constexpr const char* kName = "fabricast-probe-host";

Answer<std::vector<Point>> suiteOf(const std::string& suite, const HostFlags& flags) {
    if (suite != "quick" && suite != "full") {
        return Trouble{"--suite: '" + suite + "' is none; it is quick or full"};
    }
    const bool full = suite == "full";
    const int all = WorkerTeam::usableCpus();
    std::vector<int> threads = {all};
    for (int fewer = 1; fewer < all && (full || fewer == 1); fewer *= 2) {
        threads.push_back(fewer);
    }
    std::string text;
    const auto add = [&](const std::string& line) { text += line + "\n"; };
    for (const int number : threads) {
        const std::string with = " threads=" + std::to_string(number);
        add("memory op=copy" + with);
        add("memory op=triad" + with);
        add("cpu_adam parameters=32M" + with);
    }
    for (const char* const bytes : {"256M", "2G"}) {
        const bool isUsed = !flags.scratch.empty() && (full || std::string_view(bytes) == "256M");
        for (const char* const kind : {"write", "read"}) {
            if (isUsed) {
                add(std::string("disk kind=") + kind + " bytes=" + bytes +
                    " path=" + flags.scratch);
            }
        }
    }
    return parsePoints(text, "--scratch");
}

Answer<Measurement> measurePoint(const Point& point) {
    if (point.what == "memory") {
        return measureMemory(point);
    }
    if (point.what == "cpu_adam") {
        return measureCpuAdam(point);
    }
    if (point.what == "disk") {
        return measureDisk(point);
    }
    return Measurement{.point = point, .refused = std::string(kName) + " does not measure it"};
}

/// What the numbers stand and fall with.
JsonLine identityOf(const Inventory& inventory) {
    const HostFacts& host = inventory.host;
    return JsonLine().add("host",
                          JsonLine()
                              .add("cpu", host.cpu)
                              .add("sockets", host.sockets)
                              .add("threads", host.threads)
                              .add("usable_threads", WorkerTeam::usableCpus())
                              .add("memory", host.memory)
                              .add("kernel", host.kernel));
}

std::string inventoryText(const Inventory& inventory) {
    const HostFacts& host = inventory.host;
    constexpr double kGiga = 1e9;
    std::string text =
        "CPU: " + (host.cpu.empty() ? "unknown" : host.cpu) + ", " + std::to_string(host.sockets) +
        " sockets, " + std::to_string(host.threads) + " threads, " +
        std::to_string(static_cast<long>(static_cast<double>(host.memory) / kGiga)) + " GB\n";
    for (const InstalledGpu& gpu : inventory.driver.gpus) {
        text += "GPU " + std::to_string(gpu.index) + ": " + gpu.name + "\n";
    }
    for (const std::string& note : inventory.notes) {
        text += note + "\n";
    }
    return text;
}

void complain(const std::string& why) {
    std::fputs(printableText("error: " + std::string(kName) + ": " + why + "\n").c_str(), stderr);
}

int printInventory(std::span<const char* const> arguments) {
    std::string root;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string_view argument = arguments[at];
        if (argument == "--root" && at + 1 < arguments.size()) {
            root = arguments[++at];
        } else if (argument != "--inventory") {
            complain("unknown argument '" + std::string(argument) +
                     "' beside --inventory; it takes --root DIR");
            return kBadInput;
        }
    }
    const SystemFiles files(root.empty() ? "/" : root);
    if (!files.has("proc")) {
        complain("--root: '" + root + "' has no folder proc");
        return kBadInput;
    }
    const std::string text = inventoryLine(takeInventory(files, root.empty())).text() + "\n";
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!printed) {
        complain("standard output cannot be written");
    }
    return printed ? kDone : kEnvironment;
}

}  // namespace

ProbeProgram hostProgram(HostFlags& flags) {
    ProbeProgram program;
    program.name = kName;
    program.purpose = "Measures the host: its memory, optimizer steps on its CPUs, its disks.";
    program.moreHelp =
        "  --scratch DIR          a folder on the disk that is to be measured\n"
        "  --inventory            what the machine is, as JSON, without any load\n"
        "  --root DIR             with --inventory: where proc and sys are, instead of /\n";
    program.versions = [] { return std::string(kName) + " 1\n"; };
    program.doctor = []() -> Answer<std::string> {
        return inventoryText(takeInventory(SystemFiles("/"), true));
    };
    program.suite = [&flags](const std::string& suite) { return suiteOf(suite, flags); };
    program.flag = [&flags](const std::string& flag, const std::string& value) -> Answer<bool> {
        if (flag != "--scratch") {
            return false;
        }
        // The folder becomes a setting of points.
        if (!parsePoint("disk path=" + value)) {
            return Trouble{"'" + value +
                           "' cannot be part of a point, which takes letters, digits and "
                           "_-.:/+,; name it by a link"};
        }
        flags.scratch = value;
        return true;
    };
    program.check = &checkHostPoint;
    program.open = []() -> Done { return std::monostate(); };
    program.identity = [] { return identityOf(takeInventory(SystemFiles("/"), false)); };
    program.isKnownUnopened = true;
    program.measure = &measurePoint;
    program.endsInMidPoint = true;
    return program;
}

int runHostProbe(std::span<const char* const> arguments) {
    const bool asks = std::ranges::any_of(arguments, [](const char* argument) {
        return std::string_view(argument) == "--inventory";
    });
    if (asks) {
        return printInventory(arguments);
    }
    HostFlags flags;
    return runProbe(hostProgram(flags), arguments);
}

}  // namespace fabricast::probe
