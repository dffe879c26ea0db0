package chat

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/transcript"
)

// Kind says what a block is.
type Kind int

// The kinds of blocks.
const (
	User     Kind = iota // what a user said: Text, Images
	Answer               // a part of what the model said: Text, in Markdown
	Thinking             // what the model thought: Text
	Tool                 // a call: Call
	Bash                 // a command of the user's own: Shell
	Notice               // something about the session: Text, Level
	Summary              // what stands for an older part: Label, Text
	Custom               // a message of an extension: Label, Text, Message
	Lines                // lines of an extension, which may have escape sequences: Text
	Card                 // an entry of an extension, which draws it: Entry
)

// Level says how bad a notice is.
type Level int

// The levels.
const (
	Info Level = iota
	Warning
	Failure
)

// Block is a piece of the conversation. All texts but those of Lines are clean; see package text.
// Those that are Markdown keep their tabs ([text.CleanSource]).
//
// A block that is final is never changed again, and neither is any before it but those of
// [Transcript.Foreign], so that it can be written to a terminal for good once they are final
// too. The others are open: only the goroutine that owns the
// transcript may look at them.
type Block struct {
	Kind  Kind
	Final bool
	// Version grows with each change of an open block.
	Version int
	// Joined says that the block continues the one before it.
	Joined bool

	Text   string
	Label  string
	Level  Level
	Images int
	Call   *Call
	Shell  *Shell
	// Message is that of an extension.
	Message *transcript.CustomMessage
	Entry   *transcript.CustomEntry
}

func (b *Block) touch() { b.Version++ }

// Call is a call of a tool.
type Call struct {
	ID, Name string
	// Args are the arguments as far as they have come.
	Args jsontext.Value
	// Running says that the tool works.
	Running bool
	// Result is the newest progress or, in the end, the result; nil if there is none.
	Result  *agent.ToolResult
	IsError bool
	// Skipped says that the call never ran.
	Skipped bool
	// DurationMs is how long the tool ran; nil if that is not known.
	DurationMs *int64
}

// Output is the clean text of the result.
func (c *Call) Output() string {
	if c.Result == nil {
		return ""
	}
	return contentText(c.Result.Content)
}

// Images counts the images of the result.
func (c *Call) Images() int {
	if c.Result == nil {
		return 0
	}
	return images(c.Result.Content)
}

// Shell is a command of the user's own.
type Shell struct {
	Command string
	// Hidden keeps it from the model.
	Hidden bool
	Output string
	// ExitCode is nil while the command runs, and if it was ended.
	ExitCode  *int
	Cancelled bool
	Truncated bool
	// FullOutputPath is the file that has all of a truncated output.
	FullOutputPath string
	Running        bool
}

func images(content ai.Content) int {
	n := 0
	for _, b := range content {
		if _, ok := b.(*ai.Image); ok {
			n++
		}
	}
	return n
}
