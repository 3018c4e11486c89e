// nccl-tests' words on the command line.
#include "probes/collective/sweep.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

Answer<bool> takeWhole(const std::string& value,
                       std::int64_t least,
                       std::int64_t most,
                       std::int64_t& into) {
    const Answer<std::int64_t> number = parseWhole(value);
    if (!number) {
        return number.trouble();
    }
    if (*number < least || *number > most) {
        return Trouble{"'" + value + "' is not from " + std::to_string(least) + " to " +
                       std::to_string(most)};
    }
    into = *number;
    return true;
}

Answer<bool> takeCalls(const std::string& value, SweepFlags& flags) {
    for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end = std::min(value.find(',', at), value.size());
        const std::string name = value.substr(at, end - at);
        const std::optional<GroupCall> call = groupCallNamed(name);
        if (name == "all") {
            flags.calls.assign(kGroupCalls.begin(), kGroupCalls.end());
        } else if (call) {
            flags.calls.push_back(*call);
        } else {
            return Trouble{"'" + name + "' is none of " + groupCallNames() + ", all"};
        }
        at = end + 1;
    }
    return true;
}

Answer<bool> takeType(const std::string& value, SweepFlags& flags) {
    if (!collectiveTypeNamed(value)) {
        return Trouble{"'" + value + "' is none of " + collectiveTypeNames()};
    }
    flags.dtype = value;
    return true;
}

/// A flag of nccl-tests of which one value alone is possible here.
Answer<bool> only(const std::string& value, const char* possible, const char* why) {
    return value == possible ? Answer<bool>(true)
                             : Trouble{"'" + value + "' is not possible here: " + why};
}

Answer<bool> takeNumber(char name, const std::string& value, SweepFlags& flags) {
    std::int64_t number = 0;
    Answer<bool> taken = true;
    switch (name) {
        case 'b':
            return takeWhole(value, 1, kMostBytes, flags.least);
        case 'e':
            return takeWhole(value, 1, kMostBytes, flags.most);
        case 'f':
            return takeWhole(value, 1, kMostBytes, flags.factor);
        case 'i':
            return takeWhole(value, 1, kMostBytes, flags.step);
        case 'n':
            taken = takeWhole(value, 1, 100000, number);
            flags.iterations = static_cast<int>(number);
            return taken;
        case 'w':
            taken = takeWhole(value, 0, 100000, number);
            flags.warmUps = static_cast<int>(number);
            return taken;
        default:
            taken = takeWhole(value, 0, 1, number);
            flags.check = number != 0;
            return taken;
    }
}

}  // namespace

Answer<bool> takeSweepFlag(const std::string& flag, const std::string& value, SweepFlags& flags) {
    static const std::map<std::string, char> kShort = {{"--minbytes", 'b'},
                                                       {"--maxbytes", 'e'},
                                                       {"--stepfactor", 'f'},
                                                       {"--stepbytes", 'i'},
                                                       {"--iters", 'n'},
                                                       {"--warmup_iters", 'w'},
                                                       {"--check", 'c'},
                                                       {"--datatype", 'd'},
                                                       {"--op", 'o'},
                                                       {"--root", 'r'},
                                                       {"--ngpus", 'g'},
                                                       {"--nthreads", 't'}};
    if (flag == "--collective") {
        return takeCalls(value, flags);
    }
    if (flag == "--group") {
        flags.axes = value;
        return true;
    }
    const auto known = kShort.find(flag);
    const bool isShort = flag.size() == 2 && flag[0] == '-';
    const char name = known != kShort.end() ? known->second : isShort ? flag[1] : '\0';
    switch (name) {
        case 'd':
            return takeType(value, flags);
        case 'o':
            return only(value, "sum", "reductions add");
        case 'r':
            return only(value, "0", "the root is the first rank of each group");
        case 'g':
        case 't':
            return only(value, "1", "one process drives one GPU; start as many processes as GPUs");
        case '\0':
            return false;
        default:
            return std::string_view("befinwc").find(name) != std::string_view::npos
                       ? takeNumber(name, value, flags)
                       : Answer<bool>(false);
    }
}

std::string sweepHelp() {
    return "  --collective all_reduce,… or all   a sweep instead of a suite, as nccl-tests does "
           "it:\n"
           "  -b SIZE -e SIZE -f N -i SIZE  from, to, times so much, or plus so much\n"
           "  -n N -w N -c 0|1       timed calls (20), calls before them (5), check results (1)\n"
           "  -d TYPE                " +
           collectiveTypeNames() +
           "\n"
           "  --group tp=8,dp=4      groups of these axes, the innermost first, all at once\n";
}

}  // namespace fabricast::probe
