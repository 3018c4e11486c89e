#include "planner/load/said_sizes.h"

#include <optional>

namespace fabricast {
namespace {

/// What a model has; nothing where its architecture has no such number.
std::optional<std::int64_t> sizeIn(const ModelSpec& model, const std::string& name) {
    const bool isGrouped = model.attention.kind == AttentionKind::Grouped;
    if (name == "layers") {
        return model.layers;
    }
    if (name == "hidden") {
        return model.hidden;
    }
    if (name == "heads") {
        return model.attention.heads;
    }
    if (name == "kv_heads" && isGrouped) {
        return model.attention.kvHeads;
    }
    return name == "ffn_width" && !model.moe ? std::optional(model.mlp.width) : std::nullopt;
}

std::string worded(const ImportedSize& size) {
    const std::string count = std::to_string(size.value);
    return size.name == "hidden"      ? "hidden size " + count
           : size.name == "ffn_width" ? "FFN width " + count
           : size.name == "kv_heads"  ? count + " key-value heads"
                                      : count + " " + size.name;
}

}  // namespace

Result<void> checkSaidSizes(const std::vector<ImportedSize>& said, const ModelSpec& model) {
    std::string files;
    std::string models;
    std::string where;
    for (const ImportedSize& one : said) {
        const std::optional<std::int64_t> own = sizeIn(model, one.name);
        if (!own || *own <= 0 || *own == one.value) {
            continue;
        }
        where = where.empty() ? one.where : where;
        files += (files.empty() ? "" : ", ") + worded(one);
        models += (models.empty() ? "" : ", ") + worded({one.name, *own, ""});
    }
    return where.empty()
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      where,
                      "the file trains " + files + ", and " + model.name + " has " + models,
                      "-m with the model that the file trains, or the sizes of " + model.name +
                          " in the file");
}

}  // namespace fabricast
