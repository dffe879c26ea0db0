package ai

// unsignedMarks are signatures that say only in which field of Chat Completions thinking came.
var unsignedMarks = map[string]bool{"": true, "reasoning_content": true, "reasoning": true, "reasoning_text": true}

// DropChangedThinking returns messages, which were made from original, without thinking that is
// signed and has another text than the one that was signed: a service refuses it. The messages are
// not changed; what has to differ is copied.
func DropChangedThinking(original, messages []Message) []Message {
	known := make(map[*AssistantMessage]bool)
	texts := make(map[string]string) // by signature
	for _, m := range original {
		if answer, ok := m.(*AssistantMessage); ok {
			known[answer] = true
			for _, b := range answer.Content {
				if t, ok := b.(*Thinking); ok && !unsignedMarks[t.Signature] {
					texts[t.Signature] = t.Thinking
				}
			}
		}
	}
	var out []Message
	for i, m := range messages {
		answer, ok := m.(*AssistantMessage)
		if !ok || known[answer] {
			continue
		}
		kept := make(Content, 0, len(answer.Content))
		for _, b := range answer.Content {
			if t, ok := b.(*Thinking); ok {
				if text, signed := texts[t.Signature]; signed && text != t.Thinking {
					continue
				}
			}
			kept = append(kept, b)
		}
		if len(kept) == len(answer.Content) {
			continue
		}
		if out == nil {
			out = append(out, messages...)
		}
		c := *answer
		c.Content = kept
		out[i] = &c
	}
	if out == nil {
		return messages
	}
	return out
}
