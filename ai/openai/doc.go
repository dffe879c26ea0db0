// Package openai speaks OpenAI's Chat Completions (the api "openai-completions"), the
// wire that most servers of other makers speak as well.
//
// # Usage
//
// [Completions] is an [ai.StreamFunc]:
//
//	stream := openai.Completions(ctx, &ai.Request{
//		Model:   &ai.Model{ID: "gpt-5.5", API: openai.APICompletions, Provider: "openai"},
//		Context: ai.Context{Messages: messages},
//		Options: ai.Options{APIKey: key},
//	})
//
// # Servers of other makers
//
// Each of them differs from OpenAI in something: the field of the token limit, how
// thinking is switched on, what an answer must look like when it is sent back. The
// switches of [Compat] say how. They are found out from the model's provider and base
// URL, and the compat object of the model replaces what it names. A server that is not
// known is taken for one like OpenAI's.
//
// # What an answer becomes
//
// All text is one block, and so is all thinking, however often the server changes between
// them; each call is one block. Blocks begin in the order of their first piece and end
// together at the end of the stream. Calls are told apart by id, by index where the id is
// missing, and by order where both are, since servers leave either out. An answer counts
// as complete when its finish reason has come; without one it is an error, whatever
// else has come.
package openai
