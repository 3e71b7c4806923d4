# The build rules of the whole tree, wrapped once.
#
#   belfry_tablegen(<name> <file.td> <generator>:<output>[:<option>] …)   mlir-tblgen into the build tree
#   belfry_compiler_library(<name> SOURCES … [DEPENDS …] [LINK …])    a static library against MLIR
#   belfry_runtime_library(<name> SOURCES … [LINK …])                 a static library that knows no LLVM

# Debian keeps each LLVM under its own prefix.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLVM REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, but Belfry needs LLVM 22; set LLVM_DIR and MLIR_DIR")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(Threads REQUIRED)

add_library(belfry_warnings INTERFACE)
target_compile_options(belfry_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter -Wimplicit-fallthrough
                                                 -fno-strict-aliasing -ffp-contract=off)
if(BELFRY_SANITIZE)
  add_compile_options(-fsanitize=${BELFRY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  # Debian's LLVM is not instrumented, which container checks and vptr checks take amiss.
  add_compile_options(-fno-sanitize=vptr,function)
  add_link_options(-fsanitize=${BELFRY_SANITIZE})
endif()

add_library(belfry_llvm INTERFACE)
target_include_directories(belfry_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_include_directories(belfry_llvm INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR})
target_compile_definitions(belfry_llvm INTERFACE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS _GNU_SOURCE)
target_link_libraries(belfry_llvm INTERFACE MLIR LLVM Threads::Threads)
# The compiler's own code is glue around MLIR's libraries: -O1 builds in half the time and compiles models as fast. What
# computes (the reference interpreter) asks for more in its CMakeLists.txt.
target_compile_options(belfry_llvm INTERFACE $<$<CONFIG:Release>:-O1>)

# One precompiled header serves every compiler library: a file that includes linalg takes a third of the time with it.
file(WRITE ${CMAKE_BINARY_DIR}/pch/empty.cpp "")
add_library(belfry_pch OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cpp)
target_link_libraries(belfry_pch PRIVATE belfry_llvm belfry_warnings)
target_precompile_headers(belfry_pch PRIVATE ${CMAKE_SOURCE_DIR}/lib/Precompiled.h)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(belfry_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endif()

set(BELFRY_TABLEGEN_FLAGS -I ${CMAKE_SOURCE_DIR} -I ${CMAKE_BINARY_DIR})

# belfry_tablegen(target file.td -gen-op-decls:NnOps.h.inc -gen-op-defs:NnOps.cpp.inc …)
# A generator may carry further options after the output name, separated by ':'.
function(belfry_tablegen target td)
  set(outputs)
  file(GLOB_RECURSE deps ${CMAKE_CURRENT_SOURCE_DIR}/*.td ${CMAKE_SOURCE_DIR}/dialects/*.td)
  foreach(spec ${ARGN})
    string(REPLACE ":" ";" parts ${spec})
    list(GET parts 0 generator)
    list(GET parts 1 output)
    list(REMOVE_AT parts 0 1)
    set(extra ${parts})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${MLIR_TABLEGEN_EXE} ${generator} ${extra} ${CMAKE_CURRENT_SOURCE_DIR}/${td} -I ${CMAKE_SOURCE_DIR}
              -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} -o ${out} --write-if-changed
      DEPENDS ${deps}
      COMMENT "tablegen ${output}"
      VERBATIM)
    list(APPEND outputs ${out})
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()

function(belfry_compiler_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC belfry_llvm ${A_LINK})
  target_link_libraries(${name} PRIVATE belfry_warnings)
  target_precompile_headers(${name} REUSE_FROM belfry_pch)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${name} PRIVATE -fno-rtti)
  endif()
  if(A_DEPENDS)
    add_dependencies(${name} ${A_DEPENDS})
  endif()
endfunction()

function(belfry_runtime_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC Threads::Threads ${A_LINK})
  target_link_libraries(${name} PRIVATE belfry_warnings)
endfunction()
