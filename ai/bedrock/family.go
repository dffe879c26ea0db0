package bedrock

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/ai"
)

// family is what a model can do, as far as its name tells.
type family struct {
	claude   bool
	adaptive bool // thinks with an effort and not with a budget
	caches   bool // can keep the prompt
	gov      bool // served in AWS GovCloud, which knows no display of thinking
}

// Claude's names have the version behind the model or, until 3.7, before it.
var (
	versionBehind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:opus|sonnet|haiku|fable|mythos)[-. ]?(\d+)(?:[-. ](\d{1,2})(?:\D|$))?`)
	})
	versionBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`claude[-. ]?(\d+)(?:[-. ](\d))?[-. ](?:opus|sonnet|haiku)`)
	})
)

func familyOf(req *ai.Request) family {
	m := req.Model
	f := family{
		caches: req.Options.Getenv("AWS_BEDROCK_FORCE_CACHE") == "1",
		gov:    strings.HasPrefix(m.ID, "us-gov.") || strings.Contains(m.ID, "arn:aws-us-gov:"),
	}
	for _, name := range []string{m.ID, m.Name} {
		name = strings.ToLower(name)
		if !strings.Contains(name, "claude") {
			continue
		}
		f.claude = true
		major, minor, ok := version(name)
		f.adaptive = f.adaptive || ok && (major > 4 || major == 4 && minor >= 6)
		f.caches = f.caches || ok && cached(name, major, minor)
	}
	return f
}

func version(name string) (major, minor int, ok bool) {
	found := versionBefore().FindStringSubmatch(name)
	if found == nil {
		found = versionBehind().FindStringSubmatch(name)
	}
	if found == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(found[1]) // the expression lets digits through only
	minor, _ = strconv.Atoi(found[2]) // empty is 0
	return major, minor, true
}

// cached reports whether a Claude can keep prompts: from 3.7 on, and Haiku 3.5.
func cached(name string, major, minor int) bool {
	return major >= 4 || major == 3 && (minor >= 7 || minor == 5 && strings.Contains(name, "haiku"))
}
