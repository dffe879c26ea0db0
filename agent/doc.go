// Package agent is the kernel of an agent: it asks a model, runs the tools that the model
// calls, asks again, and reports each step to listeners that the run waits for. It knows
// no file, no terminal, no provider and no policy: package ai has the models, and
// everything else is made of the hooks, tools and listeners that are given to it.
//
// # Usage
//
// An [Agent] holds one conversation. It needs a function that asks a model, and runs until
// nothing is left to do:
//
//	a := agent.New(stream, &agent.Options{Model: model, Tools: tools})
//	a.Subscribe(func(ctx context.Context, ev agent.Event) error {
//		switch ev := ev.(type) {
//		case *agent.MessageUpdate:
//			if delta, ok := ev.Stream.(*ai.TextDelta); ok {
//				fmt.Print(delta.Delta)
//			}
//		case *agent.ToolExecutionStart:
//			fmt.Println("running", ev.ToolName)
//		}
//		return nil
//	})
//	err := a.Prompt(ctx, agent.User("What is in this folder?"))
//
// [Agent.Steer] and [Agent.FollowUp] add messages while it runs, [Agent.Abort] ends the
// run, and [Agent.State] says how things stand. [NewTool] makes a tool from a Go function.
// [Hooks] change what a run does. [RunLoop] and [Iterate] are the loop alone, for programs
// that keep the conversation themselves.
//
// What goes wrong in a run is part of the conversation: a failed answer is a message whose
// [ai.AssistantMessage.Failed] is true, and a failed call is a result with IsError. So the
// error of [Agent.Prompt] is for a refusal, or for a listener that fails while a failure is
// being reported.
//
// # Guarantees: delivery
//
// The letters in brackets name the law that the tests check.
//
//  1. The agent's state changes first. When a listener gets an event, [Agent.State] and
//     [Agent.StreamingMessage] show it already. [D1]
//  2. Listeners are called one after another, in the order in which they subscribed. A slow
//     one holds up the next, and the run. [D2]
//  3. The run goes on only when the last listener has returned. So message_end of an answer
//     has been handled before any of its calls is prepared, tool_execution_start before the
//     call is checked and the before-hook asked, tool_execution_end before the result
//     becomes a message, and agent_end before Prompt and Wait return. [D3]
//  4. [Call.Update] never waits for a listener. All progress that a tool has reported is
//     delivered before the after-hook runs; what it reports after it has returned is
//     dropped. So no tool_execution_update follows its tool_execution_end. [D4]
//  5. If a listener returns an error, those after it do not get the event, tools that run
//     are cancelled and waited for, and the run ends with an answer that carries the error:
//     message_start, message_end, turn_end, agent_end. An error in that sequence is what
//     Prompt returns. A panic counts as an error. [D5]
//  6. No listener is called while it is still at work, even if several tools report at the
//     same time. [D6]
//  7. An event and everything in it stays as it is. It may be kept and handed to other
//     goroutines. [D7]
//
// # Guarantees: the loop
//
//  1. A run is agent_start, then turns, then agent_end. A turn is turn_start, the messages
//     that were waiting, the answer, the calls with their results, and turn_end. Each
//     message has one start and one end; only answers have updates in between, one for each
//     step of the stream. [L1]
//  2. Steering is read at the start of a run, after each turn, and again after
//     [Hooks.PrepareNextTurn] if there was none before; follow-ups only when the run would
//     stop. One message is taken at a time, or all of them with the mode [All]. [L2]
//  3. A call goes through these steps: find the tool, prepare the arguments, validate and
//     coerce them, before-hook, execute, deliver what is left of the progress, after-hook,
//     end event. A step that says no makes the call a failed one and ends it at once.
//     Nothing is executed before the answer has ended. Nothing is ever executed of an
//     answer that the output limit has cut, nor with arguments that are not a complete JSON
//     object. [L3]
//  4. Calls of one answer are prepared one by one in their order and executed together.
//     They end in the order in which they finish; result messages and the results of
//     turn_end keep the order of the calls. One [Sequential] tool among them makes the whole
//     batch sequential, and calls with the same [Tool.Exclusive] name follow one another. [L4]
//  5. [ToolResult.Terminate] keeps the model from being asked again only if every result of
//     the batch has it. Queued messages are delivered all the same. [L5]
//  6. Every call gets exactly one result message, also if it was blocked, cut or aborted. Only
//     a run that a listener or hook has broken off may lack some. [L6]
//  7. A failure of the provider ends the run in its usual order, a failure of a tool is a
//     result, and a panic of either is the same. [L7]
//  8. Cancelling the context of Prompt, or Abort, reaches the provider, hooks, tools and
//     listeners through their context. What ignores it does not keep the agent:
//     after [Options.AbortGrace] a tool's call is given up, and a run in which then still
//     nothing moves ends with [ErrUnresponsive]. A stream that stops without saying how is a
//     failed answer. [L8]
//  9. One run at a time: a second Prompt is refused with [ErrBusy]. [L9]
//  10. The transcript holds messages of any kind. [Hooks.TransformContext] and then
//     [Hooks.ConvertToLLM] make of it what the model sees, before each request, without
//     changing it. [L10]
//  11. Where [Options.Transcript] asks for it, a change of the tools becomes a system message,
//     so that the transcript alone says which tools there were at any point. [L11]
//
// # Concurrency
//
// All methods of an Agent may be called from any goroutine, also from listeners, hooks and
// tools; no lock is held while those are called. A run has a goroutine of its own, which
// calls the provider, the listeners and all hooks but [Hooks.AfterToolCall]; every call
// that is executed has another, which also calls that hook, and for the calls that a tool
// makes itself ([Call.RunTool]) both tool hooks. When Prompt returns, these goroutines have
// ended, except for what has been given up after an abort.
//
// A listener, hook or tool that waits for the run that it is part of, with Wait or Prompt,
// waits for ever.
//
// Settings that are changed during a run count from the next run on; [Hooks.PrepareNextTurn]
// and [Hooks.PrepareRequest] change those of the run under way.
//
// # What is expected of a listener
//
// A listener returns soon, since everything waits for it. Work that may take long, such as
// writing to a slow client, belongs on a goroutine of the listener's own. It returns an
// error only if the run must not go on, for instance because a message could not be stored.
// It leaves events as they are; [MessageEnd.Replace] is the way to change a message.
// Listeners may subscribe and unsubscribe others, and themselves, at any time: it counts
// for the rest of the delivery under way.
//
// # What is expected of a hook
//
// A hook returns when its context is done. An error of a hook ends the run, like that of a
// listener; an error of BeforeToolCall or AfterToolCall becomes the result of the call, so
// that a guard that breaks blocks. Hooks are called one at a time, except that the two tool
// hooks may be at work for several calls at once: AfterToolCall in a parallel batch, both of
// them where tools run other tools. The lists that hooks are given are not theirs to change;
// TransformContext has a copy.
//
// # What is expected of a tool
//
// A tool returns soon after its context is done. It returns an error, or a result with
// IsError, for a failure, and says in the text what the model should do next. It works on
// several calls at the same time unless it is [Sequential] or Exclusive keeps calls apart.
// It may report progress with [Call.Update] as often as it likes, run other tools with
// [Call.RunTool], and call any method of the agent but those that wait for the run. It does
// not change the bytes of its arguments, nor a result that it has handed over.
//
// # Testing
//
// Package ai/scripted has models that answer from a script, and stop where a test wants
// them to. Package agent/agenttest records events in a short form, and checks that a run
// kept the order that is promised here. Neither needs time or a network: runs can be tested
// inside testing/synctest.
package agent
