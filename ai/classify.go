package ai

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// Class is the kind of failure that an answer ended with, which decides what helps.
type Class int

// The classes of failures.
const (
	// ClassNone: no failure.
	ClassNone Class = iota
	// ClassAborted: the request was cancelled. It is not sent again.
	ClassAborted
	// ClassTransient: the same request may succeed later.
	ClassTransient
	// ClassOverflow: the request is larger than the context window. A smaller one may
	// succeed.
	ClassOverflow
	// ClassLimit: a quota or a budget is used up. Nothing helps until it is renewed.
	ClassLimit
	// ClassPermanent: anything else, such as a wrong key or a bad request.
	ClassPermanent
)

// String names the class.
func (c Class) String() string {
	return [...]string{"none", "aborted", "transient", "overflow", "limit", "permanent"}[c]
}

// Classifier tells failures of providers apart. The zero value knows the phrases of the
// well-known providers; the fields add to them. A phrase is compared without regard to
// case, and * in it stands for any text on the same line.
//
// Only failures of model requests are its business: an error of a tool must never get
// here, or a tool's own network failure would have the model asked again.
type Classifier struct {
	// Transient are phrases of failures that pass.
	Transient []string
	// Limit are phrases of quotas that are used up; they win over all others.
	Limit []string
	// Overflow are phrases that say that the request was too large.
	Overflow []string
}

// Classify classifies a failure by its cause and by the text that a person sees; either
// may be missing. Typed causes decide before texts do, quotas before both.
func Classify(err error, text string) Class { return Classifier{}.Classify(err, text) }

// Classify is [Classify] with further phrases.
func (c Classifier) Classify(err error, text string) Class {
	if err == nil && text == "" {
		return ClassNone
	}
	if errors.Is(err, context.Canceled) {
		return ClassAborted
	}
	status, _ := errors.AsType[*StatusError](err)
	text = failureText(err, status, text)
	switch {
	case matchesAny(text, limitPhrases, c.Limit) || status != nil && isLimit(status):
		return ClassLimit
	case c.isOverflowText(text) || status != nil && status.Status == http.StatusRequestEntityTooLarge:
		return ClassOverflow
	case mayRefuseSize(status, text) && saysTooLong(text):
		return ClassOverflow
	}
	if status != nil {
		if class := classifyStatus(status); class != ClassNone {
			return class
		}
	} else if class := classifyCause(err); class != ClassNone {
		return class
	} else if namesStatus(text) {
		return ClassTransient
	}
	if matchesAny(text, transientPhrases, c.Transient) {
		return ClassTransient
	}
	return ClassPermanent
}

// failureText joins all that is said about a failure, in lower case.
func failureText(err error, status *StatusError, text string) string {
	var b strings.Builder
	b.WriteString(text)
	if err != nil && err.Error() != text {
		b.WriteString("\n" + err.Error())
	}
	if status != nil {
		b.WriteString("\n" + status.Code + "\n" + status.Body)
	}
	return strings.ToLower(b.String())
}

func isLimit(e *StatusError) bool {
	return e.Status == http.StatusPaymentRequired || slices.Contains(limitCodes, strings.ToLower(e.Code))
}

// classifyStatus judges by the status alone; ClassNone where the text has to decide.
func classifyStatus(e *StatusError) Class {
	if e.Retry != nil {
		if *e.Retry {
			return ClassTransient
		}
		return ClassPermanent
	}
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return ClassTransient
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return ClassPermanent
	}
	if e.Status >= 500 {
		return ClassTransient
	}
	return ClassNone
}

// classifyCause judges by the type of a failure of the connection; ClassNone where the
// text has to decide. It asks for no Timeout method: errors of files have one too.
func classifyCause(err error) Class {
	if err == nil {
		return ClassNone
	}
	if _, bad := errors.AsType[*tls.CertificateVerificationError](err); bad {
		return ClassPermanent
	}
	for _, cause := range transientCauses {
		if errors.Is(err, cause) {
			return ClassTransient
		}
	}
	if _, ok := errors.AsType[*TimeoutError](err); ok {
		return ClassTransient
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return ClassTransient
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return ClassTransient
	}
	return ClassNone
}

