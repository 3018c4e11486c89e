#include "planner/request/settings_json.h"

#include "planner/spec/setting_fields.h"
#include "planner/spec/setting_names.h"
#include "planner/text/json_builder.h"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>
#include <utility>

namespace fabricast {
namespace {

/// Turns into whatever a member of a struct is initialised from.
struct Anything {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor)
};

/// How many members an aggregate has: the most initialisers it takes.
template <class T, class... Initialisers>
constexpr std::size_t memberCount() {
    if constexpr (requires { T{Initialisers{}..., Anything{}}; }) {
        return memberCount<T, Initialisers..., Anything>();
    } else {
        return sizeof...(Initialisers);
    }
}

/// The table of a group, and of the groups within it, has a row for each member.
template <class Group>
void expectARowForEachMember(const Group& group) {
    std::size_t rows = 0;
    fieldsOf(group, [&rows](const auto&) { ++rows; });
    EXPECT_EQ(rows, memberCount<Group>()) << "planner/spec/setting_fields.h";
    eachField(group, [](const auto&, const auto& member) {
        if constexpr (SettingGroup<std::remove_cvref_t<decltype(member)>>) {
            expectARowForEachMember(member);
        }
    });
}

// A new setting needs a row: only then can a scenario set it.
TEST(SettingFields, EverySettingHasARow) {
    expectARowForEachMember(Settings{});
}

std::string written(const Settings& settings) {
    JsonText json;
    json.beginObject();
    writeSettings(json, "settings", settings);
    json.end();
    return std::move(json).finish();
}

Result<Settings> applied(const std::string& text) {
    const auto root = parseJson(text, "s.json");
    return root ? applySettings(*root, Settings{}) : tl::unexpected(root.error());
}

/// Values to try, joined by bars.
std::string candidatesOf(const SettingHelp& setting) {
    if (setting.values == "number") {
        return "1|0.5|2|0|65536";
    }
    if (setting.values == "word+word") {
        return "mlp+core_attn";
    }
    return setting.path == "settings.train" ? "all|last:2|norms|no_embedding" : setting.values;
}

TEST(SettingsJson, EverySettingCanBeSaidAndIsReadBack) {
    const std::string defaults = written(Settings{});
    for (const SettingHelp& setting : describeSettings()) {
        bool changed = false;
        std::string candidates = candidatesOf(setting);
        while (!candidates.empty()) {
            const std::size_t bar = candidates.find('|');
            const std::string value = candidates.substr(0, bar);
            candidates = bar == std::string::npos ? "" : candidates.substr(bar + 1);
            const JsonBuilder flag("--set");
            const auto root =
                flag.with(flag.object(), setting.path, *parseJsonArgument(value, "--set"));
            ASSERT_TRUE(root);
            const auto settings = applySettings(*root->find("settings"), Settings{});
            if (!settings) {
                EXPECT_EQ(setting.values, "number") << settings.error().text();
                continue;
            }
            const std::string text = written(*settings);
            changed = changed || text != defaults;
            const auto again = parseJson(text, "out");
            EXPECT_EQ(written(*applySettings(*again->find("settings"), Settings{})), text);
        }
        EXPECT_TRUE(changed) << setting.path;
    }
}

TEST(SettingsJson, OnlyWhatIsSaidChanges) {
    const auto settings =
        applied(R"({"precision": {"reduce": "bf16"}, "kernels": {"loss_chunks": 4}})");
    ASSERT_TRUE(settings) << settings.error().text();
    EXPECT_EQ(settings->precision.reduce, Dtype::Bf16);
    EXPECT_EQ(settings->precision.gradients, Dtype::Fp32);
    EXPECT_EQ(settings->kernels.lossChunks, 4);
}

TEST(SettingsJson, ErrorsNameThePlaceAndTheNearestWord) {
    EXPECT_EQ(applied("{\n \"precison\": {}}").error().text(),
              "s.json:2:2: unknown key \"precison\" (did you mean \"precision\"?)");
    EXPECT_EQ(applied(R"({"precision": {"reduce": "bf61"}})").error().text(),
              "s.json:1:26: \"reduce\" cannot be \"bf61\" (did you mean \"bf16\"?)");
    EXPECT_EQ(applied(R"({"kernels": {"dropout": 2}})").error().why,
              "\"dropout\" is out of range at 2: from 0 to 1");
    EXPECT_EQ(applied(R"({"engine": {}})").error().why,
              "\"engine\" must be a string, not an object");
    EXPECT_EQ(applied(R"({"recompute": {"modules": ["a b"]}})").error().why,
              "\"modules\" must be a list of words");
}

}  // namespace
}  // namespace fabricast
