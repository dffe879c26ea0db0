package strict

import (
	"fmt"
	"strings"
)

// maxImages is how many images a request of the Messages API may hold.
const maxImages = 100

// messages has the rules of Anthropic's Messages API:
// https://docs.claude.com/en/api/messages
func messages(j *judge, request object) {
	limit, _ := request["max_tokens"].(float64)
	j.want(limit >= 1, "max_tokens: it must be at least 1")
	p := &pairs{judge: j}
	list := request.list("messages")
	j.want(len(list) > 0 && list[0].text("role") == "user", "messages: the first must be of the user")
	images := 0
	for i, m := range list {
		at := fmt.Sprintf("messages.%d", i)
		j.fields(m, at, "role", "content")
		content := m.list("content")
		j.want(len(content) > 0, "%s: content must not be empty", at)
		if m.text("role") == "assistant" {
			p.closed(at)
			for _, b := range content {
				claudeSaid(p, b, at)
			}
			continue
		}
		j.want(m.text("role") == "user", "%s: the role %q", at, m.text("role"))
		results := true
		for _, b := range content {
			if b.text("type") == "tool_result" {
				j.want(results, "%s: results must come first", at)
				p.result(b.text("tool_use_id"), at)
				images += claudeResult(j, b, at)
				continue
			}
			results = false
			images += claudePart(j, b, at)
		}
		p.closed(at)
	}
	p.closed("the end")
	j.want(images <= maxImages, "%d images", images)
	for _, t := range request.list("tools") {
		j.named(t.text("name"), "tools", 128)
	}
}

// claudeSaid judges a block of an answer.
func claudeSaid(p *pairs, b object, at string) {
	switch kind := b.text("type"); kind {
	case "text":
		p.fields(b, at, "type", "text", "cache_control")
		p.said(b.text("text"), at)
	case "thinking":
		p.fields(b, at, "type", "thinking", "signature")
		p.want(b.has("thinking") && b.text("signature") != "", "%s: thinking without signature", at)
	case "redacted_thinking":
		p.fields(b, at, "type", "data")
		p.want(b.text("data") != "", "%s: withheld thinking without data", at)
	case "tool_use":
		p.fields(b, at, "type", "id", "name", "input", "cache_control")
		p.named(b.text("name"), at, 128)
		p.want(plainName.MatchString(b.text("id")), "%s: the id %q", at, b.text("id"))
		p.want(b.object("input") != nil, "%s: input is no object", at)
		p.call(b.text("id"), at)
	default:
		p.want(false, "%s: a block of type %q in an answer", at, kind)
	}
}

// claudePart judges a block of a user or a result and counts its images.
func claudePart(j *judge, b object, at string) (images int) {
	switch kind := b.text("type"); kind {
	case "text":
		j.fields(b, at, "type", "text", "cache_control")
		j.said(b.text("text"), at)
	case "image":
		j.fields(b, at, "type", "source", "cache_control")
		j.image(b.object("source").text("media_type"), b.object("source").text("data"), at)
		return 1
	default:
		j.want(false, "%s: a block of type %q", at, kind)
	}
	return 0
}

func claudeResult(j *judge, b object, at string) (images int) {
	j.fields(b, at, "type", "tool_use_id", "content", "is_error", "cache_control")
	if text, ok := b["content"].(string); ok {
		j.said(text, at)
		return 0
	}
	failed, _ := b["is_error"].(bool)
	for _, part := range b.list("content") {
		j.want(!failed || part.text("type") == "text", "%s: all content of a failed result must be text", at)
		images += claudePart(j, part, at)
	}
	return images
}

// bedrock has the rules of Converse, and those of Claude that hold there as well:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
func bedrock(j *judge, request object) {
	p := &pairs{judge: j}
	list := request.list("messages")
	j.want(len(list) > 0 && list[0].text("role") == "user", "a conversation must start with a user message")
	before := ""
	called := false
	for i, m := range list {
		at := fmt.Sprintf("messages.%d", i)
		role := m.text("role")
		j.want(role != before, "%s: roles must alternate", at)
		before = role
		j.want(len(m.list("content")) > 0, "%s: content must not be empty", at)
		if role == "assistant" {
			p.closed(at)
		}
		results := true
		for _, b := range m.list("content") {
			switch {
			case b.has("toolUse"):
				use := b.object("toolUse")
				called = true
				j.want(role == "assistant", "%s: a call of the role %s", at, role)
				j.named(use.text("name"), at, 64)
				id := use.text("toolUseId")
				j.want(plainName.MatchString(id) && len(id) <= 64, "%s: the id %q", at, id)
				j.want(use.object("input") != nil, "%s: input is no object", at)
				p.call(id, at)
			case b.has("toolResult"):
				j.want(role == "user" && results, "%s: results must come first", at)
				p.result(b.object("toolResult").text("toolUseId"), at)
				bedrockResult(j, b.object("toolResult"), at)
			default:
				results = results && b.has("cachePoint")
				bedrockPart(j, b, at)
			}
		}
		if role == "user" {
			p.closed(at)
		}
	}
	p.closed("the end")
	j.want(!called || request.has("toolConfig"), "toolConfig must be defined when calls are in the conversation")
}

func bedrockPart(j *judge, b object, at string) {
	if b.has("text") {
		j.said(b.text("text"), at)
	}
	if b.has("image") {
		image := b.object("image")
		j.image("image/"+image.text("format"), image.object("source").text("bytes"), at)
	}
}

func bedrockResult(j *judge, r object, at string) {
	content := r.list("content")
	j.want(len(content) > 0, "%s: an empty result", at)
	for _, b := range content {
		j.want(r.text("status") != "error" || !b.has("image"), "%s: all content of a failed result must be text", at)
		bedrockPart(j, b, at)
	}
	j.want(strings.TrimSpace(r.text("toolUseId")) != "", "%s: a result without id", at)
}
