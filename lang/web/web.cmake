# The libraries of a build for the browser: headers alone, in a folder of their own, because the compiler has its own <stdlib.h>.
# Included by the top CMakeLists.txt in place of its find_package lines.

set(CMAKE_CXX_COMPILER_LAUNCHER "")
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")  # half the bytes of -O2
set(COLD_OPTIMIZATION -Oz)
set(CREDENCE_TESTS OFF CACHE BOOL "The tests of this build are those of build/release" FORCE)

set(headers ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${headers})
foreach(header boost/version.hpp fmt/format.h nlohmann/json.hpp tao/pegtl.hpp eigen3/Eigen/Core)
  string(MAKE_C_IDENTIFIER ${header} name)
  find_path(WEB_${name} ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  string(REGEX REPLACE "/.*" "" folder ${header})
  file(CREATE_LINK ${WEB_${name}}/${folder} ${headers}/${folder} SYMBOLIC)
endforeach()

foreach(library fmt::fmt nlohmann_json::nlohmann_json Threads::Threads Boost::headers Eigen3::Eigen)
  add_library(${library} INTERFACE IMPORTED)
  set_target_properties(${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${headers})
endforeach()
set_property(TARGET Eigen3::Eigen APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${headers}/eigen3)
set(PEGTL_INCLUDE ${headers})

add_compile_options(-fwasm-exceptions)
add_link_options(-fwasm-exceptions)
add_compile_definitions(FMT_HEADER_ONLY CREDENCE_WITHOUT_GMP CREDENCE_VERSION="${PROJECT_VERSION}")
