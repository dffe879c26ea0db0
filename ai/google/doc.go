// Package google speaks Google's Gemini API (the api "google-generative-ai"), also as
// Vertex AI serves it (the api "google-vertex").
//
// # Usage
//
// [Stream] is an [ai.StreamFunc]. It posts to the model's BaseURL +
// "/models/ID:streamGenerateContent":
//
//	stream := google.Stream(ctx, &ai.Request{
//		Model:   &ai.Model{ID: "gemini-3.1-pro-preview", API: google.API, Provider: "google", Reasoning: true},
//		Context: ai.Context{Messages: messages},
//		Options: ai.Options{APIKey: key},
//	})
//
// [Vertex] has the same method for models of a Google Cloud project. Sampling parameters
// of the model and the options are members of generationConfig, such as topP.
//
// # What an answer becomes
//
// Parts of the same kind in a row are one block; a function call is a block of its own,
// which comes whole: one delta with all of its arguments. The signature of a part is that
// of its block, unchanged, and goes back to the model that made it. Calls without an id,
// or with one that is taken, get a new one. An answer counts as complete when its finish
// reason has come; a limit or a refusal wins over calls that came before it.
//
// # Generations of models
//
// Some things depend on the model's id (facts of Google's documentation and of Pi 0.85):
//
//   - Gemini 3 thinks at a level, Gemini 2.5 with a budget of tokens, and others decide
//     for themselves.
//   - Gemini 3 and later, Claude and gpt-oss get the ids of calls.
//   - Before Gemini 3, a function response cannot hold images, which then follow in a turn
//     of the user.
//   - Gemini 3 insists on the signatures of calls. Those that it has not made itself get
//     the stand-in that Google documents for conversations begun by other models.
//
// # Compat
//
// Model.Compat knows one switch: requiresThoughtSignatures says whether the server checks
// that calls of Gemini 3 are signed. The default is true for the providers google and
// google-vertex and for servers of googleapis.com.
//
// # Failures
//
// An HTTP error, an error inside a stream and a finish reason that stands for a failure
// are an [*ai.StatusError] in the final message's Err; a stream that ends before its
// finish reason wraps [io.ErrUnexpectedEOF].
package google
