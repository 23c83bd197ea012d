#include "aggregator/console/manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "aggregator/console/output.h"
#include "common/base/try.h"

namespace hearsay::console {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Returns a command's full name, such as "hearsay task create", with `separator` in place of the spaces.
std::string full_name(const CLI::App& app, const std::string& separator) {
  const std::string above = app.get_parent() == nullptr ? "" : full_name(*app.get_parent(), separator) + separator;
  return above + app.get_name();
}

// Escapes a text for man(7). In this format, backslashes and dashes have special meanings. A line that begins with a
// point or a single quote is a command.
std::string roff(const std::string& text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    line_begins = c == '\n';
  }
  return escaped;
}

// Returns an option's label for the manual, such as "-o, --output TEXT". For an argument that can also be given as an
// option, returns both forms.
std::string label_of(const CLI::Option& option) {
  std::string label;
  const bool is_argument = option.get_positional();
  for (const std::string& name : option.get_snames()) label += (label.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) label += (label.empty() ? "--" : ", --") + name;
  if (is_argument) {
    label = option.get_name(true, false) + (label.empty() ? "" : "; also as " + label);
  } else if (option.get_type_size() != 0) {
    label += " " + option.get_type_name();
  }
  return label;
}

std::string synopsis(const CLI::App& app) {
  std::string text = full_name(app, " ");
  if (!commands_of(app).empty()) return text + " COMMAND ...";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name(true, false);
    const std::string several = option->get_items_expected_max() > 1 ? "..." : "";
    text += option->get_required() ? " " + name + several : " [" + name + several + "]";
  }
  return text + " [OPTIONS]";
}

std::string options_section(const CLI::App& app) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) {
    std::string what = option->get_description();
    if (!option->get_default_str().empty()) what += " [default: " + option->get_default_str() + "]";
    text += ".TP\n.B " + roff(label_of(*option)) + "\n" + roff(what) + "\n";
  }
  return text;
}

ManualPage page_of(const CLI::App& app) {
  const std::string name = full_name(app, "-");
  std::string text = ".TH " + roff(name) + " 1 \"\" \"Hearsay " + HEARSAY_VERSION + "\" \"User Commands\"\n";
  text += ".SH NAME\n" + roff(name) + " \\- " + roff(app.get_description()) + "\n";
  text += ".SH SYNOPSIS\n.B " + roff(synopsis(app)) + "\n";
  if (const auto commands = commands_of(app); !commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* command : commands) {
      text += ".TP\n.B " + roff(command->get_name()) + "\n" + roff(command->get_description()) + "\n";
    }
  }
  text += options_section(app);
  if (!app.get_footer().empty()) text += ".SH EXAMPLES\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  if (app.get_parent() != nullptr) {
    text += ".SH SEE ALSO\n.BR " + roff(full_name(*app.get_parent(), "-")) + " (1)\n";
  }
  return {name + ".1", text};
}

void add_pages(const CLI::App& app, std::vector<ManualPage>& pages) {
  pages.push_back(page_of(app));
  for (const CLI::App* command : commands_of(app)) add_pages(*command, pages);
}

// Returns the words that may follow a command: its subcommands and its long options.
std::string words_after(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : commands_of(app)) words += command->get_name() + " ";
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  words.pop_back();
  return words;
}

void add_cases(const CLI::App& app, std::string& paths, std::string& words) {
  const std::string name = full_name(app, " ");
  if (app.get_parent() != nullptr) paths += (paths.empty() ? "\"" : "|\"") + name + "\"";
  words += "    \"" + name + "\") words=\"" + words_after(app) + "\" ;;\n";
  for (const CLI::App* command : commands_of(app)) add_cases(*command, paths, words);
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& app) {
  std::vector<ManualPage> pages;
  add_pages(app, pages);
  return pages;
}

std::string bash_completion(const CLI::App& app) {
  std::string paths;
  std::string words;
  add_cases(app, paths, words);
  std::string function = "_" + app.get_name();
  std::replace(function.begin(), function.end(), '-', '_');
  return "# bash completion for " + app.get_name() + "\n" + function +
         "() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words word\n"
         "  local path=\"" +
         app.get_name() +
         "\"\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$path $word\" in\n      " +
         (paths.empty() ? "\"\"" : paths) +
         ") path=\"$path $word\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$before\" in\n"
         "    -o|--output) COMPREPLY=($(compgen -W \"text csv json\" -- \"$current\")); return ;;\n"
         "  esac\n"
         "  case \"$path\" in\n" +
         words +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  # Arguments of a command may be files.\n"
         "  [[ $words != --* || $current == -* ]] || COMPREPLY=()\n"
         "}\n"
         "complete -o default -F " +
         function + " " + app.get_name() + "\n";
}

Result<void> write_manual(const CLI::App& app, const std::string& directory) {
  const std::filesystem::path base(directory);
  std::error_code failed;
  for (const char* part : {"man1", "completions"}) {
    if (!failed) std::filesystem::create_directories(base / part, failed);
  }
  if (failed) return Error{ErrorCode::kIo, "cannot make the directory '" + directory + "': " + failed.message()};
  for (const ManualPage& page : manual_pages(app)) {
    HEARSAY_CHECK_OK((OutputFile{base / "man1" / page.name, true}.write(page.text)));
  }
  return OutputFile{base / "completions" / app.get_name(), true}.write(bash_completion(app));
}

}  // namespace hearsay::console
