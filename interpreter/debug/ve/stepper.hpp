#pragma once
// The debugger behind `lockstep step` for VE: executes commands, forwards and backwards (docs/ve.md). Its commands are those of the other
// steppers wherever there is the same thing to do.

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/debug/launch_stepper.hpp"
#include "interpreter/debug/ve/history.hpp"
#include "interpreter/debug/ve/stops.hpp"

namespace lockstep {

/// The commands of LaunchStepper and those below.
class VeStepper : public LaunchStepper<VeStepper, VeHistory, VeExpression> {
 public:
  /// A call at its start; answers go to `out`. The error is a sentence about the object.
  static std::expected<std::unique_ptr<VeStepper>, std::string> make(VeProgram program, const ve_machine::Arguments& arguments,
                                                                     const VeRun::Options& options, std::ostream& out);

  /// One line about the call, and where control is.
  void greet();

 private:
  VeStepper(const std::shared_ptr<const VeProgram>& program, const ve_machine::Arguments& arguments, const VeRun::Options& options,
            std::ostream& out)
      : LaunchStepper(out, program, arguments, options), program_(program) {}

  friend StepperCommands;
  friend LaunchStepper;
  static constexpr std::string_view lane_word = "element";
  static const std::vector<Command>& commands();

  // Moving and breakpoints.
  bool until(std::string_view arguments);
  bool told_step();
  std::string undone_text(std::uint64_t step);
  Until another_line();
  void tell_place();
  static std::string who_text(unsigned lane);
  static std::string value_text(const KernelValue& value) { return text_of(value); }
  static std::string race_text(const VeRun::Race&) { return {}; }
  bool watch(std::string_view arguments);
  bool add_break(std::string_view arguments, bool temporary);
  std::vector<VeProgram::Place> places_named(std::string_view word);
  void info_watch();

  // Showing (stepper_show.cpp).
  bool info(std::string_view arguments);
  bool list(std::string_view arguments);
  bool explain(std::string_view arguments);
  bool where(std::string_view arguments);
  bool print_value(std::string_view arguments);
  bool memory(std::string_view arguments);
  void info_registers();
  void info_vectors();
  void info_masks();
  void info_line();
  void print_one(const VeExpression& e, std::string_view name);
  void print_elements(std::string_view text, std::size_t bracket, std::size_t end, std::uint64_t first, std::uint64_t last);
  void show_cells(std::string_view name, const std::vector<std::string>& texts, std::uint64_t first);

  VeView view() const { return VeView(history_.run()); }
  VeMoment moment() const { return {view(), history_.position()}; }
  std::string place_text(VeProgram::Place place) const;   // "saxpy+0x38: vld …"
  std::string source_text(VeProgram::Place place) const;  // "saxpy.c:8: …", or nothing
  const VeProgram& program() const { return *program_; }
  std::optional<VeExpression> parse_expression(std::string_view text);

  std::shared_ptr<const VeProgram> program_;
};

}  // namespace lockstep
