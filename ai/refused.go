package ai

import "strings"

// refusedImages returns the messages whose images a provider has refused: those that came
// after the last answer that it gave and before one that failed because of an image. It is
// nil if there are none.
func refusedImages(provider string, messages []Message) map[Message]bool {
	var refused map[Message]bool
	since := 0
	for n, m := range messages {
		a, ok := m.(*AssistantMessage)
		switch {
		case !ok || a.Provider != provider || a.StopReason == StopAborted:
		case !a.Failed():
			since = n + 1
		case a.refusesImage():
			for _, asked := range messages[since:n] {
				if hasImage(asked) {
					if refused == nil {
						refused = make(map[Message]bool)
					}
					refused[asked] = true
				}
			}
		}
	}
	return refused
}

// refusesImage reports whether an answer failed because of an image in the request. The
// transcript has only its text, in which the known providers speak of the image or of its
// base64.
func (m *AssistantMessage) refusesImage() bool {
	text := strings.ToLower(m.ErrorMessage)
	if strings.Contains(text, "process input image") { // Google, which asks to try again all the same
		return true
	}
	speaks := strings.Contains(text, "image") || strings.Contains(text, "base64")
	return speaks && Classify(nil, m.ErrorMessage) == ClassPermanent
}

func hasImage(m Message) bool {
	var content Content
	switch m := m.(type) {
	case *UserMessage:
		content = m.Content
	case *ToolResultMessage:
		content = m.Content
	default:
	}
	for _, b := range content {
		if _, ok := b.(*Image); ok {
			return true
		}
	}
	return false
}
