#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// A set of a few names in alphabetical order. Copies share their names until one of them changes,
/// so that values with such sets are cheap to copy.
///     NameSet modules = {"core_attn", "mlp"};
///     modules.contains("mlp")
class NameSet {
public:
    using value_type = std::string;
    using const_iterator = std::vector<std::string>::const_iterator;

    NameSet() = default;
    NameSet(std::initializer_list<std::string> names) {
        for (const std::string& name : names) {
            insert(name);
        }
    }

    void insert(std::string name) {
        std::vector<std::string> names = names_ ? *names_ : std::vector<std::string>();
        const auto place = std::lower_bound(names.begin(), names.end(), name);
        if (place == names.end() || *place != name) {
            names.insert(place, std::move(name));
            names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
        }
    }
    [[nodiscard]] bool contains(std::string_view name) const {
        return std::find(begin(), end(), name) != end();
    }
    [[nodiscard]] std::size_t size() const { return names_ ? names_->size() : 0; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] const_iterator begin() const {
        return names_ ? names_->begin() : const_iterator();
    }
    [[nodiscard]] const_iterator end() const { return names_ ? names_->end() : const_iterator(); }

    friend bool operator==(const NameSet& a, const NameSet& b) {
        return a.names_ == b.names_ || std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace fabricast
