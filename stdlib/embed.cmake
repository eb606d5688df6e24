# Writes the library's .cred files into a C++ unit as raw strings. SCRIPTS, SOURCE_DIR and OUTPUT come from the command line.
set(text "#include \"stdlib/stdlib.hpp\"\n\nnamespace credence::std_ {\n\nstd::vector<lang::Prelude> embedded_preludes() {\n    return {\n")
foreach(script ${SCRIPTS})
  file(READ ${SOURCE_DIR}/${script} body)
  get_filename_component(name ${script} NAME_WE)
  string(APPEND text "        {\"${name}\", R\"CREDENCE(${body})CREDENCE\", true},\n")
endforeach()
string(APPEND text "    };\n}\n\n}  // namespace credence::std_\n")
file(WRITE ${OUTPUT} "${text}")
