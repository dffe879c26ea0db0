package wire

import (
	"strings"
	"unicode/utf8"

	"github.com/rondo-agent/rondo/ai"
)

// maxCallID and maxCacheKey are the longest id of a call and the longest key of a prompt
// cache that the services accept, in bytes.
const (
	maxCallID   = 64
	maxCacheKey = 64
)

// CallID makes an id that the service accepts: letters, digits, _ and -, at most 64 of
// them. It is an [ai.TransformOptions.CallID].
func CallID(id string, _ *ai.AssistantMessage) string {
	id = PlainID(id)
	return id[:min(len(id), maxCallID)]
}

// PlainID puts _ in place of what is neither a letter, a digit, _ nor -.
func PlainID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
}

// unnamedTool stands for a name of which nothing can be sent.
const unnamedTool = "unknown_tool"

// ToolName returns an [ai.TransformOptions.ToolName] for a service that accepts names of letters,
// digits, _, - and the further marks, at most limit of them. What a model has called wrongly,
// such as the empty name, functions.bash or one with the control tokens of its template, is in
// the transcript for good: a service that is sent it as it is refuses all later requests.
func ToolName(limit int, marks string) func(name string) string {
	accepted := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || strings.ContainsRune(marks, r)
	}
	return func(name string) string {
		if name != "" && len(name) <= limit && strings.IndexFunc(name, func(r rune) bool { return !accepted(r) }) < 0 {
			return name
		}
		words := strings.FieldsFunc(name, func(r rune) bool { return !accepted(r) })
		name = strings.Join(words, "_")
		if name = name[:min(len(name), limit)]; name == "" {
			return unnamedTool
		}
		return name
	}
}

// CacheKey cuts the key that groups requests in the prompt cache to the 64 bytes that
// OpenAI's services take, and cuts no character in two.
func CacheKey(key string) string {
	if len(key) <= maxCacheKey {
		return key
	}
	n := maxCacheKey
	for n > 0 && !utf8.RuneStart(key[n]) {
		n--
	}
	return key[:n]
}