// transientCauses are failures of a connection.
var transientCauses = []error{
	ErrUnterminated, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed, context.DeadlineExceeded,
	syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
	syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN, syscall.ENETRESET,
}

// namesStatus reports whether a text names a transient status as a number of its own,
// as in "503 upstream down".
func namesStatus(text string) bool {
	numbers := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(numbers, func(n string) bool {
		code, err := strconv.Atoi(n)
		return err == nil && len(n) == 3 && slices.Contains(transientStatuses, code)
	})
}

// IsRetryable reports whether sending the request of a failed answer again may help.
func IsRetryable(m *AssistantMessage) bool { return Classifier{}.IsRetryable(m) }

// IsRetryable is [IsRetryable] with further phrases.
func (c Classifier) IsRetryable(m *AssistantMessage) bool {
	return m.StopReason == StopError && c.Classify(m.Err, m.ErrorMessage) == ClassTransient
}

// ErrEmptyAnswer means that a model ended its answer without anything in it. Such an answer
// counts as failed, and its request may be made again.
var ErrEmptyAnswer = errors.New("the model answered with nothing")

// FailedEmpty returns the answer as a failed one, with [ErrEmptyAnswer].
func FailedEmpty(m *AssistantMessage) *AssistantMessage {
	failed := *m
	failed.StopReason, failed.Err = StopError, ErrEmptyAnswer
	failed.ErrorMessage = m.Model + " answered with nothing; try again"
	return &failed
}

// IsEmpty reports whether an answer that claims success has nothing in it: neither a
// call, nor text or thinking that is not blank, or a wish to use tools without a call.
// Some servers answer so now and then; asking again helps.
func IsEmpty(m *AssistantMessage) bool {
	switch m.StopReason {
	case StopEnd, StopToolUse:
	default:
		return false
	}
	for _, block := range m.Content {
		switch b := block.(type) {
		case *ToolCall:
			return false
		case *Text:
			if m.StopReason == StopEnd && strings.TrimSpace(b.Text) != "" {
				return false
			}
		case *Thinking:
			if m.StopReason == StopEnd && (strings.TrimSpace(b.Thinking) != "" || b.Redacted) {
				return false
			}
		default:
		}
	}
	return true
}

// RetryAfter returns how long the server of a failed answer asked to wait; 0 if it did
// not say.
func RetryAfter(m *AssistantMessage) time.Duration {
	text := m.ErrorMessage
	if status, ok := errors.AsType[*StatusError](m.Err); ok {
		if status.RetryAfter > 0 {
			return status.RetryAfter
		}
		text += "\n" + status.Body
	}
	text = strings.ToLower(text)
	for _, words := range delayPhrases {
		if _, rest, found := strings.Cut(text, words); found {
			if d := leadingDuration(rest); d > 0 {
				return d
			}
		}
	}
	return 0
}

// leadingDuration reads a duration such as 6.2s, 350ms, 2m30s, "12 seconds" or "1 minute"
// at the beginning of text; 0 if there is none.
func leadingDuration(text string) time.Duration {
	text = strings.TrimLeft(text, ` :="'`)
	var total time.Duration
	for {
		end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if end <= 0 {
			return total
		}
		n, err := strconv.ParseFloat(text[:end], 64)
		if err != nil {
			return total
		}
		rest := strings.TrimLeft(text[end:], " ")
		word := rest
		if i := strings.IndexFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' }); i >= 0 {
			word = rest[:i]
		}
		unit, known := delayUnits[word]
		if !known || n*float64(unit) > float64(1000*time.Hour) {
			return total
		}
		total += time.Duration(n * float64(unit))
		text = rest[len(word):]
	}
}

// matchesAny reports whether text, in lower case, contains a phrase of a list.
func matchesAny(text string, lists ...[]string) bool {
	for _, list := range lists {
		for _, phrase := range list {
			if contains(text, strings.ToLower(phrase)) {
				return true
			}
		}
	}
	return false
}

// contains reports whether a line of text contains the phrase, in which * is a gap.
func contains(text, phrase string) bool {
	first, more, gap := strings.Cut(phrase, "*")
	if !gap {
		return strings.Contains(text, phrase)
	}
	for line := range strings.Lines(text) {
		if _, rest, found := strings.Cut(line, first); found && contains(rest, more) {
			return true
		}
	}
	return false
}
