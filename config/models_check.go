package config

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

// check looks at what the types do not say. What is wrong is reported and left out: a value
// whose default is as good; a model or a provider if the value says where and how it is reached,
// so that no key is sent to another address than the user has named.
func (f *modelsFile) check(doc *document) {
	for _, id := range f.Providers.names {
		f.Providers.values[id].check(doc, jsontext.Pointer("/providers").AppendToken(id), id)
	}
}

// reaching are the fields that say where and how something is reached.
var reaching = []string{"api", "baseUrl", "apiKey", "headers", "authHeader"}

// cannotBeReached reports whether one of the fields that say so is wrong.
func (d *document) cannotBeReached(at jsontext.Pointer) bool {
	return slices.ContainsFunc(reaching, func(name string) bool { return d.isWrong(at.AppendToken(name)) })
}

func (p *providerFile) check(doc *document, at jsontext.Pointer, id string) {
	doc.checkAPI(at.AppendToken("api"), p.API)
	doc.checkURL(at.AppendToken("baseUrl"), p.BaseURL)
	doc.checkValue(at.AppendToken("apiKey"), p.APIKey)
	doc.checkCommon(at, p.Headers, &p.Compat)
	p.unusable = doc.cannotBeReached(at)
	p.Models = slices.DeleteFunc(p.indexed(), func(m modelFile) bool {
		return !p.keeps(doc, at.AppendToken("models").AppendToken(strconv.Itoa(m.index)), id, &m)
	})
	p.dropped = make(map[string]bool)
	for _, name := range p.ModelOverrides.names {
		over, at := p.ModelOverrides.values[name], at.AppendToken("modelOverrides").AppendToken(name)
		over.check(doc, at)
		p.dropped[name] = doc.cannotBeReached(at)
	}
}

// indexed returns the models with their places in the file.
func (p *providerFile) indexed() []modelFile {
	for i := range p.Models {
		p.Models[i].index = i
	}
	return p.Models
}

// keeps checks a model, and reports whether it can be used.
func (p *providerFile) keeps(doc *document, at jsontext.Pointer, id string, m *modelFile) bool {
	if m.ID == "" {
		if !doc.isWrong(at) {
			doc.report(at, "has no id", `add "id" with the name that the server knows the model by`)
		}
		return false
	}
	if first := slices.IndexFunc(p.Models, func(other modelFile) bool { return other.ID == m.ID }); p.Models[first].index < m.index {
		doc.report(at.AppendToken("id"), "is the id of an earlier model as well", "remove one of the two")
		return false
	}
	m.check(doc, at)
	if doc.cannotBeReached(at) || p.unusable {
		return false
	}
	return p.checkReachable(doc, at, id, m)
}

// checkReachable sees that a model has a wire and an address, its own, its provider's or that
// of a provider of the catalogue.
func (p *providerFile) checkReachable(doc *document, at jsontext.Pointer, id string, m *modelFile) bool {
	if _, known := catalogue.Find(id); known {
		return true
	}
	provider := at.Parent().Parent()
	if p.API == "" && (m.API == nil || *m.API == "") {
		doc.report(provider, "has no api", `add "api": `+alternatives(apis[:4]))
		return false
	}
	if p.BaseURL == "" && (m.BaseURL == nil || *m.BaseURL == "") {
		doc.report(provider, "has no baseUrl", `add "baseUrl" with the address of the server, such as "http://127.0.0.1:8080/v1"`)
		return false
	}
	return true
}

func (f *modelFile) check(doc *document, at jsontext.Pointer) {
	if f.API != nil {
		doc.checkAPI(at.AppendToken("api"), *f.API)
	}
	if f.BaseURL != nil {
		doc.checkURL(at.AppendToken("baseUrl"), *f.BaseURL)
	}
	var input []string
	for i, kind := range f.Input {
		if doc.oneOf(at.AppendToken("input").AppendToken(strconv.Itoa(i)), kind, []string{ai.InputText, ai.InputImage}) {
			input = append(input, kind)
		}
	}
	f.Input = input
	for level := range f.ThinkingLevelMap {
		if !slices.Contains(ai.ThinkingLevels, level) {
			doc.report(at.AppendToken("thinkingLevelMap").AppendToken(string(level)), "is not a thinking level", "write "+alternatives(levelNames()))
			delete(f.ThinkingLevelMap, level)
		}
	}
	for key, n := range map[string]**int{"contextWindow": &f.ContextWindow, "maxTokens": &f.MaxTokens} {
		if *n != nil && **n <= 0 {
			doc.report(at.AppendToken(key), "must be more than 0", "write the number of tokens, or leave it out")
			*n = nil
		}
	}
	doc.checkCommon(at, f.Headers, &f.Compat)
}

// checkCommon checks what providers and models both have. A wrong compat is taken away.
func (d *document) checkCommon(at jsontext.Pointer, headers map[string]value, compat *jsontext.Value) {
	for name, v := range headers {
		d.checkValue(at.AppendToken("headers").AppendToken(name), v)
	}
	if *compat = bytes.TrimSpace(*compat); len(*compat) > 0 && compat.Kind() != '{' {
		d.report(at.AppendToken("compat"), "must not be "+article(compat.Kind()), "write an object: { … }")
		*compat = nil
	}
}

func (d *document) checkAPI(at jsontext.Pointer, api string) {
	if api != "" {
		d.oneOf(at, api, apis)
	}
}

func (d *document) checkURL(at jsontext.Pointer, text string) {
	if text != "" && !isURL(text) {
		d.report(at, "is not an address", `write it in full, such as "https://example.com/v1"`)
	}
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (d *document) checkValue(at jsontext.Pointer, v value) {
	if wrong := v.check(); wrong != nil {
		d.report(at, wrong.problem, wrong.fix)
	}
}

// oneOf reports a text that is none of those that are allowed.
func (d *document) oneOf(at jsontext.Pointer, text string, allowed []string) bool {
	if slices.Contains(allowed, text) {
		return true
	}
	d.report(at, "is "+quote(text), "write "+alternatives(allowed))
	return false
}
