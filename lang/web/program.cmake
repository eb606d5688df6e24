# The program of the page: what it is asked comes as JSON, and so do its answers.

set(REPORT ${CMAKE_SOURCE_DIR}/lang/cli/report)
set(LSP ${CMAKE_SOURCE_DIR}/lang/cli/lsp)
file(GLOB WEB_SOURCES CONFIGURE_DEPENDS lang/web/*.cpp)
add_executable(credence ${WEB_SOURCES}
  ${REPORT}/drawings.cpp ${REPORT}/html.cpp ${REPORT}/math_html.cpp ${REPORT}/model_html.cpp ${REPORT}/page.cpp ${REPORT}/prose.cpp
  ${REPORT}/style.cpp ${REPORT}/value_html.cpp
  ${LSP}/completion.cpp ${LSP}/describe.cpp ${LSP}/diagnostics.cpp ${LSP}/document.cpp ${LSP}/format.cpp ${LSP}/hover.cpp
  ${LSP}/text_map.cpp)
set_target_properties(credence PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/site)
target_precompile_headers(credence REUSE_FROM credence_lang)
target_link_libraries(credence PRIVATE credence_stdlib)
# Files are in memory alone. A request for more memory than 1 GB fails, and the script is told so.
target_link_options(credence PRIVATE -Oz -sMODULARIZE=1 -sEXPORT_NAME=credence -sENVIRONMENT=web,worker,node -sDYNAMIC_EXECUTION=0
  -sFORCE_FILESYSTEM=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=1GB -sTOTAL_STACK=16MB -sSTACK_OVERFLOW_CHECK=0 -sINVOKE_RUN=0
  -sEXPORTED_FUNCTIONS=_credence_ask,_malloc,_free -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,allocateUTF8)
