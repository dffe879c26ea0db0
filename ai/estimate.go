package ai

// The estimate of Pi 0.85: four characters are one token, an image is 4800 characters.
const (
	charsPerToken = 4
	imageChars    = 4800
	// answerReserve is left between the estimate of a request and the context window.
	answerReserve = 4096
)

// EstimateTokens estimates how many tokens c takes: prompt, messages and tools. It is
// coarse, and meant for limits that leave room.
func EstimateTokens(c Context) int {
	chars := textChars(c.SystemPrompt)
	for _, m := range c.Messages {
		chars += messageChars(m)
	}
	for _, t := range c.Tools {
		chars += textChars(t.Name) + textChars(t.Description) + len(t.Parameters)
	}
	return tokensOf(chars)
}

// EstimateMessage estimates how many tokens one message takes.
func EstimateMessage(m Message) int { return tokensOf(messageChars(m)) }

// ClampMaxTokens returns how many tokens an answer may be asked for: want, or the
// model's limit if want is 0, but no more than the context window leaves beside a
// request of this estimate and a reserve of 4096, and at least 1. It returns 0, which
// stands for no limit, if neither is known.
func ClampMaxTokens(model *Model, want, estimate int) int {
	if want <= 0 {
		want = model.MaxTokens
	}
	if want <= 0 || model.ContextWindow <= 0 {
		return max(want, 0)
	}
	return min(want, max(model.ContextWindow-estimate-answerReserve, 1))
}

func tokensOf(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

func messageChars(m Message) int {
	switch m := m.(type) {
	case *UserMessage:
		return contentChars(m.Content)
	case *AssistantMessage:
		return contentChars(m.Content)
	case *ToolResultMessage:
		return contentChars(m.Content)
	case *SystemMessage:
		chars := textChars(m.Content)
		for _, section := range m.Sections {
			if section != nil {
				chars += textChars(*section)
			}
		}
		return chars
	case *UnknownMessage:
	}
	return 0
}

func contentChars(content Content) int {
	chars := 0
	for _, block := range content {
		switch b := block.(type) {
		case *Text:
			chars += textChars(b.Text)
		case *Thinking:
			chars += textChars(b.Thinking)
		case *Image:
			chars += imageChars
		case *ToolCall:
			chars += textChars(b.Name) + textChars(string(b.Arguments))
		case *UnknownBlock:
		}
	}
	return chars
}

// textChars counts characters as Pi does, in UTF-16.
func textChars(s string) int {
	n := 0
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 0xF0: // two surrogates
			n += 2
		case b&0xC0 != 0x80: // not a continuation
			n++
		}
	}
	return n
}
