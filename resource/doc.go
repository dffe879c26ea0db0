// Package resource finds what a user or a project has written for the agent: context files,
// system prompt files, skills and prompt templates. It also decides whether the files of a
// project may count. Names, places and meaning are those of Pi 0.85; skills follow the Agent
// Skills standard.
//
// # Usage
//
//	project, err := resource.Open(dir, home)
//	verdict, err := project.Judge(&resource.TrustOptions{Default: resource.TrustAsk})
//	set, err := project.Load(&resource.Options{Trusted: verdict.Trusted})
//	text, err := set.Expand("/review main.go")
//
// # Places
//
// Home is the state folder of the user, dir the folder of the project, both with links
// resolved. A project keeps its files in .rondo; those in .pi count as well, after it.
//
//	context files      home, then every folder from the root down to dir
//	SYSTEM.md          .rondo, .pi, home: the first one replaces the built-in prompt
//	APPEND_SYSTEM.md   the same: the first one is added to the prompt
//	skills             settings of the project, .rondo/skills, .pi/skills, .agents/skills in dir
//	                   and above up to the top of the repository, settings of the user,
//	                   home/skills, ~/.agents/skills
//	prompt templates   settings of the project, .rondo/prompts, .pi/prompts, settings of the
//	                   user, home/prompts
//
// What a flag names comes before all of them. Of two with the same name the first counts, and
// the other one is a [Problem].
//
// # Trust
//
// What a project's .rondo, .pi and .agents/skills hold can make the agent run things or send
// keys elsewhere, so it is gated: it counts only if [Project.Judge] says so (law T1). Context
// files are not gated: they are text that a model reads like any other file of the project.
//
// # Concurrency
//
// A Project and a Set are never changed and may be used from any goroutine. A Set reads
// skills and templates again when they are used, so that what was edited meanwhile counts.
package resource
