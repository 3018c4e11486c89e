#include "probes/mpi/mpi_probe.h"

#include "probes/cpu/products.h"
#include "probes/mpi/mpi_checks.h"
#include "probes/mpi/mpi_points.h"
#include "probes/mpi/mpi_suite.h"
#include "probes/record/run_points.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace fabricast::probe {

namespace {

constexpr const char* kOver = "over";

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            return line.substr(std::min(line.size(), line.find(':') + 2));
        }
    }
    return "unknown";
}

/// Of the whole node.
std::int64_t memoryBytes() {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

int numberFrom(const char* variable, int otherwise) {
    const char* const text = std::getenv(variable);
    const Answer<std::int64_t> number = text != nullptr ? parseWhole(text) : Trouble{};
    return number ? static_cast<int>(*number) : otherwise;
}

std::string versions() {
    return "fabricast-probe-mpi\n" + Wire::libraryVersion() + "\n" + productLibrary() + "\n";
}

bool asksOnly(std::span<const char* const> arguments) {
    return std::ranges::any_of(arguments, [](const std::string& argument) {
        return argument == "--help" || argument == "-h" || argument == "--version" ||
               argument == "--dry-run";
    });
}

}  // namespace

int MpiProbe::launchedRank() {
    // Open MPI, PMIx (srun), PMI (MPICH).
    return numberFrom("OMPI_COMM_WORLD_RANK", numberFrom("PMIX_RANK", numberFrom("PMI_RANK", 0)));
}

ProbeProgram MpiProbe::program() {
    ProbeProgram program;
    program.name = "fabricast-probe-mpi";
    program.purpose = "measures collectives over MPI, products and training steps on CPUs";
    program.moreHelp =
        "  --deadline 60s         how long one call may wait for the other ranks\n"
        "\nStarted by mpirun, one rank a node: mpirun -np 4 --map-by node --bind-to none "
        "fabricast-probe-mpi …\n";
    program.versions = versions;
    program.doctor = [this] { return doctor(); };
    program.suite = [](const std::string& name) {
        const int ranks = numberFrom("OMPI_COMM_WORLD_SIZE", 1);
        return mpiSuite(name, ranks, numberFrom("OMPI_COMM_WORLD_LOCAL_SIZE", ranks));
    };
    program.check = checkMpiPoint;
    program.flag = [this](const std::string& flag, const std::string& value) {
        return takeFlag(flag, value);
    };
    program.open = [this]() -> Done {
        join();
        return std::monostate();
    };
    program.identity = [this] {
        return JsonLine()
            .add("kind", "cpu")
            .add("cpu", processorName())
            .add("memory_bytes", memoryBytes())
            .add("ranks", wire_->size())
            .add("nodes", wire_->nodeCount())
            .add("mpi", Wire::libraryVersion())
            .add("blas", productLibrary());
    };
    program.measure = [this](const Point& point) { return measure(point); };
    // mpirun ends the other ranks, and says that something went wrong.
    program.endsInMidPoint = true;
    program.endsInTime = false;
    program.close = [this] { leave(); };
    return program;
}

Answer<bool> MpiProbe::takeFlag(const std::string& flag, const std::string& value) {
    if (flag != "--deadline") {
        return false;
    }
    Answer<double> seconds(0.0);
    seconds = Trouble{"needs a time such as 60s"};
    for (const char end : {'s', 'm', 'h'}) {
        if (!value.empty() && value.back() == end) {
            const Answer<std::int64_t> number = parseWhole(value.substr(0, value.size() - 1));
            const int scale = end == 's' ? 1 : end == 'm' ? 60 : 3600;
            if (number && *number >= 1 && *number <= 86400 / scale) {
                seconds = static_cast<double>(*number * scale);
            }
        }
    }
    if (!seconds) {
        return Trouble{"'" + value + "' is no time from 1s to 24h"};
    }
    deadline_ = static_cast<unsigned>(*seconds);
    return true;
}

void MpiProbe::join() {
    const Deadline deadline(deadline_, "joining the other ranks");
    wire_ = std::make_unique<Wire>();
}

void MpiProbe::leave() {
    if (wire_ == nullptr) {
        return;
    }
    const Deadline deadline(deadline_, "the other ranks' end");
    if (wire_->rank() == 0) {
        for (int rank = 1; rank < wire_->size(); ++rank) {
            wire_->sendText(rank, kOver);
        }
    }
    wire_.reset();
}

Answer<Measurement> MpiProbe::measure(const Point& point) {
    const Deadline deadline(deadline_, textOf(point));
    for (int rank = 1; rank < wire_->size(); ++rank) {
        wire_->sendText(rank, textOf(point));
    }
    return measurePoint(*wire_, point);
}

int MpiProbe::follow(std::span<const char* const> arguments) {
    if (asksOnly(arguments)) {
        return kDone;
    }
    catchInterrupts();
    for (std::size_t at = 0; at + 1 < arguments.size(); ++at) {
        // Rank 0 says what is wrong with it.
        static_cast<void>(takeFlag(arguments[at], arguments[at + 1]));
    }
    join();
    const std::string who = "rank " + std::to_string(wire_->rank());
    while (true) {
        std::string word;
        {
            const Deadline deadline(deadline_, who + ", for the next point");
            word = wire_->receiveText(0);
        }
        if (word == kOver) {
            break;
        }
        const Answer<Point> point = parsePoint(word);
        if (!point) {
            continue;
        }
        const Deadline deadline(deadline_, who + ", " + word);
        const Measurement measurement = measurePoint(*wire_, *point);
        static_cast<void>(measurement);
    }
    leave();
    return kDone;
}

Answer<std::string> MpiProbe::doctor() {
    join();
    std::string text = versions() + "processor: " + processorName() + "\n" +
                       "ranks: " + std::to_string(wire_->size()) + " on " +
                       std::to_string(wire_->nodeCount()) + " nodes\n";
    if (wire_->size() == 1) {
        text += "collectives: none with one rank; start more with mpirun -np\n";
    }
    leave();
    return text;
}

}  // namespace fabricast::probe
