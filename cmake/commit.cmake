# cmake -DSOURCE=... -DOUT=... -P commit.cmake: writes the commit being built into a header, and
# leaves the file alone if nothing changed, so that nothing is rebuilt for it.
cmake_minimum_required(VERSION 3.22)
set(commit unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define LOOPTREE_COMMIT \"@commit@\"\n" @ONLY)
