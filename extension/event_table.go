package extension

// Kind implements [Event].
func (*ProjectTrust) Kind() Kind { return KindProjectTrust }

// Kind implements [Event].
func (*ResourcesDiscover) Kind() Kind { return KindResourcesDiscover }

// Kind implements [Event].
func (*SessionStart) Kind() Kind { return KindSessionStart }

// Kind implements [Event].
func (*SessionInfoChanged) Kind() Kind { return KindSessionInfoChanged }

// Kind implements [Event].
func (*SessionBeforeSwitch) Kind() Kind { return KindSessionBeforeSwitch }

// Kind implements [Event].
func (*SessionBeforeFork) Kind() Kind { return KindSessionBeforeFork }

// Kind implements [Event].
func (*SessionBeforeCompact) Kind() Kind { return KindSessionBeforeCompact }

// Kind implements [Event].
func (*SessionCompact) Kind() Kind { return KindSessionCompact }

// Kind implements [Event].
func (*SessionCompactFailed) Kind() Kind { return KindSessionCompactFailed }

// Kind implements [Event].
func (*SessionShutdown) Kind() Kind { return KindSessionShutdown }

// Kind implements [Event].
func (*SessionBeforeTree) Kind() Kind { return KindSessionBeforeTree }

// Kind implements [Event].
func (*SessionTree) Kind() Kind { return KindSessionTree }

// Kind implements [Event].
func (*ContextEvent) Kind() Kind { return KindContext }

// Kind implements [Event].
func (*BeforeProviderRequest) Kind() Kind { return KindBeforeProviderRequest }

// Kind implements [Event].
func (*BeforeProviderHeaders) Kind() Kind { return KindBeforeProviderHeaders }

// Kind implements [Event].
func (*AfterProviderResponse) Kind() Kind { return KindAfterProviderResponse }

// Kind implements [Event].
func (*BeforeAgentStart) Kind() Kind { return KindBeforeAgentStart }

// Kind implements [Event].
func (*AgentStart) Kind() Kind { return KindAgentStart }

// Kind implements [Event].
func (*AgentEnd) Kind() Kind { return KindAgentEnd }

// Kind implements [Event].
func (*AgentSettled) Kind() Kind { return KindAgentSettled }

// Kind implements [Event].
func (*UIPromptStart) Kind() Kind { return KindUIPromptStart }

// Kind implements [Event].
func (*UIPromptEnd) Kind() Kind { return KindUIPromptEnd }

// Kind implements [Event].
func (*TurnStart) Kind() Kind { return KindTurnStart }

// Kind implements [Event].
func (*TurnEnd) Kind() Kind { return KindTurnEnd }

// Kind implements [Event].
func (*MessageStart) Kind() Kind { return KindMessageStart }

// Kind implements [Event].
func (*MessageUpdate) Kind() Kind { return KindMessageUpdate }

// Kind implements [Event].
func (*MessageEnd) Kind() Kind { return KindMessageEnd }

// Kind implements [Event].
func (*ToolExecutionStart) Kind() Kind { return KindToolExecutionStart }

// Kind implements [Event].
func (*ToolExecutionUpdate) Kind() Kind { return KindToolExecutionUpdate }

// Kind implements [Event].
func (*ToolExecutionEnd) Kind() Kind { return KindToolExecutionEnd }

// Kind implements [Event].
func (*ModelSelect) Kind() Kind { return KindModelSelect }

// Kind implements [Event].
func (*ThinkingLevelSelect) Kind() Kind { return KindThinkingLevelSelect }

// Kind implements [Event].
func (*ToolCall) Kind() Kind { return KindToolCall }

// Kind implements [Event].
func (*ToolResult) Kind() Kind { return KindToolResult }

// Kind implements [Event].
func (*UserBash) Kind() Kind { return KindUserBash }

// Kind implements [Event].
func (*Input) Kind() Kind { return KindInput }

// Kind implements [Event].
func (*ContextWithSystem) Kind() Kind { return KindContextWithSystem }

// Kind implements [Event].
func (*ProviderStreamEvent) Kind() Kind { return KindProviderStreamEvent }

