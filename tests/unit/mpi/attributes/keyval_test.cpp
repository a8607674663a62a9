#include "mpi/attributes/keyval.hpp"

#include <gtest/gtest.h>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

int add_state(MPI_Comm, int, void* extra_state, void* in, void* out, int* wanted) {
  *static_cast<void**>(out) = static_cast<char*>(in) + *static_cast<int*>(extra_state);
  *wanted = 1;
  return MPI_SUCCESS;
}
int count_down(MPI_Comm, int, void* value, void*) {
  return --*static_cast<int*>(value) >= 0 ? MPI_SUCCESS : MPI_ERR_ACCESS;
}

TEST(keyval, numbers_are_none_of_the_standard_and_never_come_back) {
  const int first = make_keyval(keyval_functions<MPI_Comm>{}, nullptr);
  EXPECT_GT(first, MPI_WIN_MODEL);
  free_keyval<MPI_Comm>(first);
  const int second = make_keyval(keyval_functions<MPI_Comm>{}, nullptr);
  EXPECT_NE(first, second);
  free_keyval<MPI_Comm>(second);
}

TEST(keyval, may_be_freed_again_while_attributes_have_it) {
  const int number = make_keyval(keyval_functions<MPI_Comm>{}, nullptr);
  auto kept = keyval_of<MPI_Comm>(number);
  free_keyval<MPI_Comm>(number);
  EXPECT_EQ(class_thrown_by([&] { free_keyval<MPI_Comm>(number); }), MPI_SUCCESS);
  EXPECT_EQ(class_thrown_by([&] { free_keyval<MPI_Datatype>(number); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(class_thrown_by([&] { (void)keyval_of<MPI_Comm>(number); }), MPI_ERR_KEYVAL);
  kept.reset();
  EXPECT_EQ(class_thrown_by([&] { free_keyval<MPI_Comm>(number); }), MPI_ERR_KEYVAL);
}

TEST(keyval, calls_the_functions_of_the_program_with_its_state) {
  int state = 3, uses = 1;
  char text[8] = {};
  const int number = make_keyval(keyval_functions<MPI_Comm>{add_state, count_down}, &state);
  const auto key = keyval_of<MPI_Comm>(number);
  void* copied = nullptr;
  EXPECT_TRUE(key->copy(MPI_COMM_SELF, text, copied));
  EXPECT_EQ(copied, text + 3);
  key->remove(MPI_COMM_SELF, &uses);
  EXPECT_EQ(uses, 0);
  EXPECT_EQ(class_thrown_by([&] { key->remove(MPI_COMM_SELF, &uses); }), MPI_ERR_ACCESS);
  free_keyval<MPI_Comm>(number);
}

TEST(keyval, the_functions_of_the_standard_copy_the_value_or_nothing) {
  int value = 0;
  void* copied = nullptr;
  const keyval dup{5000, keyval_functions<MPI_Comm>{MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN},
                   nullptr};
  EXPECT_TRUE(dup.copy(MPI_COMM_SELF, &value, copied));
  EXPECT_EQ(copied, &value);
  EXPECT_EQ(class_thrown_by([&] { dup.remove(MPI_COMM_SELF, &value); }), MPI_SUCCESS);
  const keyval none{5000, keyval_functions<MPI_Comm>{MPI_COMM_NULL_COPY_FN, nullptr}, nullptr};
  EXPECT_FALSE(none.copy(MPI_COMM_SELF, &value, copied));
  const keyval of_type{5000, keyval_functions<MPI_Datatype>{MPI_TYPE_DUP_FN, nullptr}, nullptr};
  EXPECT_TRUE(of_type.copy(MPI_INT, &value, copied));
}

TEST(keyval, what_is_no_key_for_this_kind_of_objects_is_refused) {
  const int number = make_keyval(keyval_functions<MPI_Comm>{}, nullptr);
  EXPECT_EQ(class_thrown_by([&] { (void)keyval_of<MPI_Datatype>(number); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(class_thrown_by([&] { free_keyval<MPI_Datatype>(number); }), MPI_ERR_KEYVAL);
  free_keyval<MPI_Comm>(number);
  for (const int wrong : {number, MPI_KEYVAL_INVALID + 0, MPI_TAG_UB + 0, -1, 1 << 30})
    EXPECT_EQ(class_thrown_by([&] { free_keyval<MPI_Comm>(wrong); }), MPI_ERR_KEYVAL);
}

}  // namespace
