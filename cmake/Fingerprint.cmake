# cmake -D SOURCES=LIST.txt -D OUTPUT=FILE.cpp -D VERSION=V -D SETTINGS=TEXT -P Fingerprint.cmake
# Writes a file that defines what codegen/compile/fingerprint.hpp declares, from the contents of the sources that LIST.txt names.

file(STRINGS "${SOURCES}" sources)
set(hashes "${SETTINGS}")
foreach(source IN LISTS sources)
  file(SHA256 "${source}" hash)
  string(APPEND hashes "\n${hash}")
endforeach()
string(SHA256 hash "${hashes}")
file(WRITE "${OUTPUT}" "#include \"codegen/compile/fingerprint.hpp\"\n\n"
                       "const std::string_view lockstep::compiler_fingerprint = \"${VERSION} ${hash}\";\n")
