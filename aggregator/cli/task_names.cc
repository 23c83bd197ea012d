#include "aggregator/cli/task_names.h"

#include <algorithm>

#include "common/base/nearest.h"
#include "common/base/strict_json.h"
#include "common/base/try.h"

namespace hearsay::cli {

Result<std::string> task_named(const std::string& text, const std::vector<ListedTask>& tasks) {
  constexpr std::size_t kShortest = 4;  // the fewest characters that name a task by its beginning
  constexpr std::size_t kMostListed = 10;
  std::vector<const ListedTask*> found;
  for (const ListedTask& task : tasks) {
    const bool begins = task.id.starts_with(text) || task.title.starts_with(text);
    if ((text.size() >= kShortest && begins) || (!text.empty() && task.title == text)) found.push_back(&task);
  }
  if (found.size() == 1) return found.front()->id;
  if (found.empty()) {
    std::vector<std::string> titles;
    for (const ListedTask& task : tasks) titles.push_back(task.title);
    return Error{ErrorCode::kUnrecognizedTask,
                 "'" + text + "' is no task's id or title, nor the beginning of one" + did_you_mean(text, titles)};
  }
  std::string message = "'" + text + "' names " + std::to_string(found.size()) + " tasks; name one by its id:";
  for (std::size_t i = 0; i < std::min(found.size(), kMostListed); ++i) {
    message += "\n  " + found[i]->id + "  " + found[i]->title + (found[i]->is_closed ? " (closed)" : "");
  }
  return Error{ErrorCode::kInvalidArgument, message + (found.size() > kMostListed ? "\n  …" : "")};
}

Result<std::string> resolve_task(const Server& server, const std::string& text) {
  if (const auto id = TaskId::parse(text)) return id->to_string();
  HEARSAY_TRY(const std::string answer, call(server, "GET", "/v1/tasks", ""));
  HEARSAY_TRY(const Json listed, parse_json(answer));
  std::vector<ListedTask> tasks;
  for (const Json& task : listed.at("tasks")) {
    tasks.push_back(
        {task.at("task").get<std::string>(), task.at("title").get<std::string>(), !task.at("closed_at").is_null()});
  }
  return task_named(text, tasks);
}

}  // namespace hearsay::cli
