#include "planner/sharding/module_trace.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

class TraceBuilder {
public:
    TraceBuilder(const ModelWeights& model, bool recomputes)
        : modules_(model.modules), recomputes_(recomputes) {}

    /// Enters the modules [begin, end) in order, and leaves each after its parts.
    void forward(std::size_t begin, std::size_t end, TracePass pass) {
        std::vector<std::size_t> open;
        for (std::size_t module = begin; module < end; ++module) {
            leaveTo(open, modules_[module].depth, pass);
            enter(module, pass);
            open.push_back(module);
        }
        leaveTo(open, 0, pass);
    }

    /// Enters a module, then its parts from the last to the first.
    void backward(std::size_t module) {
        if (!modules_[module].inBackward) {
            return;
        }
        enter(module, TracePass::Backward);
        const bool isLayer = modules_[module].layer >= 0 && modules_[module].depth == kLayerDepth;
        const bool repeats = std::exchange(repeats_, false);
        if (repeats && partsOf(module).empty()) {
            recompute(module);
        } else {
            repeats_ = repeats || (recomputes_ && isLayer);
        }
        std::vector<std::size_t> parts = partsOf(module);
        std::reverse(parts.begin(), parts.end());
        for (const std::size_t part : parts) {
            backward(part);
        }
        if (modules_[module].leaves) {
            leave(module, TracePass::Backward);
        }
    }
    [[nodiscard]] std::vector<ModuleEvent> take() { return std::move(events_); }

private:
    static constexpr int kLayerDepth = 2;

    void enter(std::size_t module, TracePass pass) { events_.push_back({true, module, pass}); }
    void leave(std::size_t module, TracePass pass) { events_.push_back({false, module, pass}); }
    void leaveTo(std::vector<std::size_t>& open, int depth, TracePass pass) {
        while (!open.empty() && modules_[open.back()].depth >= depth) {
            leave(open.back(), pass);
            open.pop_back();
        }
    }
    [[nodiscard]] std::vector<std::size_t> partsOf(std::size_t module) const {
        std::vector<std::size_t> parts;
        const int depth = modules_[module].depth;
        for (std::size_t at = module + 1; at < modules_.size() && modules_[at].depth > depth;
             ++at) {
            if (modules_[at].depth == depth + 1) {
                parts.push_back(at);
            }
        }
        return parts;
    }
    /// From the layer's beginning up to `last`, which stops what it is part of too.
    void recompute(std::size_t last) {
        std::size_t first = last;
        while (modules_[first].depth > kLayerDepth) {
            --first;
        }
        std::vector<std::size_t> open;
        for (std::size_t module = first; module <= last; ++module) {
            leaveTo(open, modules_[module].depth, TracePass::Recompute);
            enter(module, TracePass::Recompute);
            open.push_back(module);
        }
    }

    const std::vector<ModuleWeights>& modules_;
    bool recomputes_;
    bool repeats_ = false;  ///< the layer at work has not been computed again yet
    std::vector<ModuleEvent> events_;
};

}  // namespace

ModuleTrace moduleTrace(const ModelWeights& model, bool recomputes) {
    TraceBuilder builder(model, recomputes);
    ModuleTrace trace;
    for (const ModuleWeights& module : model.modules) {
        trace.own.push_back(module.weights);
    }
    if (!model.modules.empty()) {
        builder.forward(0, model.modules.size(), TracePass::Forward);
        builder.backward(0);
    }
    trace.events = builder.take();
    return trace;
}

}  // namespace fabricast
