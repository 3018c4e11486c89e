#pragma once
#include <string>

namespace fabricast {

inline const std::string kDumpHead =
    "{\"schema\":\"fabricast.nccl_costs/1\",\"nccl\":\"2.28.9\"}\n";

inline std::string dumpedCall(const std::string& what, const std::string& times) {
    return "{" + what + ",\"us\":{" + times + "}}\n";
}

/// A dump of NCCL's tuner on eight H100 and on two nodes of them; the times are made up near its
/// model.
inline std::string ncclDump() {
    return kDumpHead +
           dumpedCall("\"collective\":\"all_reduce\",\"bytes\":1024,\"ranks\":8,\"nodes\":1",
                      "\"tree\":{\"ll\":15.3},\"ring\":{\"ll\":14.98},\"nvls\":{\"simple\":25.1}") +
           dumpedCall("\"collective\":\"all_reduce\",\"bytes\":268435456,\"ranks\":8,\"nodes\":1",
                      "\"ring\":{\"simple\":1350.5},\"nvls\":{\"simple\":700.25}") +
           dumpedCall("\"collective\":\"all_gather\",\"bytes\":1000000,\"ranks\":16,\"nodes\":2",
                      "\"ring\":{\"ll\":99.5,\"ll128\":60.25,\"simple\":90}") +
           dumpedCall("\"collective\":\"all_reduce\",\"bytes\":4096,\"ranks\":2,\"nodes\":2",
                      "\"ring\":{\"ll\":21.5}") +
           dumpedCall(
               "\"collective\":\"reduce\",\"bytes\":64,\"ranks\":8,\"nodes\":1,\"operations\":3",
               "\"ring\":{\"ll\":30}") +
           dumpedCall("\"collective\":\"reduce\",\"bytes\":64,\"ranks\":16,\"nodes\":1",
                      "\"ring\":{\"ll\":30}") +
           dumpedCall("\"collective\":\"reduce\",\"bytes\":64,\"ranks\":1,\"nodes\":1",
                      "\"ring\":{\"ll\":30}") +
           dumpedCall("\"collective\":\"collective8\",\"bytes\":64,\"ranks\":8,\"nodes\":1",
                      "\"ring\":{\"ll\":30}");
}

}  // namespace fabricast
