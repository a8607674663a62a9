#include "engine/slurm/srun_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "engine/counterparts.hpp"
#include "engine/ranks_command.hpp"
#include "request/checks.hpp"

namespace peal::launcher {

namespace {

class translation {
 public:
  translation(const job_request& request, const allocation& slurm)
      : request_{request}, slurm_{slurm} {}

  std::vector<std::string> words(const std::string& name, const std::string& error_path) {
    words_ = {"srun", "--mpi=pmix", "--job-name=" + name};
    add_counts();
    add_hosts();
    // What pealrun promises whatever Slurm's configuration and sbatch's options are: ranks have its
    // environment, rank 0 its input, an interrupt reaches the ranks, and a rank that fails ends the
    // job.
    words_.insert(words_.end(), {"--export=ALL", "--disable-status", "--kill-on-bad-exit=1"});
    if (request_.given_for("--stdin") == nullptr) words_.emplace_back("--input=0");
    for (const given_option& each : request_.given) add(each);
    if (!error_path.empty() && request_.given_for("--output") == nullptr)
      words_.push_back("--error=" + error_path);
    const auto& programs = request_.applications;
    const auto command = programs.size() == 1 ? ranks_command(programs.front())
                                              : ranks_command(programs, "SLURM_PROCID");
    // Each node has a folder of its own for what ranks note, also where nodes share files
    // (nodes/watched_run.cpp).
    if (given("--report") || given("--trace"))
      words_.insert(
          words_.end(),
          {"sh", "-c", "export PEAL_RECORD=\"$PEAL_RECORD/$SLURMD_NODENAME\"; exec \"$@\"", "sh"});
    words_.insert(words_.end(), command.begin(), command.end());
    return words_;
  }

 private:
  [[nodiscard]] bool given(std::string_view name) const {
    return request_.given_for(name) != nullptr;
  }

  [[nodiscard]] int threads() const {
    int most = 0;
    for (const application& each : request_.applications)
      for (const auto& [name, value] : each.variables)
        if (name == "OMP_NUM_THREADS") most = std::max(most, number_in<int>(value).value_or(0));
    // srun takes it from the environment no more, since 22.05.
    return most > 0 ? most : slurm_.cpus_per_task;
  }

  void add_counts() {
    // Without a count srun starts as many as the allocation was made for.
    const bool counted = given("--np") || request_.applications.size() > 1 || slurm_.job.empty();
    const bool by_node =
        !given("--np") && request_.applications.size() == 1 && given("--ppn") && request_.nodes > 0;
    if (counted && !by_node) words_.push_back(fmt::format("--ntasks={}", request_.ranks()));
    if (request_.nodes > 0) words_.push_back(fmt::format("--nodes={}", request_.nodes));
    if (threads() > 0) words_.push_back(fmt::format("--cpus-per-task={}", threads()));
    const int wanted = request_.ranks() * std::max(1, threads());
    // More ranks than cores are allowed, as they are on one node.
    if (counted && slurm_.cpus > 0 && wanted > slurm_.cpus && !given("--no-oversubscribe"))
      words_.emplace_back("--overcommit");
  }

  void add_hosts() {
    const std::vector<host> hosts = hosts_of(request_);
    if (hosts.empty()) return;
    std::string names;
    std::set<std::string> different;
    for (const host& each : hosts) {
      different.insert(each.name);
      names += (names.empty() ? "" : ",") + each.name;
      if (each.slots != hosts.front().slots)
        refuse_option(
            "srun", request_.hosts.empty() ? "--hostfile" : "--host", each.name,
            "which gives all nodes as many ranks or chooses itself: give all hosts the same "
            "slots, or none");
    }
    words_.push_back("--nodelist=" + names);
    // Else a step has as many nodes as its allocation, and the hosts are only among them.
    if (request_.nodes == 0) words_.push_back(fmt::format("--nodes={}", different.size()));
    if (hosts.front().slots && !given("--ppn"))
      words_.push_back(fmt::format("--ntasks-per-node={}", *hosts.front().slots));
  }

