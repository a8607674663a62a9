#include "mpi/attributes/attributes.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "../support/failures.hpp"

namespace {

using namespace peal::mpi;

struct call {
  int key;
  void* value;
  bool operator==(const call&) const = default;
};
std::vector<call> deleted;
int refused_key = 0;

int copy_refused(MPI_Comm, int key, void*, void* in, void* out, int* wanted) {
  if (key == refused_key) return MPI_ERR_INTERN;
  *static_cast<void**>(out) = in;
  *wanted = 1;
  return MPI_SUCCESS;
}
int note_delete(MPI_Comm, int key, void* value, void*) {
  if (key == refused_key) return MPI_ERR_ACCESS;
  deleted.push_back({key, value});
  return MPI_SUCCESS;
}

class attributes_of_communicator : public testing::Test {
 protected:
  attributes_of_communicator() {
    deleted.clear();
    refused_key = 0;
    for (int& each : keys_)
      each = make_keyval(keyval_functions<MPI_Comm>{copy_refused, note_delete}, nullptr);
  }
  ~attributes_of_communicator() override {
    for (const int each : keys_) free_keyval<MPI_Comm>(each);
  }
  void set_all() {
    for (std::size_t each = 0; each != 3; ++each) all_.set(MPI_COMM_SELF, keys_[each], at(each));
  }
  /// Of one that is there.
  void* value_of(int key) {
    void* value = nullptr;
    EXPECT_TRUE(all_.get<MPI_Comm>(key, value));
    return value;
  }
  [[nodiscard]] bool has(int key) const {
    void* value = nullptr;
    return all_.get<MPI_Comm>(key, value);
  }
  void* at(std::size_t each) { return &values_[each]; }

  int keys_[3] = {};
  int values_[4] = {};
  attributes all_;
};

TEST_F(attributes_of_communicator, hold_a_value_a_key) {
  EXPECT_TRUE(all_.empty());
  set_all();
  EXPECT_EQ(value_of(keys_[0]), at(0));
  EXPECT_EQ(value_of(keys_[2]), at(2));
  all_.erase(MPI_COMM_SELF, keys_[0]);
  EXPECT_FALSE(has(keys_[0]));
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[0], at(0)}}));
  all_.erase(MPI_COMM_SELF, keys_[0]);
  EXPECT_EQ(deleted.size(), 1U) << "nothing is there to be deleted";
}

TEST_F(attributes_of_communicator, the_old_value_is_deleted_when_another_is_set) {
  all_.set(MPI_COMM_SELF, keys_[0], at(0));
  all_.set(MPI_COMM_SELF, keys_[0], at(3));
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[0], at(0)}}));
  EXPECT_EQ(value_of(keys_[0]), at(3));
}

TEST_F(attributes_of_communicator, the_last_one_set_is_the_first_to_go) {
  set_all();
  all_.set(MPI_COMM_SELF, keys_[0], at(3));
  deleted.clear();
  all_.erase_all(MPI_COMM_SELF);
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[0], at(3)}, {keys_[2], at(2)}, {keys_[1], at(1)}}));
  EXPECT_TRUE(all_.empty());
}

TEST_F(attributes_of_communicator, what_is_refused_stays) {
  set_all();
  refused_key = keys_[1];
  EXPECT_EQ(class_thrown_by([&] { all_.erase(MPI_COMM_SELF, keys_[1]); }), MPI_ERR_ACCESS);
  EXPECT_EQ(class_thrown_by([&] { all_.set(MPI_COMM_SELF, keys_[1], at(3)); }), MPI_ERR_ACCESS);
  EXPECT_EQ(value_of(keys_[1]), at(1));
  EXPECT_EQ(class_thrown_by([&] { all_.erase_all(MPI_COMM_SELF); }), MPI_ERR_ACCESS);
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[2], at(2)}}));
  EXPECT_TRUE(has(keys_[0]));
  EXPECT_TRUE(has(keys_[1]));
  EXPECT_FALSE(has(keys_[2]));
  refused_key = 0;
  all_.erase_all(MPI_COMM_SELF);
  EXPECT_TRUE(all_.empty());
}

