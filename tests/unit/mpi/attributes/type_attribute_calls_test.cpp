#include <gtest/gtest.h>
#include <mpi.h>

#include "../support/modelled_objects.hpp"

namespace {

int deletes = 0;
int count_delete(MPI_Datatype, int, void*, void*) {
  ++deletes;
  return MPI_SUCCESS;
}

TEST(type_attribute_calls, store_a_value_until_it_is_deleted) {
  const peal::mpi::modelled_objects objects;
  const MPI_Datatype type = objects.type_handle;
  int key = MPI_KEYVAL_INVALID, found = 1, value = 0;
  void* got = nullptr;
  deletes = 0;
  ASSERT_EQ(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_delete, &key, nullptr), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_get_attr(type, key, &got, &found), MPI_SUCCESS);
  EXPECT_EQ(found, 0);
  EXPECT_EQ(MPI_Type_set_attr(type, key, &value), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_get_attr(type, key, &got, &found), MPI_SUCCESS);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(got, &value);
  EXPECT_EQ(MPI_Type_delete_attr(type, key), MPI_SUCCESS);
  EXPECT_EQ(deletes, 1);
  EXPECT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  EXPECT_EQ(key, MPI_KEYVAL_INVALID);
}

TEST(type_attribute_calls, keys_of_communicators_and_what_is_no_type_are_refused) {
  const peal::mpi::modelled_objects objects;
  int key = MPI_KEYVAL_INVALID, of_comm = MPI_KEYVAL_INVALID, value = 0, found = 0;
  ASSERT_EQ(MPI_Type_create_keyval(nullptr, nullptr, &key, nullptr), MPI_SUCCESS);
  ASSERT_EQ(MPI_Comm_create_keyval(nullptr, nullptr, &of_comm, nullptr), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, &value), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_set_attr(objects.type_handle, of_comm, &value), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, key, &value), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Type_get_attr(objects.type_handle, MPI_TAG_UB, &value, &found), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Type_free_keyval(&of_comm), MPI_ERR_KEYVAL);
  MPI_Comm_free_keyval(&of_comm);
  MPI_Type_free_keyval(&key);
}

}  // namespace
