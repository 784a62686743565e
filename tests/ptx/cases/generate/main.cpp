// ptx_case_texts DIR: writes the cases of the PTX corpus. Their expected values are computed here, from what the PTX ISA says of each
// instruction, with nothing of ours.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/ptx/cases/generate/case_text.hpp"

int main(int argc, char** argv) {
  using namespace lockstep::ptx_cases;
  if (argc != 2) {
    std::cerr << "usage: ptx_case_texts DIR\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder / "refused");
  for (const auto family : {integer_cases, bit_cases, float_cases, approximate_cases, conversion_cases, half_cases, move_cases,
                            memory_cases, control_cases, collective_cases, atomic_cases, refused_cases}) {
    for (const CaseText& text : family()) {
      std::ofstream(folder / (text.file + ".ptx")) << text_of(text);
    }
  }
  return 0;
}
