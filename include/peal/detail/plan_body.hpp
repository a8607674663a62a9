// peal/detail/plan_body.hpp
// What stands behind a plan, and behind the request of its start: both hold it, so it goes with the
// last of them.
#pragma once

#include <atomic>
#include <utility>

#include <peal/detail/core.hpp>
#include <peal/detail/request_body.hpp>
#include <peal/requests/request.hpp>

namespace peal::detail {

template <class T>
class plan_body : public body<T> {
 public:
  request<T> start(const location& where) {
    if (this->op) refuse_start(started_, where);
    refresh(where);
    this->op = start_prepared(*prepared_, where);
    started_ = where;
    references_.fetch_add(1, std::memory_order_relaxed);
    return request<T>{this};
  }
  [[nodiscard]] bool active() const noexcept { return this->op != nullptr; }

  T take(std::error_code* error) override {
    if (failed(*this->op, error)) return nothing_of<T>();
    return value();
  }
  void abandon() noexcept override {
    drop(std::exchange(this->op, nullptr));
    give_back();
  }
  void give_back() noexcept {
    // acq_rel: the side that deletes sees what the other side has written.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  plan_body() = default;
  ~plan_body() override { discard(prepared_); }
  void prepare(communicator_state& in, const collective_call& call, const location& where) {
    prepared_ = prepare_collective(in, call, where);
  }
  void prepare(communicator_state& in, const message_call& call, const location& where) {
    prepared_ = prepare_message(in, call, where);
  }

 private:
  /// Before each start.
  virtual void refresh(const location&) = 0;
  /// After one that went well.
  virtual T value() = 0;

  prepared* prepared_ = nullptr;
  location started_;  // the last time; an operation that was over at once tells no place
  std::atomic<int> references_{1};
};

}  // namespace peal::detail
