package event

import "github.com/rondo-agent/rondo/agent"

// Kind is a row of the table of events.
type Kind struct {
	// Type is the discriminant.
	Type string
	// New returns an event of this kind with zero fields.
	New func() Event
}

// Kinds lists every kind of event that a session emits: those of package agent in the order
// of a run, then those that a session adds.
var Kinds = []Kind{
	{agent.EventAgentStart, func() Event { return &agent.AgentStart{} }},
	{agent.EventAgentEnd, func() Event { return &AgentEnd{} }},
	{agent.EventTurnStart, func() Event { return &agent.TurnStart{} }},
	{agent.EventTurnEnd, func() Event { return &agent.TurnEnd{} }},
	{agent.EventMessageStart, func() Event { return &agent.MessageStart{} }},
	{agent.EventMessageUpdate, func() Event { return &agent.MessageUpdate{} }},
	{agent.EventMessageEnd, func() Event { return &agent.MessageEnd{} }},
	{agent.EventToolExecutionStart, func() Event { return &agent.ToolExecutionStart{} }},
	{agent.EventToolExecutionUpdate, func() Event { return &agent.ToolExecutionUpdate{} }},
	{agent.EventToolExecutionEnd, func() Event { return &agent.ToolExecutionEnd{} }},

	{EventAgentSettled, func() Event { return &AgentSettled{} }},
	{EventQueueUpdate, func() Event { return &QueueUpdate{} }},
	{EventThinkingLevelChanged, func() Event { return &ThinkingLevelChanged{} }},
	{EventEntryAppended, func() Event { return &EntryAppended{} }},
	{EventInfoChanged, func() Event { return &InfoChanged{} }},
	{EventBashExecutionUpdate, func() Event { return &BashExecutionUpdate{} }},
	{EventBudgetReached, func() Event { return &BudgetReached{} }},
	{EventStoreProblem, func() Event { return &StoreProblem{} }},
	{EventQuestion, func() Event { return &Question{} }},
	{EventQuestionEnd, func() Event { return &QuestionEnd{} }},
	{EventAutoRetryStart, func() Event { return &AutoRetryStart{} }},
	{EventAutoRetryEnd, func() Event { return &AutoRetryEnd{} }},
	{EventCompactionStart, func() Event { return &CompactionStart{} }},
	{EventCompactionEnd, func() Event { return &CompactionEnd{} }},
	{EventSummarizationRetryScheduled, func() Event { return &SummarizationRetryScheduled{} }},
	{EventSummarizationRetryAttemptStart, func() Event { return &SummarizationRetryAttemptStart{} }},
	{EventSummarizationRetryFinished, func() Event { return &SummarizationRetryFinished{} }},
	{EventModelFallback, func() Event { return &ModelFallback{} }},
	{EventModelRestored, func() Event { return &ModelRestored{} }},
}