TEST_F(attributes_of_communicator, are_copied_as_the_functions_of_the_keys_say) {
  const int not_copied = make_keyval(keyval_functions<MPI_Comm>{}, nullptr);
  set_all();
  all_.set(MPI_COMM_SELF, not_copied, at(3));
  attributes copy;
  all_.copy_to(copy, MPI_COMM_SELF);
  void* value = nullptr;
  for (std::size_t each = 0; each != 3; ++each) {
    EXPECT_TRUE(copy.get<MPI_Comm>(keys_[each], value));
    EXPECT_EQ(value, at(each));
  }
  EXPECT_FALSE(copy.get<MPI_Comm>(not_copied, value));
  copy.erase_all(MPI_COMM_SELF);
  EXPECT_TRUE(has(keys_[0])) << "the copy has its own";
  free_keyval<MPI_Comm>(not_copied);
}

TEST_F(attributes_of_communicator, a_copy_that_fails_has_those_before) {
  set_all();
  refused_key = keys_[1];
  attributes copy;
  EXPECT_EQ(class_thrown_by([&] { all_.copy_to(copy, MPI_COMM_SELF); }), MPI_ERR_INTERN);
  void* value = nullptr;
  EXPECT_TRUE(copy.get<MPI_Comm>(keys_[0], value));
  EXPECT_FALSE(copy.get<MPI_Comm>(keys_[2], value));
  copy.erase_all(MPI_COMM_SELF);
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[0], at(0)}}));
}

TEST_F(attributes_of_communicator, live_on_after_their_key_is_freed) {
  const int key = make_keyval(keyval_functions<MPI_Comm>{copy_refused, note_delete}, nullptr);
  all_.set(MPI_COMM_SELF, key, at(0));
  free_keyval<MPI_Comm>(key);
  EXPECT_EQ(value_of(key), at(0));
  EXPECT_EQ(class_thrown_by([&] { all_.set(MPI_COMM_SELF, key, at(1)); }), MPI_ERR_KEYVAL);
  attributes copy;
  all_.copy_to(copy, MPI_COMM_SELF);
  EXPECT_FALSE(copy.empty());
  all_.erase(MPI_COMM_SELF, key);
  EXPECT_EQ(deleted, (std::vector<call>{{key, at(0)}}));
  EXPECT_EQ(class_thrown_by([&] { (void)has(key); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(class_thrown_by([&] { all_.erase(MPI_COMM_SELF, key); }), MPI_ERR_KEYVAL);
}

TEST_F(attributes_of_communicator, a_key_for_datatypes_is_refused) {
  const int key = make_keyval(keyval_functions<MPI_Datatype>{}, nullptr);
  EXPECT_EQ(class_thrown_by([&] { all_.set(MPI_COMM_SELF, key, at(0)); }), MPI_ERR_KEYVAL);
  EXPECT_EQ(class_thrown_by([&] { (void)has(key); }), MPI_ERR_KEYVAL);
  free_keyval<MPI_Datatype>(key);
}

attributes* changed_meanwhile = nullptr;
int other_key = 0;
int erase_other(MPI_Comm comm, int, void*, void*) {
  changed_meanwhile->erase(comm, other_key);
  return MPI_SUCCESS;
}

TEST_F(attributes_of_communicator, a_function_of_the_program_may_change_them) {
  set_all();
  const int key = make_keyval(keyval_functions<MPI_Comm>{nullptr, erase_other}, nullptr);
  all_.set(MPI_COMM_SELF, key, at(3));
  changed_meanwhile = &all_;
  other_key = keys_[0];
  all_.erase_all(MPI_COMM_SELF);
  EXPECT_EQ(deleted, (std::vector<call>{{keys_[0], at(0)}, {keys_[2], at(2)}, {keys_[1], at(1)}}));
  free_keyval<MPI_Comm>(key);
}

}  // namespace
