package config

import "github.com/rondo-agent/rondo/ai"

// copilot is the provider whose requests say more about themselves than others.
const copilot = "github-copilot"

// copilotHeaders says whether a person or the agent has caused the request, which is how
// Copilot counts, and whether there are images in it.
func copilotHeaders(req *ai.Request) map[string]string {
	headers := map[string]string{"X-Initiator": "agent", "Openai-Intent": "conversation-edits"}
	if n := len(req.Context.Messages); n > 0 {
		if _, ok := req.Context.Messages[n-1].(*ai.UserMessage); ok {
			headers["X-Initiator"] = "user"
		}
	}
	for _, m := range req.Context.Messages {
		if hasImage(m) {
			headers["Copilot-Vision-Request"] = "true"
		}
	}
	return headers
}

func hasImage(m ai.Message) bool {
	var content ai.Content
	switch m := m.(type) {
	case *ai.UserMessage:
		content = m.Content
	case *ai.ToolResultMessage:
		content = m.Content
	default:
		return false
	}
	for _, block := range content {
		if _, ok := block.(*ai.Image); ok {
			return true
		}
	}
	return false
}
