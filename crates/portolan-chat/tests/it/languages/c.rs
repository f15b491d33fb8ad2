//! Tests where includes of C and C++ lead.

use portolan_testkit::{check_edges, check_targets};

#[test]
fn an_include_leads_beside_the_file_first() {
    check_edges(
        "//- src/a.c\n#include \"b.h\"\n#include <stdio.h>\n#include <zlib.h>\n//- src/b.h\n#include \"sub/c.hpp\"\n\
         //- src/sub/c.hpp\n//- b.h\n//- include/b.h\n",
        &[
            "src/a.c -> c:stdio.h runtime",
            "src/a.c -> src/b.h runtime",
            "src/a.c -> zlib.h runtime",
            "src/b.h -> src/sub/c.hpp runtime",
        ],
    );
}

#[test]
fn build_files_tell_where_headers_are() {
    let make = "//- src/Makefile\nCFLAGS=-I../deps/x/include\n//- src/a.c\n#include <x.h>\n//- deps/x/include/x.h\n//- deps/y/x.h\n";
    check_targets(make, "src/a.c", "deps/x/include/x.h");
    let cmake = "//- CMakeLists.txt\ntarget_include_directories(a PRIVATE ${PROJECT_SOURCE_DIR}/two)\n\
         //- a.cpp\n#include \"h.hpp\"\n//- one/h.hpp\n//- two/h.hpp\n";
    check_targets(cmake, "a.cpp", "two/h.hpp");
}

#[test]
fn otherwise_the_name_tells_unless_it_is_of_several() {
    check_targets(
        "//- src/a.c\n#include \"lib/x.h\"\n//- deps/lib/x.h\n",
        "src/a.c",
        "deps/lib/x.h",
    );
    check_targets("//- src/a.c\n#include \"x.h\"\n//- p/x.h\n//- q/x.h\n", "src/a.c", "?x.h");
    check_targets(
        "//- a/src/a.c\n#include <a/x.h>\n//- a/include/a/x.h\n//- b/include/a/x.h\n",
        "a/src/a.c",
        "a/include/a/x.h",
    );
    // The platform's own header is not a library's of the same name.
    check_targets("//- src/a.c\n#include <string.h>\n//- lib/string.h\n", "src/a.c", "c:string.h");
}
