// Package responses speaks OpenAI's Responses (the api "openai-responses"), also as Azure
// serves it (the api "azure-openai-responses") and as ChatGPT's subscribers are served (the
// api "openai-codex-responses").
//
// # Usage
//
// [Stream] is an [ai.StreamFunc]. It posts to the model's BaseURL + "/responses":
//
//	stream := responses.Stream(ctx, &ai.Request{
//		Model:   &ai.Model{ID: "gpt-5.5", API: responses.API, Provider: "openai", Reasoning: true},
//		Context: ai.Context{Messages: messages},
//		Options: ai.Options{APIKey: key},
//	})
//
// [Azure] has the same method for models that are deployed there. [Codex] asks on behalf of
// a ChatGPT account, over the same kind of stream.
//
// Nothing is stored at the service: every request carries the whole conversation, with
// the reasoning of earlier answers in encrypted form.
//
// # What an answer becomes
//
// Each output item is one block: a message is text (a refusal is text, too), a reasoning
// item thinking, a function call a call; other items are left out. What has to come back
// in later requests is kept in the blocks (forms of Pi 0.85):
//
//   - the signature of a text is {"v":1,"id":…,"phase":…}, the item's id and phase;
//   - the signature of thinking is the reasoning item's JSON;
//   - the id of a call is its call id and its item id, joined by a bar.
//
// Items are told apart by output index, or by id where a server leaves the index out. A
// piece that belongs to no certain item is an error: what it completes might be run. An
// answer is complete with its terminal event; without one it is an error, whatever else
// has come.
//
// # Compat
//
// Model.Compat knows these switches (all but two as in Pi 0.85); all but one are booleans:
//
//   - supportsDeveloperRole (default true): the prompt of a reasoning model has the role
//     developer and not system.
//   - supportsLongCacheRetention (default true, not for Azure): a prompt can be kept for a
//     day.
//   - supportsExplicitPromptCacheMode (default false): the service can be told to keep
//     nothing.
//   - supportsMaxOutputTokens (default true): the answer's length can be limited.
//   - sessionAffinityFormat: which headers name the session, "openai" (session_id and
//     x-client-request-id; the default), "openai-nosession" (x-client-request-id) or
//     "openrouter" (x-session-id; the default for OpenRouter).
//   - sendSessionIdHeader (default true, not for Azure; of our own): whether any do.
//   - supportsMidConvoSystemMessages (default true for OpenAI and Azure; of our own):
//     instructions may come in the middle of a conversation; otherwise they are added to the
//     prompt.
//
// # Service tiers
//
// The sampling parameter service_tier chooses one. The price of an answer is that of the
// tier which the service says it has used, or of the chosen one if it does not say.
//
// # Failures
//
// An HTTP error, an error event and a failed response are an [*ai.StatusError] in the
// final message's Err; a stream that ends before its terminal event wraps
// [io.ErrUnexpectedEOF].
package responses