  void add(const given_option& option) {
    constexpr std::string_view treated[] = {
        "--np",      "-x",           "--threads", "--wdir",     "--explain",
        "--engine",  "--nodes",      "--host",    "--hostfile", "--no-oversubscribe",
        "--timeout", "--hang-after", "--report",  "--trace",    "--restart"};
    const std::string& name = option.name;
    const std::string value = option.values.empty() ? "" : option.values.back();
    if (std::find(std::begin(treated), std::end(treated), name) != std::end(treated)) return;
    if (name == "--tag-output") words_.emplace_back("--label");
    else if (name == "--ppn") words_.push_back("--ntasks-per-node=" + value);
    else if (name == "--stdin") words_.push_back("--input=" + value);
    else if (name == "--report-bindings") add_binding("verbose");
    else if (name == "--on-failure") {
      if (value != "kill")
        refuse_option("srun", name, value,
                      "since Slurm's PMIx plugin ends a job at any failure that PMIx tells of");
    } else if (name == "--cpu-set") {
      add_cpu_set(value);
    } else if (name == "--timestamp-output") {
      refuse_option("srun", name, "true", "which writes what ranks print without a time");
    } else if (name == "--bind-to" && value == "core" && given("--cpu-set")) {
      return;  // as the list does
    } else if (name == "--bind-to") {
      add_binding(counterpart_of(
          "srun", option.name, value,
          {{"none", "none"}, {"core", "cores"}, {"numa", "ldoms"}, {"socket", "sockets"}}));
    } else if (name == "--map-by") {
      add_mapping(option, value);
    } else if (name == "--output") {
      add_files(std::filesystem::absolute(value).lexically_normal().string());
    } else if (name == "--merge-stderr" && given("--output")) {
      return;  // as srun does where no file is named for errors
    } else {
      refuse_option("srun", name, fmt::format("{}", fmt::join(option.values, " ")));
    }
  }

  // Named as pealrun names them.
  void add_files(const std::string& folder) {
    if (folder.find('%') != std::string::npos) refuse_option("srun", "--output", folder);
    const auto width = std::to_string(std::max(0, request_.ranks() - 1)).size();
    const std::string rank = width > 1 ? fmt::format("%{}t", width) : "%t";
    words_.push_back(fmt::format("--output={}/rank.{}.out", folder, rank));
    if (!given("--merge-stderr"))
      words_.push_back(fmt::format("--error={}/rank.{}.err", folder, rank));
  }

  // Both words belong into one option.
  void add_binding(const std::string& word) {
    for (std::string& each : words_)
      if (each.starts_with("--cpu-bind=")) {
        each = word == "verbose"
                   ? fmt::format("--cpu-bind=verbose,{}", each.substr(each.find('=') + 1))
                   : fmt::format("{},{}", each, word);
        return;
      }
    words_.push_back("--cpu-bind=" + word);
  }

  // Each rank of a node gets one hardware thread of the list, in its order.
  void add_cpu_set(const std::string& value) {
    if (given("--map-by") || threads() > 1)
      refuse_option("srun", "--cpu-set", value,
                    "which deals out its hardware threads one to a rank, with threads or --map-by");
    const std::string* binding = request_.given_for("--bind-to");
    if (binding != nullptr && *binding != "core")
      refuse_option("srun", "--cpu-set", value, fmt::format("with --bind-to {}", *binding));
    add_binding(fmt::format("map_cpu:{}", fmt::join(request_.placement.cpu_set, ",")));
  }

  void add_mapping(const given_option& option, const std::string& value) {
    const std::size_t colon = value.find(':');
    const std::string kind = value.substr(0, colon);
    if (kind != "slot" && kind != "core")
      words_.push_back("--distribution=" +
                       counterpart_of("srun", option.name, kind,
                                      {{"node", "cyclic"}, {"socket", "block:cyclic"}}));
    if (colon == std::string::npos) return;
    const std::string rest = value.substr(colon + 1);
    if (!rest.starts_with("PE=") && !rest.starts_with("pe="))
      refuse_option("srun", option.name, value);
    words_.push_back("--cpus-per-task=" + rest.substr(3));
  }

  const job_request& request_;
  const allocation& slurm_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> srun_command(const job_request& request, const allocation& slurm,
                                      const std::string& name, const std::string& error_path) {
  return translation{request, slurm}.words(name, error_path);
}

}  // namespace peal::launcher
