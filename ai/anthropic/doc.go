// Package anthropic speaks the Anthropic Messages wire (api "anthropic-messages"), which
// many other services understand as well.
//
// # Usage
//
// [Messages] is an [ai.StreamFunc]. It posts to the model's BaseURL + "/v1/messages":
//
//	model := &ai.Model{
//		ID: "claude-opus-4-8", API: anthropic.API, Provider: "anthropic",
//		BaseURL: anthropic.BaseURL, Input: []string{ai.InputText}, MaxTokens: 32000,
//	}
//	stream := anthropic.Messages(ctx, &ai.Request{
//		Model:   model,
//		Context: ai.Context{Messages: []ai.Message{&ai.UserMessage{Content: ai.TextContent("Hello")}}},
//		Options: ai.Options{APIKey: key},
//	})
//
// # Credentials
//
// Options.APIKey is sent as x-api-key. An Authorization header of the model or of the
// options takes its place, which is how bearer tokens are sent.
//
// # Compat
//
// Model.Compat knows these switches (names of Pi 0.85); all are booleans:
//
//   - supportsEagerToolInputStreaming (default true): tools may carry
//     eager_input_streaming. Where false, the fine-grained-tool-streaming beta is asked
//     for instead.
//   - supportsLongCacheRetention (default true): cache marks may have a ttl of an hour.
//   - supportsCacheControlOnTools (default true): tools may carry a cache mark.
//   - supportsTemperature (default true): the temperature may be set.
//   - forceAdaptiveThinking (default false): the model decides how long it thinks; a
//     level is sent as an effort and not as a budget of tokens.
//   - allowEmptySignature (default false): thinking without a signature is sent back as
//     thinking with an empty one, and not as text.
//   - sendSessionAffinityHeaders (default false): Options.SessionID is sent as
//     x-session-affinity.
//
// # Failures
//
// An HTTP error and an error event inside a stream are an [*ai.StatusError] in the final
// message's Err; a stream that ends before message_stop wraps [io.ErrUnexpectedEOF]; a
// refusal is a [*RefusalError].
package anthropic
