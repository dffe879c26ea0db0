package ai

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// IsOverflow reports whether an answer shows that its request was larger than the
// context window: an error that says so; an answer to more input than the window holds;
// or one that was cut before its first token with the window full. contextWindow is in
// tokens; 0 leaves the numbers out of it.
func IsOverflow(m *AssistantMessage, contextWindow int) bool {
	return Classifier{}.IsOverflow(m, contextWindow)
}

// IsOverflow is [IsOverflow] with further phrases.
func (c Classifier) IsOverflow(m *AssistantMessage, contextWindow int) bool {
	input := m.Usage.Input + m.Usage.CacheRead
	switch m.StopReason {
	case StopError:
		return c.Classify(m.Err, m.ErrorMessage) == ClassOverflow
	case StopEnd:
		return contextWindow > 0 && input > contextWindow
	case StopLength:
		return contextWindow > 0 && m.Usage.Output == 0 && input*100 >= contextWindow*99
	}
	return false
}

// IsRecoverableLength reports whether an answer was cut although it is shorter than the
// model's limit of maxTokens: unless [FillsWindow] says otherwise the window was full, and a
// smaller request may help.
func IsRecoverableLength(m *AssistantMessage, maxTokens int) bool {
	return m.StopReason == StopLength && maxTokens > 0 && m.Usage.Output < maxTokens
}

// FillsWindow reports whether the token counts of an answer allow that its request and it have
// filled the context window. Half of the window is taken for that, since windows in model records
// may be larger than those that a server has set; counts that are missing allow anything.
func FillsWindow(m *AssistantMessage, contextWindow int) bool {
	u := &m.Usage
	total := u.Input + u.Output + u.CacheRead + u.CacheWrite
	return total == 0 || contextWindow <= 0 || total*2 >= contextWindow
}

// MayBeOverflow reports whether a failed answer may be an overflow that its server words in a way
// that is not known: the request was refused as bad (status 400), nothing says why it was, and by
// an estimate in tokens it takes more than nine tenths of the window. A smaller request is worth
// one attempt.
func (c Classifier) MayBeOverflow(m *AssistantMessage, contextWindow, estimate int) bool {
	if m.StopReason != StopError || contextWindow <= 0 || estimate*10 <= contextWindow*9 {
		return false
	}
	status, typed := errors.AsType[*StatusError](m.Err)
	if typed && status.Status != http.StatusBadRequest || !typed && !strings.HasPrefix(m.ErrorMessage, "400 ") {
		return false
	}
	return c.Classify(m.Err, m.ErrorMessage) == ClassPermanent && !isAbout(failureText(m.Err, status, m.ErrorMessage), otherSubjects)
}

func (c Classifier) isOverflowText(text string) bool {
	return matchesAny(text, overflowPhrases, c.Overflow) && !matchesAny(text, throttlePhrases)
}

// mayRefuseSize reports whether a failure may be about the size of the request: it is one of a
// stream, or has the status of a bad request, or one of gateways that hide that of their upstream.
func mayRefuseSize(status *StatusError, text string) bool {
	if status == nil {
		return !namesStatus(text)
	}
	switch status.Status {
	case 0, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusBadGateway:
		return status.Retry == nil || !*status.Retry
	}
	return false
}

// saysTooLong reports whether a line of a text, in lower case, says in its own words that a
// request is too long: it names what a request consists of and that there is too much of it, and
// nothing that else can be too much.
func saysTooLong(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.NewReplacer("_", " ", "contextwindow", "context window ", "contextlength", "context length ").Replace(line)
		if !matchesAny(line, requestSubjects) || isAbout(line, otherSubjects) || matchesAny(line, throttlePhrases) {
			continue
		}
		if matchesAny(line, excessWords) || matchesAny(line, comparisons) && matchesAny(line, sizeWords) {
			return true
		}
	}
	return false
}

// isAbout reports whether a text names one of these subjects as words of their own.
func isAbout(text string, subjects []string) bool {
	return slices.ContainsFunc(subjects, func(subject string) bool {
		for rest := text; ; {
			at := strings.Index(rest, subject)
			if at < 0 {
				return false
			}
			if at == 0 || !isLetter(rest[at-1]) {
				return true
			}
			rest = rest[at+len(subject):]
		}
	})
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }
