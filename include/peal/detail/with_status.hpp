// peal/detail/with_status.hpp
// A request that gives what is known of its message beside its value.
#pragma once

#include <system_error>
#include <type_traits>
#include <utility>

#include <peal/requests/request.hpp>

namespace peal::detail {

template <class T>
class body_with_status final : public body<completion<T>> {
 public:
  explicit body_with_status(request<T>&& of) noexcept : of_{std::move(of)} {}

  operation* pending() noexcept override { return of_.pending(); }
  bool settled() noexcept override { return of_.is_over(); }
  bool cancel_all() override { return of_.cancel(); }
  void subscribe(hook& to) override { of_.subscribe(to); }
  status status_now() noexcept override { return of_.status_now(); }
  completion<T> take(std::error_code* error) override {
    const status known = of_.status_now();  // before wait gives the operation back
    if constexpr (std::is_void_v<T>) {
      if (error) of_.wait(*error);
      else of_.wait();
      return {known};
    } else {
      if (error) return {of_.wait(*error), known};
      return {of_.wait(), known};
    }
  }
  void abandon() noexcept override { delete this; }

 private:
  request<T> of_;
};

}  // namespace peal::detail

namespace peal {

template <class T>
request<completion<T>> request<T>::with_status(const place& where) && {
  if (!valid())
    detail::fail(errc::invalid_argument, "this request is empty: it was waited for, or moved from",
                 -1, where);
  return request<completion<T>>{new detail::body_with_status<T>{std::move(*this)}};
}

}  // namespace peal
