// launcher/pealrun/pmix/pmix_infos.hpp
// Builds arrays of pmix_info_t, PMIx's attribute lists, and waits for its answers.
//
// Layer    launcher.
#pragma once

#include <pmix_server.h>

#include <future>
#include <string>
#include <vector>

namespace peal::launcher {

class pmix_infos {
 public:
  pmix_infos() = default;
  ~pmix_infos() {
    for (pmix_info_t& each : list_) PMIX_INFO_DESTRUCT(&each);
  }
  pmix_infos(const pmix_infos&) = delete;
  pmix_infos& operator=(const pmix_infos&) = delete;

  /// PMIx copies `data`.
  void add(const char* key, const void* data, pmix_data_type_t type) {
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIx_Info_load(&info, key, data, type);
    list_.push_back(info);
  }
  void add_text(const char* key, const std::string& text) { add(key, text.c_str(), PMIX_STRING); }
  void add_u32(const char* key, std::uint32_t value) { add(key, &value, PMIX_UINT32); }
  void add_u16(const char* key, std::uint16_t value) { add(key, &value, PMIX_UINT16); }
  void add_rank(const char* key, pmix_rank_t value) { add(key, &value, PMIX_PROC_RANK); }
  void add_flag(const char* key, bool value) { add(key, &value, PMIX_BOOL); }
  void add_list(const char* key, pmix_infos& inner) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = inner.list_.size();
    array.array = inner.list_.data();
    add(key, &array, PMIX_DATA_ARRAY);
  }

  [[nodiscard]] pmix_info_t* data() { return list_.data(); }
  [[nodiscard]] std::size_t size() const { return list_.size(); }

 private:
  std::vector<pmix_info_t> list_;
};

/// Starts an operation of PMIx with (callback, context) and waits for its answer. Never called from
/// PMIx's thread.
template <class Start>
pmix_status_t await(Start start) {
  std::promise<pmix_status_t> answer;
  const auto callback = [](pmix_status_t status, void* context) {
    static_cast<std::promise<pmix_status_t>*>(context)->set_value(status);
  };
  const pmix_status_t started = start(static_cast<pmix_op_cbfunc_t>(callback), &answer);
  if (started == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  if (started != PMIX_SUCCESS) return started;
  return answer.get_future().get();
}

}  // namespace peal::launcher
