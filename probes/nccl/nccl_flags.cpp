#include "probes/nccl/nccl_flags.h"

#include "probes/record/probe_flags.h"

namespace fabricast::probe {

namespace {

Answer<bool> takeSeconds(const std::string& value, double& into) {
    const Answer<double> seconds = parseDuration(value);
    if (!seconds) {
        return seconds.trouble();
    }
    into = *seconds;
    return true;
}

}  // namespace

Answer<bool> takeNcclFlag(const std::string& flag, const std::string& value, NcclFlags& flags) {
    if (flag == "--timeout") {
        return takeSeconds(value, flags.silence);
    }
    if (flag == "--join-timeout") {
        return takeSeconds(value, flags.joinSeconds);
    }
    if (flag == "--json" || flag == "-J") {
        flags.json = value;
        return true;
    }
    if (flag == "--share-gpu") {
        if (value != "0" && value != "1") {
            return Trouble{"'" + value + "' is neither 0 nor 1"};
        }
        flags.shareGpu = value == "1";
        return true;
    }
    Answer<bool> taken = takePlaceFlag(flag, value, flags.place);
    return taken && !*taken ? takeSweepFlag(flag, value, flags.sweep) : taken;
}

std::string ncclHelp() {
    return sweepHelp() + placeHelp() +
           "  --timeout 60s          a rank that says nothing for so long is gone\n"
           "  --join-timeout 2m      how long the ranks wait for each other at first\n"
           "                         FABRICAST_PROBE_TOKEN: a secret that all ranks share; others\n"
           "                         are turned away\n"
           "  --json FILE            also write what was measured as nccl-tests -J does\n"
           "  --share-gpu 1          several ranks on one GPU: shows that all works, times "
           "nothing\n";
}

}  // namespace fabricast::probe
