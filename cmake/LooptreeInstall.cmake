# `find_package(looptree)`: exported targets, a version file, and headers without the private ones.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(looptree_exported GLOBAL PROPERTY LOOPTREE_EXPORTED)
install(TARGETS ${looptree_exported} EXPORT looptree
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
install(DIRECTORY looptree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp" PATTERN "detail" EXCLUDE
        REGEX "looptree/index/(core|kernels|frames|search|tree|snapshot)(/|$)" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/looptree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp")
install(EXPORT looptree NAMESPACE looptree:: FILE looptree-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/looptree COMPONENT dev)
configure_package_config_file(
  cmake/looptree-config.cmake.in ${PROJECT_BINARY_DIR}/looptree-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/looptree)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/looptree-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/looptree-config.cmake
              ${PROJECT_BINARY_DIR}/looptree-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/looptree COMPONENT dev)
include(LooptreePkgConfig)
