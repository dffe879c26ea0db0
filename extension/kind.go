package extension

// Kind is the place of an event in the table of [Policies].
type Kind uint8

// The kinds of events, named as in Pi 0.85; the last three are Pi 1.6's.
const (
	KindProjectTrust Kind = iota
	KindResourcesDiscover
	KindSessionStart
	KindSessionInfoChanged
	KindSessionBeforeSwitch
	KindSessionBeforeFork
	KindSessionBeforeCompact
	KindSessionCompact
	KindSessionCompactFailed
	KindSessionShutdown
	KindSessionBeforeTree
	KindSessionTree
	KindContext
	KindBeforeProviderRequest
	KindBeforeProviderHeaders
	KindAfterProviderResponse
	KindBeforeAgentStart
	KindAgentStart
	KindAgentEnd
	KindAgentSettled
	KindUIPromptStart
	KindUIPromptEnd
	KindTurnStart
	KindTurnEnd
	KindMessageStart
	KindMessageUpdate
	KindMessageEnd
	KindToolExecutionStart
	KindToolExecutionUpdate
	KindToolExecutionEnd
	KindModelSelect
	KindThinkingLevelSelect
	KindToolCall
	KindToolResult
	KindUserBash
	KindInput
	KindContextWithSystem
	KindProviderStreamEvent
	KindAgentBeforeSettle

	kinds // their number
)

// String returns the event's name on the wire.
func (k Kind) String() string {
	if k < kinds {
		return policies[k].Event
	}
	return "unknown"
}

// KindOf returns the kind of the event with this name.
func KindOf(name string) (Kind, bool) {
	for k := range kinds {
		if policies[k].Event == name {
			return k, true
		}
	}
	return 0, false
}
