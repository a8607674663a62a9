#include "engine/ranks_command.hpp"

#include <gtest/gtest.h>

#include "request_maker.hpp"

namespace {

using namespace peal::launcher;

TEST(ranks_command, is_the_program_itself_where_nothing_else_is_asked) {
  EXPECT_EQ(ranks_command(program(2, "solver", {"a b", ""})), (words{"/bin/solver", "a b", ""}));
}

TEST(ranks_command, gives_folder_and_variables_by_env) {
  application what = program(2, "solver");
  what.folder = "/data/./run";
  what.variables = {{"A", "1"}, {"B", "x=y z"}};
  EXPECT_EQ(ranks_command(what),
            (words{"env", "--chdir=/data/run", "A=1", "B=x=y z", "/bin/solver"}));
}

TEST(ranks_command, does_not_let_env_take_a_program_for_a_variable) {
  application what = program(1, "a=b", {"x"});
  what.variables = {{"A", "1"}};
  EXPECT_EQ(ranks_command(what),
            (words{"env", "A=1", "sh", "-c", "exec \"$0\" \"$@\"", "/bin/a=b", "x"}));
}

TEST(ranks_command, of_several_programs_chooses_by_rank) {
  application second = program(2, "worker", {"it's", "%t"});
  second.variables = {{"LEVEL", "2"}};
  EXPECT_EQ(ranks_command({program(1, "server"), second, program(3, "rest")}, "RANK"),
            (words{"sh", "-c",
                   "[ \"$RANK\" -lt 1 ] && exec env PEALRUN_APPNUM=0 /bin/server; "
                   "[ \"$RANK\" -lt 3 ] && exec env LEVEL=2 PEALRUN_APPNUM=1 /bin/worker "
                   "'it'\\''s' %t; exec env PEALRUN_APPNUM=2 /bin/rest"}));
}

TEST(ranks_command, as_text_is_quoted_where_a_shell_needs_it) {
  EXPECT_EQ(shell_text({"a", "b c", "", "$x", "it's", "--x=/y:1,2"}),
            "a 'b c' '' '$x' 'it'\\''s' --x=/y:1,2");
  EXPECT_EQ(shell_text({"x@y,z", "{1,2}", "*"}), "x@y,z '{1,2}' '*'");
}

}  // namespace
