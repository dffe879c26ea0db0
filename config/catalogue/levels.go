package catalogue

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
)

// levels returns the levels at which a model thinks, as far as more is known than the data
// say: a wrong word is refused by the provider. ok is false for a model that thinks as it
// likes.
func (p *Provider) levels(id string, given []string) (levels []string, ok bool) {
	name := id[strings.LastIndexByte(id, '/')+1:]
	switch {
	case slices.Contains(ownOpenAI, p.ID) && openAIThinks().MatchString(name):
		levels = openAILevels(name)
		if p.ID == "github-copilot" {
			levels = append(levels, "-off")
		}
		return levels, true
	case strings.Contains(name, "gemini-3"):
		if len(given) == 0 {
			given = []string{"minimal", "low", "medium", "high"}
		}
		return append(slices.Clone(given), "-off"), true
	case p.ID == "xai" && len(given) == 0:
		return nil, false
	case p.ID == "xai":
		return append(slices.Clone(given), "-off"), true
	case p.ID == "deepseek", p.ID == "zai", p.ID == "zai-coding-cn":
		return renamed(given, ai.ThinkingXHigh, ai.ThinkingMax), true
	case p.ID == "github-copilot" && !strings.HasPrefix(name, "claude-"):
		return nil, false
	}
	return given, true
}

// ownOpenAI are the providers that serve OpenAI's models with its own words.
var ownOpenAI = []string{"openai", "azure-openai-responses", "openai-codex", "github-copilot", "opencode", "opencode-go"}

var (
	openAIThinks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:gpt-[5-9]|o[1-9])`) })
	gpt5         = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gpt-5(?:\.(\d+))?(-.*)?$`) })
)

// openAILevels are the levels of OpenAI's models, which each version has changed: the first
// know minimal and cannot do without thinking, from 5.1 on it is the other way round, 5.2 has
// brought xhigh and 5.6 max.
func openAILevels(id string) []string {
	found := gpt5().FindStringSubmatch(id)
	if found == nil {
		if strings.HasPrefix(id, "o") {
			return []string{"-off", "low", "medium", "high"}
		}
		return []string{"-off", "low", "medium", "high", "xhigh", "max"}
	}
	minor, _ := strconv.Atoi(found[1]) // none is 0
	kind := found[2]
	var levels []string
	if minor == 0 || strings.Contains(kind, "pro") || strings.Contains(kind, "chat") {
		levels = append(levels, "-off")
	}
	switch {
	case strings.Contains(kind, "pro") && minor == 0:
		return append(levels, "high")
	case strings.Contains(kind, "pro"):
		levels = append(levels, "medium", "high")
	case minor == 0 && !strings.Contains(kind, "codex"):
		levels = append(levels, "minimal", "low", "medium", "high")
	default:
		levels = append(levels, "low", "medium", "high")
	}
	if minor >= 2 || strings.Contains(kind, "codex-max") {
		levels = append(levels, "xhigh")
	}
	if minor >= 6 {
		levels = append(levels, "max")
	}
	return levels
}

func renamed(levels []string, from, to ai.ThinkingLevel) []string {
	out := slices.Clone(levels)
	for i, level := range out {
		if level == string(from) {
			out[i] = string(to)
		}
	}
	return out
}
