package config

import (
	"bytes"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/config/catalogue"
)

// The wires, as models.json names them (Pi 0.85).
var apis = []string{
	"anthropic-messages", "openai-completions", "openai-responses", "google-generative-ai",
	"azure-openai-responses", "openai-codex-responses", "google-vertex", "bedrock-converse-stream",
	"mistral-conversations", "pi-messages",
}

// The defaults of a model in models.json (Pi 0.85).
const (
	defaultWindow = 128_000
	defaultOutput = 16_384
)

// modelsFile is the content of models.json.
type modelsFile struct {
	Providers ordered[providerFile] `json:"providers"`
}

type providerFile struct {
	Name           string             `json:"name"`
	BaseURL        string             `json:"baseUrl"`
	API            string             `json:"api"`
	APIKey         value              `json:"apiKey"`
	Headers        map[string]value   `json:"headers"`
	AuthHeader     bool               `json:"authHeader"`
	Compat         jsontext.Value     `json:"compat"`
	Models         []modelFile        `json:"models"`
	ModelOverrides ordered[modelFile] `json:"modelOverrides"`
}

// modelFile is a model, or what replaces fields of one; nil fields are not given.
type modelFile struct {
	ID               string                       `json:"id"`
	Name             *string                      `json:"name"`
	API              *string                      `json:"api"`
	BaseURL          *string                      `json:"baseUrl"`
	Reasoning        *bool                        `json:"reasoning"`
	ThinkingLevelMap map[ai.ThinkingLevel]*string `json:"thinkingLevelMap"`
	Input            []string                     `json:"input"`
	Cost             costFile                     `json:"cost"`
	ContextWindow    *int                         `json:"contextWindow"`
	MaxTokens        *int                         `json:"maxTokens"`
	Headers          map[string]value             `json:"headers"`
	SamplingParams   map[string]jsontext.Value    `json:"samplingParams"`
	Compat           jsontext.Value               `json:"compat"`
}

type costFile struct {
	Input      *float64         `json:"input"`
	Output     *float64         `json:"output"`
	CacheRead  *float64         `json:"cacheRead"`
	CacheWrite *float64         `json:"cacheWrite"`
	Tiers      []ai.PricingTier `json:"tiers"`
}

// ordered is an object whose order counts.
type ordered[T any] struct {
	names  []string
	values map[string]*T
}

