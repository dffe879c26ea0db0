package script_test

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/script"
)

// steps are what an example does, in the words of testdata/examples/trace.js and words.js.
type steps struct {
	mu     sync.Mutex
	lines  []string
	places *strings.Replacer // folders by the word that stands for them
}

// lax is how values of scripts are written and read.
var lax = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), json.Deterministic(true))

// note writes one line.
func (s *steps) note(what string, values ...any) {
	line := make([]any, 0, len(values)+1)
	line = append(line, s.plain(what))
	for _, v := range values {
		if err, ok := v.(error); ok {
			v = map[string]any{"error": message(err)}
		}
		raw, err := json.Marshal(v, lax)
		if err != nil {
			raw, _ = json.Marshal("unwritable: "+err.Error(), lax)
		}
		var value any
		if err := json.Unmarshal(raw, &value, lax); err != nil {
			value = err.Error()
		}
		line = append(line, s.plain(value))
	}
	raw, err := json.Marshal(line, lax)
	if err != nil {
		raw = jsontext.Value(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, string(raw))
}

// message is what an error of a script says.
func message(err error) string {
	text := err.Error()
	if failure, ok := errors.AsType[*script.ScriptError](err); ok {
		text = failure.Message
	}
	if strings.HasPrefix(strings.ToLower(text), "cannot read propert") {
		return "<a value is undefined>"
	}
	return text
}

var (
	someUUID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	someTemporary = regexp.MustCompile(`(pi|rondo)-(bash|powershell|ls|output|truncated|rg|subagent)-?[A-Za-z0-9]+`)
)

// plain replaces what differs from run to run.
func (s *steps) plain(value any) any {
	switch v := value.(type) {
	case string:
		return someTemporary.ReplaceAllString(someUUID.ReplaceAllString(s.places.Replace(v), "<uuid>"), "<temporary>")
	case []any:
		for i := range v {
			v[i] = s.plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = s.plain(v[key])
		}
	}
	return value
}

// some drops what is absent, empty, false or 0.
func some(m map[string]any) map[string]any {
	maps.DeleteFunc(m, func(_ string, v any) bool {
		switch v := v.(type) {
		case string:
			return v == ""
		case bool:
			return !v
		case int:
			return v == 0
		case []string:
			return len(v) == 0
		case map[string]string:
			return len(v) == 0
		case jsontext.Value:
			return len(v) == 0 || v.Kind() == 'n'
		}
		return v == nil
	})
	return m
}

func with(m, more map[string]any) map[string]any { maps.Copy(m, more); return m }

func toolWords(t *extension.Tool) map[string]any {
	functions := []string{}
	for name, has := range map[string]bool{"prepareArguments": t.PrepareArguments != nil, "renderCall": t.RenderCall != nil, "renderResult": t.RenderResult != nil} {
		if has {
			functions = append(functions, name)
		}
	}
	slices.Sort(functions)
	return with(map[string]any{"name": t.Name, "label": t.Label, "description": t.Description, "parameters": t.Parameters.JSON(), "functions": functions},
		some(map[string]any{"promptSnippet": t.PromptSnippet, "promptGuidelines": t.PromptGuidelines, "executionMode": string(t.Mode), "renderSelf": t.RenderSelf}))
}

func providerWords(name string, p *extension.Provider) map[string]any {
	models := p.Models
	if models == nil {
		models = []jsontext.Value{}
	}
	login := ""
	if p.OAuth != nil {
		login = p.OAuth.Name
	}
	return with(map[string]any{"name": name, "models": models, "streams": p.Stream != nil},
		some(map[string]any{"displayName": p.Name, "baseUrl": p.BaseURL, "apiKey": p.APIKey, "api": p.API, "headers": p.Headers, "authHeader": p.AuthHeader, "oauth": login}))
}

func messageWords(m *extension.CustomMessage) map[string]any {
	return with(map[string]any{"customType": m.CustomType, "content": m.Content, "display": m.Display}, some(map[string]any{"details": m.Details}))
}

func resultWords(r *agent.ToolResult) map[string]any {
	out := with(map[string]any{"content": r.Content}, some(map[string]any{"details": r.Details, "addedToolNames": r.AddedToolNames, "isError": r.IsError}))
	if r.Terminate != nil {
		out["terminate"] = *r.Terminate
	}
	if r.Usage != nil {
		out["usage"] = r.Usage
	}
	return out
}

func placementWords(o *extension.OverlayOptions) map[string]any {
	if o == nil {
		return map[string]any{}
	}
	out := some(map[string]any{
		"width": o.Width, "minWidth": o.MinWidth, "maxHeight": o.MaxHeight, "anchor": o.Anchor, "offsetX": o.OffsetX, "offsetY": o.OffsetY,
		"row": o.Row, "col": o.Col, "nonCapturing": o.NonCapturing,
	})
	if margin := some(map[string]any{"top": o.Margin.Top, "right": o.Margin.Right, "bottom": o.Margin.Bottom, "left": o.Margin.Left}); len(margin) > 0 {
		out["margin"] = margin
	}
	if o.Visible != nil {
		out["visible"] = o.Visible(80, 40)
	}
	return out
}
