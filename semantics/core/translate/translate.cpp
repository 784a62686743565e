#include "semantics/core/translate.hpp"

#include <vector>

#include "semantics/core/translate/arguments.hpp"
#include "semantics/core/translate/emitter.hpp"
#include "semantics/core/translate/module.hpp"
#include "semantics/core/translate/statements.hpp"

namespace lockstep::core {

typed::Program translate(const Program& program, const Function& kernel) {
  typed::Program out;
  out.source = program.source;
  out.wg_size = program.options.wg_size;
  translation::Module module(program, out);
  translation::Emitter emitter(out);
  const std::vector<std::vector<bool>> poison = translation::poison_parameters(program, kernel);
  out.functions.push_back(module.head(kernel));
  translation::translate_function(kernel, true, {}, 0, out, module, emitter);
  for (std::size_t next = 0; next < module.called().size(); ++next) {
    const FunctionId id = module.called()[next];
    const Function& function = program.functions[id];
    out.functions.push_back(module.head(function));
    translation::translate_function(function, false, poison[id], static_cast<typed::FunctionId>(next + 1), out, module, emitter);
  }
  emitter.finish();
  return out;
}

}  // namespace lockstep::core
