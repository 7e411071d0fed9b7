# cmake -DNPM=... -DNODE=... -DSOURCE=... -DWORK=... -DOUT=... -P build.cmake
# Installs what package-lock.json names into WORK and bundles the pages into OUT. Where that cannot
# be done (no network, say) the build goes on, with a function that says so.
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${WORK})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${WORK})
execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${WORK}
                RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT failed)
  execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${OUT} ${WORK}/node_modules
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
endif()
if(failed)
  message(WARNING "looptree report and looptree view are left out, since their pages could not be bundled:\n${said}")
  configure_file(${SOURCE}/no_page.cpp ${OUT} COPYONLY)
endif()
