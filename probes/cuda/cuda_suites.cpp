#include "probes/cuda/cuda_suites.h"

#include "probes/cuda/zoo_products.h"

#include <initializer_list>
#include <set>

namespace fabricast::probe {

namespace {

/// Collects points, each once.
class PointList {
public:
    void add(const Point& point) {
        if (known_.insert(textOf(point)).second) {
            points_.push_back(point);
        }
    }
    /// Points as on a command line; they are this file's own, and sound.
    void add(std::initializer_list<const char*> lines) {
        for (const char* line : lines) {
            const Answer<Point> point = parsePoint(line);
            if (point) {
                add(*point);
            }
        }
    }
    void add(const std::vector<Point>& points) {
        for (const Point& point : points) {
            add(point);
        }
    }
    [[nodiscard]] const std::vector<Point>& points() const { return points_; }

private:
    std::vector<Point> points_;
    std::set<std::string> known_;
};

Point squareProduct(const std::string& dtype, std::int64_t size) {
    const std::string text = std::to_string(size);
    return {"gemm", {{"dtype", dtype}, {"layout", "tn"}, {"m", text}, {"n", text}, {"k", text}}};
}

/// One point of everything that the forecast has a number for.
void addOneOfEach(PointList& list) {
    list.add({"gemm dtype=bf16 m=8192 n=8192 k=8192 layout=tn",
              "plain of=gemm dtype=bf16 m=8192 n=8192 k=8192 layout=tn",
              "memory op=copy bytes=1G",
              "plain of=copy bytes=1G",
              "launch kind=stream",
              "transfer kind=h2d bytes=256M",
              "transfer kind=d2h bytes=256M",
              "attention pass=forward dtype=bf16 batch=1 heads=32 kv_heads=8 sequence=4096 dim=128 "
              "causal=1",
              "attention pass=backward dtype=bf16 batch=1 heads=32 kv_heads=8 sequence=4096 "
              "dim=128 causal=1",
              "adam parameters=256M form=flat",
              "memory op=norm rows=8192 width=8192",
              "memory op=swiglu rows=8192 width=14336",
              "launch kind=latency",
              "launch kind=graph"});
    for (const char* dtype : {"fp8", "fp16", "tf32", "fp32"}) {
        list.add(squareProduct(dtype, 8192));
    }
    // Forward products add up fast, gradients do not.
    list.add({"gemm dtype=fp8 fast_accum=1 m=8192 n=8192 k=8192 layout=tn"});
}

void addRest(PointList& list) {
    list.add({"memory op=rope rows=8192 width=8192 dim=128",
              "memory op=add rows=8192 width=8192",
              "memory op=cast rows=8192 width=8192",
              "memory op=permute rows=8192 width=8192",
              "memory op=cross_entropy rows=4096 width=128256",
              "grouped_gemm dtype=bf16 experts=8 tokens=16384 n=28672 k=4096 layout=tn",
              "grouped_gemm dtype=bf16 experts=32 tokens=32768 n=4096 k=7168 layout=tn",
              "adam parameters=256M form=list",
              "transfer kind=both bytes=256M",
              "transfer kind=p2p bytes=256M",
              "overlap dtype=bf16 m=8192 n=8192 k=8192 layout=tn ctas=8",
              "overlap dtype=bf16 m=8192 n=8192 k=8192 layout=tn ctas=16",
              "overlap dtype=bf16 m=8192 n=8192 k=8192 layout=tn ctas=32",
              "sustained dtype=bf16 m=8192 n=8192 k=8192 layout=tn seconds=10"});
}

void addSizes(PointList& list, std::int64_t mostBytes) {
    for (std::int64_t size = 512; size <= 16384; size *= 2) {
        list.add(squareProduct("bf16", size));
    }
    for (std::int64_t bytes = 1 << 16; bytes <= mostBytes; bytes *= 4) {
        const std::string text = std::to_string(bytes);
        list.add(Point{"memory", {{"op", "copy"}, {"bytes", text}}});
        list.add(Point{"transfer", {{"kind", "h2d"}, {"bytes", text}}});
        list.add(Point{"transfer", {{"kind", "d2h"}, {"bytes", text}}});
    }
}

/// Experts of three sizes, few and many tokens, all passes: enough to fit; and the other ways to
/// send them.
void addExperts(PointList& list) {
    for (const char* experts :
         {"experts=8 n=28672 k=4096", "experts=32 n=4096 k=7168", "experts=64 n=3072 k=2048"}) {
        for (const char* tokens : {"8192", "32768"}) {
            const std::string group =
                std::string("grouped_gemm dtype=bf16 ") + experts + " tokens=" + tokens;
            for (const char* end : {"tn", "nn", "nt", "tn how=loop", "tn how=grouped"}) {
                list.add({(group + " layout=" + end).c_str()});
            }
        }
    }
}

void addAttention(PointList& list, const std::vector<std::int64_t>& lengths) {
    for (const std::int64_t length : lengths) {
        for (const char* pass : {"forward", "backward"}) {
            for (const auto& [heads, groups] : {std::pair{"32", "8"}, std::pair{"8", "1"}}) {
                for (const char* causal : {"1", "0"}) {
                    list.add(Point{"attention",
                                   {{"pass", pass},
                                    {"dtype", "bf16"},
                                    {"batch", "1"},
                                    {"heads", heads},
                                    {"kv_heads", groups},
                                    {"sequence", std::to_string(length)},
                                    {"dim", "128"},
                                    {"causal", causal}}});
                }
            }
        }
    }
}

/// What else one wants of each operation: its time over sizes.
void addMemorySizes(PointList& list) {
    for (const char* op : {"norm", "swiglu", "rope", "add", "cast", "permute"}) {
        for (const char* rows : {"512", "2048", "32768"}) {
            for (const char* width : {"2048", "8192"}) {
                Point point{"memory", {{"op", op}, {"rows", rows}, {"width", width}}};
                if (point.settings.at("op") == "rope") {
                    point.settings["dim"] = "128";
                }
                list.add(point);
            }
        }
    }
    list.add({"adam parameters=1M form=flat",
              "adam parameters=16M form=flat",
              "adam parameters=1G form=flat",
              "adam parameters=16M form=list"});
}

}  // namespace

Answer<std::vector<Point>> cudaSuite(const std::string& name) {
    if (name != "quick" && name != "full") {
        return Trouble{"--suite is quick or full, not '" + name + "'"};
    }
    PointList list;
    // What a library leaves in memory shows only before it is used.
    list.add({"footprint of=context", "footprint of=cublaslt", "footprint of=cudnn"});
    addOneOfEach(list);
    list.add(zooProducts({.models = 2, .tokens = {8192}, .splits = {1, 8}, .allPasses = false}));
    addRest(list);
    list.add(zooProducts({.models = 1, .tokens = {4096}, .splits = {1}, .allPasses = true}));
    addSizes(list, std::int64_t{1} << 26);
    if (name == "full") {
        addExperts(list);
        addAttention(list, {1024, 2048, 4096, 8192, 16384});
        addMemorySizes(list);
        addSizes(list, std::int64_t{1} << 30);
        list.add(zooProducts(
            {.models = 99, .tokens = {2048, 4096, 8192, 16384}, .splits = {1, 2, 4, 8}}));
    }
    return list.points();
}

}  // namespace fabricast::probe
