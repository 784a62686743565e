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
  out.functions.push_back(module.head(kernel, true));
  translation::translate_function(kernel, {true, true}, {}, 0, out, module, emitter);
  for (std::size_t next = 0; next < module.called().size(); ++next) {
    const translation::Called called = module.called()[next];
    const Function& function = program.functions[called.id];
    out.functions.push_back(module.head(function, called.gives_value));
    translation::translate_function(function, {false, called.gives_value}, poison[called.id], static_cast<typed::FunctionId>(next + 1), out,
                                    module, emitter);
  }
  emitter.finish();
  return out;
}

}  // namespace lockstep::core
