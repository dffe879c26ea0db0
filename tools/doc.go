// Package tools has the built-in coding tools: read, bash, edit, write, grep, find and ls.
//
// # Usage
//
//	all := tools.Builtin(dir, nil)
//	chosen, err := tools.Select(all, []string{"read", "grep"})
//	…
//	s, err := session.New(store, &session.Options{Tools: tools.Tools(chosen), Toolbox: all, …})
//
// A [Definition] is a tool of package agent with the lines that a system prompt has about it and
// with its view, from which every frontend draws its calls (package toolview). To add a tool is a
// folder here and a line in [Builtin].
//
// # Guarantees
//
//  1. All files and commands are reached through one [host.Host] and nothing else, so that an
//     embedder puts them elsewhere in one place ([Options].Host).
//  2. Paths are relative to the folder that the tools were made for.
//  3. Results are bounded in lines and bytes, as Pi 0.85 bounds them, and say what is left out.
//  4. What changes a file loses nothing of it: encoding, line ends, links and attributes stay, and
//     after a failure the file is as it was. Changes of one file follow one another.
//  5. A cancelled call ends, also while it reads what never comes.
//
// # Concurrency
//
// Tools may run at the same time, and definitions may be shared by sessions.
package tools
