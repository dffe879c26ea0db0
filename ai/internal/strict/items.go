package strict

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxItemID is the longest id of an item or a call of the Responses API.
const maxItemID = 64

// responses has the rules of the Responses API:
// https://platform.openai.com/docs/api-reference/responses/create
func responses(j *judge, request object) {
	p := &pairs{judge: j}
	ids := make(map[string]bool)
	stored, _ := request["store"].(bool)
	led := "" // the reasoning that must be followed by what it led to
	for i, item := range request.list("input") {
		at := fmt.Sprintf("input.%d", i)
		kind := item.text("type")
		if id := item.text("id"); id != "" {
			j.want(len(id) <= maxItemID && !ids[id], "%s: the id %q", at, id)
			ids[id] = true
		}
		follows := kind == "function_call" || item.text("role") == "assistant"
		j.want(led == "" || follows || kind == "reasoning", "input: %s was provided without its required following item", led)
		if kind != "reasoning" {
			led = ""
		}
		switch {
		case kind == "reasoning":
			j.want(stored || item.text("encrypted_content") != "", "%s: items are not persisted when store is false", at)
			led = at
		case kind == "function_call":
			j.named(item.text("name"), at, 64)
			j.want(len(item.text("call_id")) <= maxItemID, "%s: the call id is too long", at)
			arguments := jsontext.Value(item.text("arguments"))
			j.want(arguments.IsValid() && arguments.Kind() == '{', "%s: the arguments %q", at, arguments)
			p.call(item.text("call_id"), at)
		case kind == "function_call_output":
			p.result(item.text("call_id"), at)
			responseParts(j, item["output"], at)
		case item.text("role") == "assistant": // may stand between a call and its result
			responseParts(j, item["content"], at)
		default:
			p.closed(at)
			responseParts(j, item["content"], at)
		}
	}
	j.want(led == "", "input: %s was provided without its required following item", led)
	p.closed("the end")
}

func responseParts(j *judge, v any, at string) {
	if text, ok := v.(string); ok {
		j.said(text, at)
	}
	for _, part := range objects(v) {
		switch kind := part.text("type"); kind {
		case "output_text":
		case "input_text":
			j.said(part.text("text"), at)
		case "input_image":
			j.dataURL(part.text("image_url"), at)
		default:
			j.want(false, "%s: a part of type %q", at, kind)
		}
	}
}

// googleName is a name of a function (https://ai.google.dev/api/caching#FunctionDeclaration).
var googleName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// google has the rules of generateContent:
// https://ai.google.dev/gemini-api/docs/function-calling
func google(j *judge, request object) {
	list := request.list("contents")
	j.want(len(list) > 0, "contents must not be empty")
	calls := 0 // of the turn before
	for i, turn := range list {
		at := fmt.Sprintf("contents.%d", i)
		role := turn.text("role")
		j.want(role == "user" || role == "model", "%s: the role %q", at, role)
		parts := turn.list("parts")
		j.want(len(parts) > 0, "%s: parts must not be empty", at)
		made, answered := 0, 0
		for _, p := range parts {
			googlePart(j, p, at)
			if p.has("functionCall") {
				j.want(role == "model", "%s: a call of the role %s", at, role)
				j.want(googleName.MatchString(p.object("functionCall").text("name")), "%s: the name %q", at, p.object("functionCall").text("name"))
				made++
			}
			if p.has("functionResponse") {
				j.want(role == "user", "%s: a response of the role %s", at, role)
				j.want(googleName.MatchString(p.object("functionResponse").text("name")), "%s: the name %q", at, p.object("functionResponse").text("name"))
				answered++
			}
		}
		j.want(answered == calls, "%s: %d function responses for %d function calls", at, answered, calls)
		calls = made
	}
	j.want(calls == 0, "%d calls at the end have no responses", calls)
}

func googlePart(j *judge, p object, at string) {
	data := 0
	for _, name := range []string{"text", "inlineData", "functionCall", "functionResponse"} {
		if p.has(name) {
			data++
		}
	}
	j.want(data == 1, "%s: a part must have one kind of data, not %d", at, data)
	signature := p.text("thoughtSignature")
	if p.has("text") && signature == "" {
		j.said(p.text("text"), at)
	}
	if image := p.object("inlineData"); image != nil {
		j.image(image.text("mimeType"), image.text("data"), at)
	}
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(signature), "=")
	_, err := base64.RawStdEncoding.DecodeString(plain)
	j.want(err == nil || signature == "skip_thought_signature_validator", "%s: the signature is no base64", at)
}
