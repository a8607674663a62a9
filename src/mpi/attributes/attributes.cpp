#include "mpi/attributes/attributes.hpp"

#include <algorithm>
#include <utility>

namespace peal::mpi {

// Functions of the program may set and delete attributes of the object that they are called for,
// so nothing that points into the list is held across a call.

attributes::place attributes::find(int key) noexcept {
  return std::find_if(entries_.begin(), entries_.end(),
                      [key](const entry& each) { return each.key->number() == key; });
}

template <class Handle>
void attributes::erase(Handle owner, const entry& gone) {
  gone.key->remove(owner, gone.value);
  if (const place found = find(gone.key->number()); found != entries_.end()) entries_.erase(found);
}

template <class Handle>
void attributes::set(Handle owner, int key, void* value) {
  std::shared_ptr<const keyval> of = keyval_of<Handle>(key);
  if (const place old = find(key); old != entries_.end()) {
    const entry held{old->key, old->value};  // the function may change the list
    erase(owner, held);
  }
  // The function may have set another one, which this call replaces.
  if (const place old = find(key); old != entries_.end()) old->value = value;
  else entries_.push_back({std::move(of), value});
}

template <class Handle>
bool attributes::get(int key, void*& value) const {
  // Not by the table of keys first: an attribute is there although its key was freed.
  for (const entry& each : entries_)
    if (each.key->number() == key) {
      value = each.value;
      return true;
    }
  (void)keyval_of<Handle>(key);
  return false;
}

template <class Handle>
void attributes::erase(Handle owner, int key) {
  if (const place found = find(key); found != entries_.end()) {
    const entry held{found->key, found->value};
    erase(owner, held);
  } else {
    (void)keyval_of<Handle>(key);  // a key under which nothing is stored will do
  }
}

template <class Handle>
void attributes::copy_to(attributes& copy, Handle owner) const {
  const std::vector<entry> all = entries_;
  for (const entry& each : all) {
    void* value = nullptr;
    if (each.key->copy(owner, each.value, value)) copy.entries_.push_back({each.key, value});
  }
}

template <class Handle>
void attributes::erase_all(Handle owner) {
  while (!entries_.empty()) {
    const entry held = entries_.back();
    erase(owner, held);
  }
}

template void attributes::set(MPI_Comm, int, void*);
template bool attributes::get<MPI_Comm>(int, void*&) const;
template void attributes::erase(MPI_Comm, int);
template void attributes::copy_to(attributes&, MPI_Comm) const;
template void attributes::erase_all(MPI_Comm);
template void attributes::set(MPI_Datatype, int, void*);
template bool attributes::get<MPI_Datatype>(int, void*&) const;
template void attributes::erase(MPI_Datatype, int);
template void attributes::copy_to(attributes&, MPI_Datatype) const;
template void attributes::erase_all(MPI_Datatype);

}  // namespace peal::mpi
