package proto

import (
	"reflect"
	"slices"
)

// Command is a command of the protocol: its name, the type of its request, whose JSON members
// stand in the command's line beside id and type, and the type of the data of its response.
type Command[Request, Answer any] struct{ name string }

// Name is the command's type on the wire.
func (c Command[Request, Answer]) Name() string { return c.name }

// None is the request of a command without fields, and the answer of one without data.
type None struct{}

// Spec describes a command without its types being known when the program is compiled.
type Spec struct {
	Name            string
	Request, Answer reflect.Type
}

// Commands returns the specs of all commands, in the order of the table.
func Commands() []Spec { return slices.Clone(table) }

// table is filled by define, which the variables below are made with.
var table []Spec

func define[Request, Answer any](name string) Command[Request, Answer] {
	table = append(table, Spec{name, reflect.TypeFor[Request](), reflect.TypeFor[Answer]()})
	return Command[Request, Answer]{name}
}

// The commands. docs/rpc.md describes what each does.
var (
	Prompt                     = define[PromptRequest, *PromptAnswer]("prompt")
	Steer                      = define[QueueRequest, None]("steer")
	FollowUp                   = define[QueueRequest, None]("follow_up")
	ClearQueue                 = define[None, Queues]("clear_queue")
	Abort                      = define[None, None]("abort")
	SetSteeringMode            = define[ModeRequest, None]("set_steering_mode")
	SetFollowUpMode            = define[ModeRequest, None]("set_follow_up_mode")
	GetState                   = define[None, State]("get_state")
	GetMessages                = define[None, Messages]("get_messages")
	GetLastAssistantText       = define[None, LastAnswer]("get_last_assistant_text")
	GetAvailableModels         = define[None, Models]("get_available_models")
	SetModel                   = define[ModelName, *Model]("set_model")
	CycleModel                 = define[None, *CycledModel]("cycle_model")
	GetAvailableThinkingLevels = define[None, ThinkingLevels]("get_available_thinking_levels")
	SetThinkingLevel           = define[Thinking, None]("set_thinking_level")
	CycleThinkingLevel         = define[None, *Thinking]("cycle_thinking_level")
	Bash                       = define[BashRequest, *BashResult]("bash")
	AbortBash                  = define[None, None]("abort_bash")
	GetCommands                = define[None, PromptCommands]("get_commands")
	Compact                    = define[CompactRequest, *CompactionResult]("compact")
	SetAutoCompaction          = define[Switch, None]("set_auto_compaction")
	SetAutoRetry               = define[Switch, None]("set_auto_retry")
	AbortRetry                 = define[None, None]("abort_retry")
	NewSession                 = define[NewSessionRequest, Replacement]("new_session")
	SwitchSession              = define[SwitchRequest, Replacement]("switch_session")
	GetForkMessages            = define[None, ForkMessages]("get_fork_messages")
	Fork                       = define[ForkRequest, ForkAnswer]("fork")
	Clone                      = define[None, Replacement]("clone")
	SetSessionName             = define[NameRequest, None]("set_session_name")
	GetEntries                 = define[EntriesRequest, Entries]("get_entries")
	GetTree                    = define[None, Tree]("get_tree")
	GetSessionStats            = define[None, Stats]("get_session_stats")
	ExportHTML                 = define[ExportRequest, Exported]("export_html")
	SetDialogs                 = define[Switch, None]("set_dialogs")
)
