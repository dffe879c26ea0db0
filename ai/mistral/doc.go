// Package mistral speaks Mistral's own chat completions (the api
// "mistral-conversations").
//
// # Usage
//
// [Stream] is an [ai.StreamFunc]. It posts to the model's BaseURL + "/v1/chat/completions":
//
//	stream := mistral.Stream(ctx, &ai.Request{
//		Model:   &ai.Model{ID: "devstral-medium-latest", API: mistral.API, Provider: "mistral"},
//		Context: ai.Context{Messages: messages},
//		Options: ai.Options{APIKey: key},
//	})
//
// # What differs from OpenAI's
//
//   - The content of an answer is text or a list of parts, of which those of thinking are
//     thinking. Other parts (references, images) are left out.
//   - A call's id has exactly nine letters and digits. Other models' ids are reduced to
//     them, or hashed.
//   - A tool's result may have images. That it failed stands in its text.
//   - A model that reasons is told to by prompt_mode, or by reasoning_effort where that is
//     how it is told (Pi 0.85); a level's word in the model's thinkingLevelMap is the effort.
//   - The session names the prompt cache (prompt_cache_key) and the machine that has it
//     (the header x-affinity), unless nothing is to be kept.
//
// # Failures
//
// An HTTP error and an error in place of a piece are an [*ai.StatusError] in the final
// message's Err. A stream that ends without a finish reason wraps [ai.ErrUnterminated], one
// that breaks off the cause of that.
package mistral
