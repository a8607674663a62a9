// launcher/pealrun/nodes/agent/node_agent.hpp
// The part of pealrun that runs on each node of a job, beside the ranks, and answers what is asked
// about them: what they show, their stacks, what time it is there, what they have noted.
//
// Questions come as lines on standard input: a number, a word, and its arguments. Answers go out as
// answer_lines.hpp has them. Each agent answers each question. It ends with its input, and where
// nothing has been asked for long, since whoever asks has then died.
//
// Layer    launcher.
// Threads  one.
// Errors   what cannot be found out is answered by nothing.
#pragma once

#include <string>

namespace peal::launcher {

/// The first argument of a pealrun that is an agent; the second says of which step
/// (step_filter.hpp).
inline constexpr const char* node_agent_word = "--answer-for-the-ranks-of-this-node";

// Words of questions.
inline constexpr const char* ask_known = "known";    // what the ranks show that were found before
inline constexpr const char* ask_look = "look";      // the same, and new ones are looked for
inline constexpr const char* ask_calls = "calls";    // the same, with calls, lines and stacks
inline constexpr const char* ask_stack = "stack";    // of a process of a node: NODE PID
inline constexpr const char* ask_time = "time";      // nanoseconds of the steady clock
inline constexpr const char* ask_folder = "folder";  // is made, and in it the node's own: PATH
inline constexpr const char* ask_files = "files";    // those files, in pieces, a piece in each line

/// Returns the exit code.
int serve_node(const std::string& which);

}  // namespace peal::launcher
