package host

import "time"

// Command is a shell command to run.
type Command struct {
	// Text is what the shell gets: one line or a whole script.
	Text string
	// Dir is the working folder.
	Dir string
	// Timeout is when the command will be ended, through the context; 0 means never.
	Timeout time.Duration
	// Shell is the program that gets the text, after -c; empty leaves it to the host.
	Shell string
	// Env is what the command gets beside the environment of wherever it runs, as NAME=value.
	Env []string
	// Bare says that Env is the whole environment.
	Bare bool
}

// Exit says how a command ended.
type Exit struct {
	// Code is the exit code; 128+n after a death by signal n.
	Code int
	// Signal names the signal that ended the command, such as SIGKILL; empty if none did.
	Signal string
	// OutputHeld says that a process left in the background still has the output open.
	OutputHeld bool
	// OutputLost says that such a process was still writing, and that the rest is lost.
	OutputLost bool
	// Left are the ids of processes that could not be ended.
	Left []int
}
