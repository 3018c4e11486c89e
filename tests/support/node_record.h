#pragma once
#include <string>

namespace fabricast {

/// Lines as fabricast-probe-cuda writes them.
inline const std::string kNodeRecord =
    R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H200","capability":90},"program":"fabricast-probe-cuda","begun":"2026-11-22T18:00:00Z"}
{"point":"transfer bytes=256M kind=h2d","unit":"s","samples":[0.0112,0.0112,0.0113],"facts":{"bytes":268435456}}
{"point":"transfer bytes=64K kind=h2d","unit":"s","samples":[0.00001],"facts":{"bytes":65536}}
{"point":"footprint of=context","unit":"B","samples":[451231744]}
{"point":"footprint of=cublaslt","unit":"B","samples":[20971520]}
{"point":"launch kind=stream","unit":"s","samples":[0.0000021,0.0000022]}
)";

/// And as fabricast-probe-host does.
inline const std::string kNodeHostRecord =
    R"({"schema":"fabricast.measurements/1","machine":{"host":{"threads":224,"usable_threads":224}},"program":"fabricast-probe-host","begun":"2026-11-22T18:00:00Z"}
{"point":"memory op=triad threads=224","unit":"s","samples":[0.0053687091],"facts":{"bytes":1073741820}}
{"point":"disk bytes=256M kind=read path=/x","refused":"/x has 1 MiB free"}
)";

}  // namespace fabricast
