# cmake -DMODE=subdirectory|package -DSOURCE=... -DWORK=... [-DBUILD=...] -P run_consumer.cmake
#
# subdirectory: looptree is part of the consumer's own build, as a shared library. package: it is installed from the
# build folder BUILD, which may be that of such a consumer, and found there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(options -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
if(MODE STREQUAL subdirectory)
  list(APPEND options -DLOOPTREE_SOURCE=${SOURCE} -DLOOPTREE_INSTALL=ON -DBUILD_SHARED_LIBS=ON)
else()
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/build ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
