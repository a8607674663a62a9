#include <gtest/gtest.h>
#include <mpi.h>

#include "../support/modelled_objects.hpp"

namespace {

int deletes = 0;
int count_delete(MPI_Comm, int, void*, void* extra_state) {
  deletes += *static_cast<int*>(extra_state);
  return MPI_SUCCESS;
}
int refuse_delete(MPI_Comm, int, void*, void*) { return MPI_ERR_ACCESS; }

class comm_attribute_calls : public testing::Test {
 protected:
  comm_attribute_calls() {
    deletes = 0;
    objects_.other.errhandler = MPI_ERRORS_RETURN;
  }
  peal::mpi::modelled_objects objects_;
  const MPI_Comm comm_ = objects_.other_handle;
  int state_ = 1, value_ = 0, key_ = MPI_KEYVAL_INVALID, found_ = 0;
  void* got_ = nullptr;
};

TEST_F(comm_attribute_calls, store_a_value_and_tell_it) {
  ASSERT_EQ(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_delete, &key_, &state_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_get_attr(comm_, key_, &got_, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 0);
  EXPECT_EQ(MPI_Comm_set_attr(comm_, key_, &value_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_get_attr(comm_, key_, &got_, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 1);
  EXPECT_EQ(got_, &value_);
  EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_SELF, key_, &got_, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 0) << "another communicator";
  EXPECT_EQ(MPI_Comm_delete_attr(comm_, key_), MPI_SUCCESS);
  EXPECT_EQ(deletes, 1);
  EXPECT_EQ(MPI_Comm_free_keyval(&key_), MPI_SUCCESS);
  EXPECT_EQ(key_, MPI_KEYVAL_INVALID);
}

TEST_F(comm_attribute_calls, the_names_of_mpi_1_do_the_same) {
  ASSERT_EQ(MPI_Keyval_create(MPI_DUP_FN, count_delete, &key_, &state_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Attr_put(comm_, key_, &value_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Attr_get(comm_, key_, &got_, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 1);
  EXPECT_EQ(got_, &value_);
  EXPECT_EQ(MPI_Attr_delete(comm_, key_), MPI_SUCCESS);
  EXPECT_EQ(deletes, 1);
  EXPECT_EQ(MPI_Keyval_free(&key_), MPI_SUCCESS);
  EXPECT_EQ(key_, MPI_KEYVAL_INVALID);
}

TEST_F(comm_attribute_calls, a_delete_that_is_refused_gives_the_code_of_the_program) {
  ASSERT_EQ(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, refuse_delete, &key_, nullptr), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_attr(comm_, key_, &value_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_delete_attr(comm_, key_), MPI_ERR_ACCESS);
  EXPECT_EQ(MPI_Comm_get_attr(comm_, key_, &got_, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 1);
  MPI_Comm_free_keyval(&key_);
}

TEST_F(comm_attribute_calls, predefined_attributes_are_pointers_to_integers) {
  int* told = nullptr;
  EXPECT_EQ(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &told, &found_), MPI_SUCCESS);
  EXPECT_EQ(found_, 1);
  ASSERT_NE(told, nullptr);
  EXPECT_GE(*told, 32767);
  EXPECT_EQ(MPI_Comm_get_attr(MPI_COMM_NULL, MPI_TAG_UB, &told, &found_), MPI_ERR_COMM);
  int key = MPI_TAG_UB;
  EXPECT_EQ(MPI_Comm_set_attr(comm_, MPI_TAG_UB, &value_), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_delete_attr(comm_, MPI_TAG_UB), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
  EXPECT_EQ(key, MPI_TAG_UB);
}

TEST_F(comm_attribute_calls, wrong_arguments_are_refused) {
  EXPECT_EQ(MPI_Comm_create_keyval(nullptr, nullptr, nullptr, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_free_keyval(nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_free_keyval(&key_), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_set_attr(comm_, MPI_KEYVAL_INVALID, &value_), MPI_ERR_KEYVAL);
  ASSERT_EQ(MPI_Comm_create_keyval(nullptr, nullptr, &key_, nullptr), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_NULL, key_, &value_), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Comm_get_attr(comm_, key_, nullptr, &found_), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Comm_get_attr(comm_, key_, &got_, nullptr), MPI_ERR_ARG);
  MPI_Comm_free_keyval(&key_);
}

}  // namespace
