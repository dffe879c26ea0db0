package proto

import "slices"

// Events returns the table of events: those of a run in their order, those that a session adds,
// and those of extensions.
func Events() []EventKind { return slices.Clone(events) }

var events = []EventKind{
	kind[AgentStart](), kind[AgentEnd](), kind[TurnStart](), kind[TurnEnd](),
	kind[MessageStart](), kind[MessageUpdate](), kind[MessageEnd](),
	kind[ToolExecutionStart](), kind[ToolExecutionUpdate](), kind[ToolExecutionEnd](),

	kind[AgentSettled](), kind[QueueUpdate](), kind[ThinkingLevelChanged](), kind[EntryAppended](),
	kind[SessionInfoChanged](), kind[BashExecutionUpdate](), kind[BudgetReached](), kind[StoreProblem](), kind[Question](), kind[QuestionEnd](), kind[AutoRetryStart](), kind[AutoRetryEnd](),
	kind[CompactionStart](), kind[CompactionEnd](), kind[SummarizationRetryScheduled](),
	kind[SummarizationRetryAttemptStart](), kind[SummarizationRetryFinished](), kind[ModelFallback](), kind[ModelRestored](),

	kind[UIRequest](), kind[ExtensionError](),
}

// kind makes the row of a struct.
func kind[T any, P interface {
	*T
	Event
}]() EventKind {
	return EventKind{P(new(T)).Type(), func() Event { return P(new(T)) }}
}

var constructors = func() map[string]func() Event {
	all := make(map[string]func() Event, len(events))
	for _, k := range events {
		all[k.Type] = k.New
	}
	return all
}()