// Kind implements [Event].
func (*AgentBeforeSettle) Kind() Kind { return KindAgentBeforeSettle }

func (*ProjectTrust) result(*ProjectTrustResult)             {}
func (*ResourcesDiscover) result(*ResourcesDiscoverResult)   {}
func (*SessionStart) result(None)                            {}
func (*SessionInfoChanged) result(None)                      {}
func (*SessionBeforeSwitch) result(*SwitchResult)            {}
func (*SessionBeforeFork) result(*ForkResult)                {}
func (*SessionBeforeCompact) result(*CompactResult)          {}
func (*SessionCompact) result(None)                          {}
func (*SessionCompactFailed) result(None)                    {}
func (*SessionShutdown) result(None)                         {}
func (*SessionBeforeTree) result(*TreeResult)                {}
func (*SessionTree) result(None)                             {}
func (*ContextEvent) result(*ContextResult)                  {}
func (*BeforeProviderRequest) result(*ProviderRequestResult) {}
func (*BeforeProviderHeaders) result(None)                   {}
func (*AfterProviderResponse) result(None)                   {}
func (*BeforeAgentStart) result(*BeforeAgentStartResult)     {}
func (*AgentStart) result(None)                              {}
func (*AgentEnd) result(None)                                {}
func (*AgentSettled) result(None)                            {}
func (*UIPromptStart) result(None)                           {}
func (*UIPromptEnd) result(None)                             {}
func (*TurnStart) result(None)                               {}
func (*TurnEnd) result(*TurnEndResult)                       {}
func (*MessageStart) result(None)                            {}
func (*MessageUpdate) result(None)                           {}
func (*MessageEnd) result(*MessageEndResult)                 {}
func (*ToolExecutionStart) result(None)                      {}
func (*ToolExecutionUpdate) result(None)                     {}
func (*ToolExecutionEnd) result(None)                        {}
func (*ModelSelect) result(None)                             {}
func (*ThinkingLevelSelect) result(None)                     {}
func (*ToolCall) result(*ToolCallResult)                     {}
func (*ToolResult) result(*ToolResultPatch)                  {}
func (*UserBash) result(*UserBashResult)                     {}
func (*Input) result(*InputResult)                           {}
func (*ContextWithSystem) result(*ContextResult)             {}
func (*ProviderStreamEvent) result(None)                     {}
func (*AgentBeforeSettle) result(None)                       {}

func (*ProjectTrust) event()          {}
func (*ResourcesDiscover) event()     {}
func (*SessionStart) event()          {}
func (*SessionInfoChanged) event()    {}
func (*SessionBeforeSwitch) event()   {}
func (*SessionBeforeFork) event()     {}
func (*SessionBeforeCompact) event()  {}
func (*SessionCompact) event()        {}
func (*SessionCompactFailed) event()  {}
func (*SessionShutdown) event()       {}
func (*SessionBeforeTree) event()     {}
func (*SessionTree) event()           {}
func (*ContextEvent) event()          {}
func (*BeforeProviderRequest) event() {}
func (*BeforeProviderHeaders) event() {}
func (*AfterProviderResponse) event() {}
func (*BeforeAgentStart) event()      {}
func (*AgentStart) event()            {}
func (*AgentEnd) event()              {}
func (*AgentSettled) event()          {}
func (*UIPromptStart) event()         {}
func (*UIPromptEnd) event()           {}
func (*TurnStart) event()             {}
func (*TurnEnd) event()               {}
func (*MessageStart) event()          {}
func (*MessageUpdate) event()         {}
func (*MessageEnd) event()            {}
func (*ToolExecutionStart) event()    {}
func (*ToolExecutionUpdate) event()   {}
func (*ToolExecutionEnd) event()      {}
func (*ModelSelect) event()           {}
func (*ThinkingLevelSelect) event()   {}
func (*ToolCall) event()              {}
func (*ToolResult) event()            {}
func (*UserBash) event()              {}
func (*Input) event()                 {}
func (*ContextWithSystem) event()     {}
func (*ProviderStreamEvent) event()   {}
func (*AgentBeforeSettle) event()     {}
