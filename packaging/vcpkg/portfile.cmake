# An overlay port: vcpkg install looptree --overlay-ports=packaging/vcpkg, from a clone, whose sources it takes.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  store LOOPTREE_BUILD_STORE
  vision LOOPTREE_BUILD_VISION
  graph LOOPTREE_BUILD_GRAPH)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/looptree)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
