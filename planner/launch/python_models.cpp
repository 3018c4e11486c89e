#include "planner/launch/python_models.h"

#include "planner/launch/python_model_tracer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// "self.model" is the same in all methods.
void keepAttributes(const ModelNames& inside, ModelNames& names) {
    for (const auto& [name, ref] : inside) {
        if (name.starts_with("self.")) {
            names.insert_or_assign(name, ref);
        }
    }
}

}  // namespace

ModelTracer::ModelTracer(const PythonValues& program, const PythonCourse& course)
    : program_(program), words_(program.words()), course_(course) {
    for (PythonFunction& one : functionsOf(program)) {
        functions_.emplace(one.at, std::move(one));
    }
    for (const auto& [at, one] : functions_) {
        if (one.isClass) {
            classNames_.push_back(one.name);
            classes_.emplace(one.name, at);
        }
        if (one.isClass && one.bracket != 0 && extendsTrainer(one)) {
            trainers_.emplace(one.name, at);
        } else if (!one.isClass && !one.isMethod && !isDead(at)) {
            byName_.emplace(one.name, at);
        }
    }
}

PythonModels ModelTracer::read() {
    ModelNames& names = global_;
    run({0, words_.size()}, names);
    for (const auto& [at, one] : functions_) {
        if (!models_.trained && !one.isClass && !ran_.contains(at) && !isDead(at)) {
            ModelNames inside = names;
            for (const WordSpan& item : parametersOf(one)) {
                inside.erase(words_[item.begin].text);
            }
            run(one.body, inside);
            keepAttributes(inside, names);
        }
    }
    if (!models_.trained && optimized_) {
        models_.trained = optimized_;
        keepNamed(global_);
    }
    if (models_.trained && !isTraining_ && deedsBefore_) {
        leaveOutWhatFollows();
    }
    if (models_.trained) {
        runLosses();
        runSteps();
    }
    return std::move(models_);
}

void ModelTracer::leaveOutWhatFollows() {
    std::vector<ModelDeed>& deeds = models_.all[*models_.trained].deeds;
    deeds.resize(std::min(deeds.size(), *deedsBefore_));
    for (std::size_t i = modelsBefore_; i < models_.all.size(); ++i) {
        models_.all[i].isAfterwards = true;
    }
}

void ModelTracer::addDeed(ModelDeed::Kind kind,
                          const std::string& name,
                          const ModelRef& ref,
                          std::size_t at,
                          const WordSpan& said) {
    if (isTraining_ || ref.part.starts_with(kTrainerPart)) {
        return;
    }
    ModelDeed deed{
        .kind = kind, .name = name, .part = ref.part, .at = at, .said = said, .named = ref.named};
    for (const Around& one : around_) {
        deed.where.push_back(one.condition);
    }
    models_.all[ref.model].deeds.push_back(std::move(deed));
}

void ModelTracer::keepNamed(const ModelNames& names) {
    for (const auto& [name, ref] : names) {
        models_.all[ref.model].isKept = true;
    }
}

bool ModelTracer::isDead(std::size_t at) const {
    return course_.leavesOut(at);
}

bool ModelTracer::isEnd(std::size_t at) const {
    return at >= words_.size() || words_[at].kind == PythonWord::Kind::End;
}

bool ModelTracer::isSign(std::size_t at, std::string_view sign) const {
    return program_.isSign(at, sign);
}

std::size_t ModelTracer::behindWord(std::size_t at) const {
    return program_.isOpening(at) ? words_[at].close + 1 : at + 1;
}

std::size_t ModelTracer::placeOf(WordSpan span, std::string_view sign) const {
    while (span.begin < span.end && !isEnd(span.begin) && !isSign(span.begin, sign)) {
        span.begin = behindWord(span.begin);
    }
    return std::min(span.begin, span.end);
}

std::size_t ModelTracer::endOfStatement(std::size_t at) const {
    return placeOf({at, words_.size()}, ";");
}

std::vector<WordSpan> ModelTracer::partsOf(WordSpan span) const {
    if (isSign(span.begin, "(") && words_[span.begin].close + 1 == span.end) {
        return program_.itemsIn(span.begin);
    }
    std::vector<WordSpan> parts;
    while (span.begin < span.end) {
        const std::size_t comma = placeOf(span, ",");
        parts.push_back({span.begin, comma});
        span.begin = comma + 1;
    }
    return parts;
}

bool ModelTracer::extendsTrainer(const PythonFunction& one) const {
    return std::ranges::any_of(program_.itemsIn(one.bracket), [this](const WordSpan& base) {
        return program_.textOf(base).ends_with("Trainer");
    });
}

bool ModelTracer::isTrainer(const std::string& name) const {
    return name.ends_with("Trainer") || trainers_.contains(name);
}

std::vector<WordSpan> ModelTracer::parametersOf(const PythonFunction& one) const {
    return one.bracket == 0 ? std::vector<WordSpan>() : program_.itemsIn(one.bracket);
}

bool isModelClass(std::string_view called) {
    return called.find("Model") != std::string_view::npos ||
           called.find("ForCausalLM") != std::string_view::npos ||
           called.find("ForSequenceClassification") != std::string_view::npos ||
           called.find("ForTokenClassification") != std::string_view::npos;
}

PythonModels modelsOf(const PythonValues& program, const PythonCourse& course) {
    PythonModels models = ModelTracer(program, course).read();
    if (!models.trained && models.all.size() == 1) {
        models.trained = 0;
    }
    return models;
}

}  // namespace fabricast