// UnmarshalJSONFrom reads an object.
func (o *ordered[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if kind := d.PeekKind(); kind != '{' {
		return &json.SemanticError{JSONKind: kind}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	o.values = make(map[string]*T)
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key, v := name.String(), new(T)
		if err := json.UnmarshalDecode(d, v); err != nil {
			return err
		}
		o.names = append(o.names, key)
		o.values[key] = v
	}
	_, err := d.ReadToken()
	return err
}

// apply lays what the file gives over the model.
func (f *modelFile) apply(m *ai.Model) {
	set(&m.Name, f.Name)
	set(&m.API, f.API)
	set(&m.BaseURL, f.BaseURL)
	set(&m.Reasoning, f.Reasoning)
	set(&m.ContextWindow, f.ContextWindow)
	set(&m.MaxTokens, f.MaxTokens)
	set(&m.Cost.Input, f.Cost.Input)
	set(&m.Cost.Output, f.Cost.Output)
	set(&m.Cost.CacheRead, f.Cost.CacheRead)
	set(&m.Cost.CacheWrite, f.Cost.CacheWrite)
	if f.Cost.Tiers != nil {
		m.Cost.Tiers = f.Cost.Tiers
	}
	if f.Input != nil {
		m.Input = f.Input
	}
	m.ThinkingLevelMap = merged(m.ThinkingLevelMap, f.ThinkingLevelMap)
	m.SamplingParams = merged(m.SamplingParams, f.SamplingParams)
	m.Compat = mergedObject(m.Compat, f.Compat)
}

func set[T any](field *T, given *T) {
	if given != nil {
		*field = *given
	}
}

// merged returns base with over laid over it; neither is changed.
func merged[K comparable, V any](base, over map[K]V) map[K]V {
	if len(over) == 0 {
		return base
	}
	out := maps.Clone(base)
	if out == nil {
		out = make(map[K]V, len(over))
	}
	maps.Copy(out, over)
	return out
}

// mergedObject does the same for two JSON objects that are valid or empty.
func mergedObject(base, over jsontext.Value) jsontext.Value {
	if len(over) == 0 {
		return base
	}
	if len(base) == 0 {
		return over
	}
	var a, b map[string]jsontext.Value
	if json.Unmarshal(base, &a) != nil || json.Unmarshal(over, &b) != nil {
		return over
	}
	out, err := json.Marshal(merged(a, b), json.Deterministic(true))
	if err != nil {
		return over
	}
	return out
}

// check looks at what the types do not say.
func (f *modelsFile) check(doc *document) error {
	for _, id := range f.Providers.names {
		if err := f.Providers.values[id].check(doc, jsontext.Pointer("/providers").AppendToken(id), id); err != nil {
			return err
		}
	}
	return nil
}

func (p *providerFile) check(doc *document, at jsontext.Pointer, id string) error {
	if p.API != "" {
		if err := doc.oneOf(at.AppendToken("api"), p.API, apis); err != nil {
			return err
		}
	}
	if err := doc.checkURL(at.AppendToken("baseUrl"), p.BaseURL); err != nil {
		return err
	}
	if err := doc.checkValue(at.AppendToken("apiKey"), p.APIKey); err != nil {
		return err
	}
	if err := doc.checkCommon(at, p.Headers, p.Compat); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for i := range p.Models {
		m, at := &p.Models[i], at.AppendToken("models").AppendToken(strconv.Itoa(i))
		if m.ID == "" {
			return doc.wrong(at, "has no id", `add "id" with the name that the server knows the model by`)
		}
		if seen[m.ID] {
			return doc.wrong(at.AppendToken("id"), "is the id of an earlier model as well", "remove one of the two")
		}
		seen[m.ID] = true
		if err := m.check(doc, at); err != nil {
			return err
		}
		if err := p.checkReachable(doc, at, id, m); err != nil {
			return err
		}
	}
	for _, name := range p.ModelOverrides.names {
		if err := p.ModelOverrides.values[name].check(doc, at.AppendToken("modelOverrides").AppendToken(name)); err != nil {
			return err
		}
	}
	return nil
}

// checkReachable sees that a model has a wire and an address, its own, its provider's or that
// of a provider of the catalogue.
func (p *providerFile) checkReachable(doc *document, at jsontext.Pointer, id string, m *modelFile) error {
	if _, known := catalogue.Find(id); known {
		return nil
	}
	provider := at.Parent().Parent()
	if p.API == "" && (m.API == nil || *m.API == "") {
		return doc.wrong(provider, "has no api", `add "api": `+alternatives(apis[:4]))
	}
	if p.BaseURL == "" && (m.BaseURL == nil || *m.BaseURL == "") {
		return doc.wrong(provider, "has no baseUrl", `add "baseUrl" with the address of the server, such as "http://127.0.0.1:8080/v1"`)
	}
	return nil
}

func (f *modelFile) check(doc *document, at jsontext.Pointer) error {
	if f.API != nil {
		if err := doc.oneOf(at.AppendToken("api"), *f.API, apis); err != nil {
			return err
		}
	}
	if f.BaseURL != nil {
		if err := doc.checkURL(at.AppendToken("baseUrl"), *f.BaseURL); err != nil {
			return err
		}
	}
	for i, kind := range f.Input {
		if err := doc.oneOf(at.AppendToken("input").AppendToken(strconv.Itoa(i)), kind, []string{ai.InputText, ai.InputImage}); err != nil {
			return err
		}
	}
	for level := range f.ThinkingLevelMap {
		if !slices.Contains(ai.ThinkingLevels, level) {
			return doc.wrong(at.AppendToken("thinkingLevelMap").AppendToken(string(level)), "is not a thinking level", "write "+alternatives(levelNames()))
		}
	}
	for key, n := range map[string]*int{"contextWindow": f.ContextWindow, "maxTokens": f.MaxTokens} {
		if n != nil && *n <= 0 {
			return doc.wrong(at.AppendToken(key), "must be more than 0", "write the number of tokens, or leave it out")
		}
	}
	return doc.checkCommon(at, f.Headers, f.Compat)
}

func (d *document) checkCommon(at jsontext.Pointer, headers map[string]value, compat jsontext.Value) error {
	for name, v := range headers {
		if err := d.checkValue(at.AppendToken("headers").AppendToken(name), v); err != nil {
			return err
		}
	}
	if compat = bytes.TrimSpace(compat); len(compat) > 0 && compat.Kind() != '{' {
		return d.wrong(at.AppendToken("compat"), "must not be "+article(compat.Kind()), "write an object: { … }")
	}
	return nil
}

func (d *document) checkURL(at jsontext.Pointer, text string) error {
	if text == "" {
		return nil
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return d.wrong(at, "is not an address", `write it in full, such as "https://example.com/v1"`)
	}
	return nil
}

func (d *document) checkValue(at jsontext.Pointer, v value) error {
	if wrong := v.check(); wrong != nil {
		return d.wrong(at, wrong.problem, wrong.fix)
	}
	return nil
}
