package config

import (
	"bytes"
	"iter"
	"maps"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/wires"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// apis lists the wires, as models.json names them, and the one that Pi 0.85 has beside them, which may
// be named and is not spoken.
var apis = append(wires.APIs(), "pi-messages")

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

	unusable bool            // its server cannot be reached as it is described
	dropped  map[string]bool // models of the catalogue that cannot be reached as they are described
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

	index int // among the models of the file
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

// fill implements [filler].
func (o *ordered[T]) fill(d *document, at jsontext.Pointer, raw jsontext.Value) bool {
	var members map[string]jsontext.Value
	if !d.read(at, raw, &members, reflect.TypeFor[map[string]T](), rules{}) {
		return false
	}
	o.values = make(map[string]*T)
	for name := range namesOf(raw) {
		if o.values[name] != nil {
			continue
		}
		o.names, o.values[name] = append(o.names, name), new(T)
		d.fill(at.AppendToken(name), reflect.ValueOf(o.values[name]).Elem(), members[name], rules{})
	}
	return true
}

// namesOf yields the names of an object in their order.
func namesOf(object jsontext.Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		d := jsontext.NewDecoder(bytes.NewReader(object), lenient.Options)
		_, err := d.ReadToken()
		for err == nil && d.PeekKind() == '"' {
			name, _ := d.ReadToken()
			if text := name.String(); d.SkipValue() != nil || !yield(text) {
				return
			}
		}
	}
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
