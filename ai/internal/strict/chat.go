package strict

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// completions has the rules of Chat Completions:
// https://platform.openai.com/docs/api-reference/chat/create
func completions(j *judge, request object) {
	chat(j, request, &service{ids: regexp.MustCompile(`^[^|]{1,40}$`)})
}

// mistral has those of Mistral, whose ids have nine letters or digits:
// https://docs.mistral.ai/api/endpoint/chat
func mistral(j *judge, request object) {
	chat(j, request, &service{ids: regexp.MustCompile(`^[A-Za-z0-9]{9}$`), toolImages: true})
}

// service is what tells the services of chat completions apart.
type service struct {
	ids        *regexp.Regexp
	toolImages bool // a tool message may hold images
}

func chat(j *judge, request object, s *service) {
	p := &pairs{judge: j}
	list := request.list("messages")
	j.want(len(list) > 0, "messages must not be empty")
	for i, m := range list {
		at := fmt.Sprintf("messages.%d", i)
		j.fields(m, at, "role", "content", "name", "tool_call_id", "tool_calls", "refusal",
			"reasoning_content", "reasoning", "reasoning_text", "reasoning_details")
		role := m.text("role")
		if role != "tool" {
			p.closed(at)
		}
		switch role {
		case "system", "developer", "user":
			j.want(m.has("content"), "%s: no content", at)
		case "assistant":
			j.want(m.has("content") || len(m.list("tool_calls")) > 0, "%s: neither content nor calls", at)
			for _, c := range m.list("tool_calls") {
				chatCall(j, c, at)
				id := c.text("id")
				j.want(s.ids.MatchString(id), "%s: the id %q", at, id)
				delete(p.seen, id) // unique within one answer
				p.call(id, at)
			}
		case "tool":
			j.want(m.has("content"), "%s: no content", at)
			p.result(m.text("tool_call_id"), at)
		default:
			j.want(false, "%s: the role %q", at, role)
		}
		chatParts(j, m, s.toolImages, at)
	}
	p.closed("the end")
}

func chatCall(j *judge, c object, at string) {
	f := c.object("function")
	j.named(f.text("name"), at, 64)
	arguments := jsontext.Value(f.text("arguments"))
	j.want(arguments.IsValid() && arguments.Kind() == '{', "%s: the arguments %q", at, arguments)
}

// chatParts judges content that is a list.
func chatParts(j *judge, m object, toolImages bool, at string) {
	role := m.text("role")
	parts, isList := m["content"].([]any)
	j.want(!isList || len(parts) > 0, "%s: content must not be empty", at)
	for _, part := range objects(m["content"]) {
		switch kind := part.text("type"); kind {
		case "text":
			j.said(part.text("text"), at)
		case "thinking":
			j.want(role == "assistant", "%s: thinking of the role %s", at, role)
		case "image_url":
			j.want(role == "user" || role == "tool" && toolImages, "%s: an image of the role %s", at, role)
			address := part.text("image_url")
			if address == "" {
				address = part.object("image_url").text("url")
			}
			j.dataURL(address, at)
		default:
			j.want(false, "%s: a part of type %q", at, kind)
		}
	}
}
