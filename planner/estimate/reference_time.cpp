#include "planner/estimate/reference_time.h"

namespace fabricast {

std::string referenceTimeNote(const Settings& settings) {
    if (settings.reference == Reference::None) {
        return {};
    }
    if (settings.timesReference()) {
        return "the step has the forward of the reference model, and no generation of samples";
    }
    if (!settings.referenceModel.forward) {
        return "the step has no forward of the average of the weights; what its update takes is "
               "not modelled";
    }
    const std::string why =
        settings.referenceModel.parameters > 0 ? "of another size" : "whose products are in fp32";
    return "the step has no forward of the second model: the time of one " + why +
           " is not modelled, and the step is longer";
}

}  // namespace fabricast
