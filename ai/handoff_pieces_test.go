package ai_test

import (
	"fmt"
	"strings"
)

// said is a piece of what a request says, whatever its wire.
type said struct {
	role string // user, assistant
	kind string // text, thinking, call, result, image
	id   string // of a call or a result
	text string
}

func (s said) String() string { return strings.TrimSpace(fmt.Sprint(s.kind, " ", s.id, s.text)) }

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// ofCompletions reads chat completions and Mistral's form of them.
func ofCompletions(body any) []said {
	var out []said
	for _, m := range list(at(body, "messages")) {
		role := str(at(m, "role"))
		switch role {
		case "system", "developer":
			continue
		case "tool":
			out = append(out, said{role: "user", kind: "result", id: str(at(m, "tool_call_id")), text: fmt.Sprint(at(m, "content"))})
			for _, p := range list(at(m, "content")) {
				if at(p, "image_url") != nil {
					out = append(out, said{role: "user", kind: "image"})
				}
			}
			continue
		}
		for _, field := range []string{"reasoning_content", "reasoning", "reasoning_text"} {
			if text := at(m, field); text != nil {
				out = append(out, said{role: role, kind: "thinking", text: str(text)})
			}
		}
		if text, ok := at(m, "content").(string); ok {
			out = append(out, said{role: role, kind: "text", text: text})
		}
		for _, p := range list(at(m, "content")) {
			switch at(p, "type") {
			case "text":
				out = append(out, said{role: role, kind: "text", text: str(at(p, "text"))})
			case "thinking":
				out = append(out, said{role: role, kind: "thinking", text: fmt.Sprint(at(p, "thinking"))})
			case "image_url":
				out = append(out, said{role: role, kind: "image"})
			}
		}
		for _, c := range list(at(m, "tool_calls")) {
			out = append(out, said{role: role, kind: "call", id: str(at(c, "id"))})
		}
	}
	return out
}

func ofAnthropic(body any) []said {
	var out []said
	for _, m := range list(at(body, "messages")) {
		role := str(at(m, "role"))
		for _, b := range list(at(m, "content")) {
			switch at(b, "type") {
			case "text":
				out = append(out, said{role: role, kind: "text", text: str(at(b, "text"))})
			case "thinking", "redacted_thinking":
				out = append(out, said{role: role, kind: "thinking", text: str(at(b, "thinking")) + str(at(b, "data"))})
			case "tool_use":
				out = append(out, said{role: role, kind: "call", id: str(at(b, "id"))})
			case "tool_result":
				out = append(out, said{role: role, kind: "result", id: str(at(b, "tool_use_id")), text: fmt.Sprint(at(b, "content"))})
				out = append(out, imagesIn(at(b, "content"))...)
			case "image":
				out = append(out, said{role: role, kind: "image"})
			}
		}
	}
	return out
}

// imagesIn lists the images of a result.
func imagesIn(content any) []said {
	var out []said
	for _, p := range list(content) {
		if at(p, "type") == "image" || at(p, "type") == "input_image" || at(p, "image") != nil || at(p, "inlineData") != nil {
			out = append(out, said{role: "user", kind: "image"})
		}
	}
	return out
}

func ofResponses(body any) []said {
	var out []said
	for _, item := range list(at(body, "input")) {
		role := str(at(item, "role"))
		switch at(item, "type") {
		case "reasoning":
			out = append(out, said{role: "assistant", kind: "thinking", text: fmt.Sprint(at(item, "summary"))})
		case "function_call":
			out = append(out, said{role: "assistant", kind: "call", id: str(at(item, "call_id"))})
		case "function_call_output":
			out = append(out, said{role: "user", kind: "result", id: str(at(item, "call_id")), text: fmt.Sprint(at(item, "output"))})
			out = append(out, imagesIn(at(item, "output"))...)
		default:
			if role == "system" || role == "developer" {
				continue
			}
			for _, p := range list(at(item, "content")) {
				kind := "text"
				if at(p, "type") == "input_image" {
					kind = "image"
				}
				out = append(out, said{role: role, kind: kind, text: str(at(p, "text"))})
			}
		}
	}
	return out
}

func ofGoogle(body any) []said {
	var out []said
	for _, turn := range list(at(body, "contents")) {
		role := "user"
		if at(turn, "role") == "model" {
			role = "assistant"
		}
		for _, p := range list(at(turn, "parts")) {
			switch {
			case at(p, "functionCall") != nil:
				out = append(out, said{role: role, kind: "call", id: str(at(p, "functionCall", "id"))})
			case at(p, "functionResponse") != nil:
				out = append(out, said{role: role, kind: "result", id: str(at(p, "functionResponse", "id")), text: fmt.Sprint(at(p, "functionResponse", "response"))})
				out = append(out, imagesIn(at(p, "functionResponse", "parts"))...)
			case at(p, "inlineData") != nil:
				out = append(out, said{role: role, kind: "image"})
			case at(p, "thought") == true:
				out = append(out, said{role: role, kind: "thinking", text: str(at(p, "text"))})
			default:
				out = append(out, said{role: role, kind: "text", text: str(at(p, "text"))})
			}
		}
	}
	return out
}

func ofBedrock(body any) []said {
	var out []said
	for _, m := range list(at(body, "messages")) {
		role := str(at(m, "role"))
		for _, b := range list(at(m, "content")) {
			switch {
			case at(b, "text") != nil:
				out = append(out, said{role: role, kind: "text", text: str(at(b, "text"))})
			case at(b, "reasoningContent") != nil:
				out = append(out, said{role: role, kind: "thinking", text: str(at(b, "reasoningContent", "reasoningText", "text")) + str(at(b, "reasoningContent", "redactedContent"))})
			case at(b, "toolUse") != nil:
				out = append(out, said{role: role, kind: "call", id: str(at(b, "toolUse", "toolUseId"))})
			case at(b, "toolResult") != nil:
				out = append(out, said{role: role, kind: "result", id: str(at(b, "toolResult", "toolUseId")), text: fmt.Sprint(at(b, "toolResult", "content"))})
				out = append(out, imagesIn(at(b, "toolResult", "content"))...)
			case at(b, "image") != nil:
				out = append(out, said{role: role, kind: "image"})
			}
		}
	}
	return out
}
