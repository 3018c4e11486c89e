# The charts: their tests, and a program that paints each of them to look at.
add_library(fabricast_sample_charts STATIC gui/charts/sample_charts.cpp gui/charts/all_charts.cpp)
target_link_libraries(fabricast_sample_charts PUBLIC fabricast_options fabricast_gui_charts)
fabricast_test(gui/charts LIBS fabricast_sample_charts Qt6::Test)
target_sources(test_gui_charts PRIVATE gui/charts/charts_main.cpp)
add_executable(charts_gallery gui/charts/gallery.cpp)
target_link_libraries(charts_gallery PRIVATE fabricast_sample_charts)
add_test(NAME gui.charts.gallery COMMAND charts_gallery "${CMAKE_CURRENT_BINARY_DIR}/charts_gallery_files")
set_tests_properties(gui.charts.gallery PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
