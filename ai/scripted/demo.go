package scripted

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
)

// DemoID is the model id of the demo model; its API and provider are those of the
// scripted model.
const DemoID = "demo"

// DemoPace is the time before each word that [Demo] says.
const DemoPace = 3 * time.Millisecond

// demoLongest bounds how long a long answer of the demo model is stretched.
const demoLongest = 800 * time.Millisecond

// demoCalls begins the ids of the demo model's calls, by which it knows their results.
const demoCalls = "demo_"

// DemoRecord returns a new record of the demo model.
func DemoRecord() *ai.Model {
	m := Record()
	m.ID, m.Name = DemoID, "Scripted demo (not an AI model)"
	return m
}

// Demo returns the demo model: no AI model, but a few plain phrases that it answers
// through the tools of the request (read, write, edit, bash, ls, find, grep). It says so
// in its first answer, and how to get a real model. Other requests are answered with what
// it understands.
//
//	read FILE                          list, list DIR
//	find PATTERN, find PATTERN in DIR  search TEXT, search TEXT in DIR
//	run COMMAND, run: COMMAND          write FILE: TEXT, create FILE with TEXT
//	replace A with B in FILE           make a hello script and test it
//	hello, help
//
// Phrases can be joined with ", then". Steps run one after another; after a step that
// failed it says what failed and stops. The newest message of the user counts, also when
// it comes in the middle of steps. Without ls, find, grep or read it uses bash; it never
// calls a tool that is not offered.
//
// The same conversation always gets the same answer.
func Demo() ai.StreamFunc { return DemoAt(DemoPace) }

// DemoAt is [Demo] with another time before each word; 0 is no time at all, for tests.
// Long answers come faster, so that none takes much longer than a second.
func DemoAt(pace time.Duration) ai.StreamFunc {
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		model := req.Model
		if model == nil {
			model = DemoRecord()
		}
		return ai.NewStream(ctx, model, func(ctx context.Context, w *ai.Writer) error {
			reply := demoReply(req)
			reply.Pace = demoPace(pace, reply.Blocks)
			usage := ai.Usage{Input: ai.EstimateTokens(req.Context)}
			p := player{w: w, reply: &reply, usage: usage, ids: newIDs(demoCalls, req)}
			return p.play(ctx)
		})
	}
}

func demoPace(pace time.Duration, blocks []Block) time.Duration {
	pieces := 1
	for _, b := range blocks {
		if text, ok := b.Content.(*ai.Text); ok {
			pieces += len(words(text.Text))
		}
	}
	return min(pace, demoLongest/time.Duration(pieces))
}

// What the demo model says about itself: in its first answer, at the end of the run that
// it belongs to, and at the end of later runs.
const (
	demoNotice = "I am the scripted demo model, not an AI model: I only know a few fixed phrases.\n" +
		"For a real model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or describe one in ~/.rondo/models.json."
	demoReminder = "(Scripted demo model, not an AI model. For a real one, set ANTHROPIC_API_KEY or OPENAI_API_KEY.)"
	demoShort    = "(scripted demo model)"
	// demoMark is part of demoNotice.
	demoMark = "scripted demo model, not an AI model"
)

// situation is what the demo model takes from a conversation.
type situation struct {
	text   string // the newest message of the user
	images int
	tools  map[string]bool
	// results are those of the demo model's own calls since then.
	results []*ai.ToolResultMessage
	// introduced says that the notice has been given before the newest message, and
	// introducing that it has been given since.
	introduced, introducing bool
	before                  []ai.Message // the conversation up to the newest message
}

func situationOf(req *ai.Request) *situation {
	c := ai.Fold(req.Context)
	s := &situation{tools: make(map[string]bool)}
	if req.Options.ToolChoice != "none" {
		for _, t := range c.Tools {
			s.tools[t.Name] = true
		}
	}
	at := len(c.Messages) - 1
	for ; at >= 0; at-- {
		if user, ok := c.Messages[at].(*ai.UserMessage); ok {
			s.read(user.Content)
			break
		}
	}
	at = max(at, 0)
	s.before = c.Messages[:at]
	s.introduced = gaveNotice(s.before)
	s.introducing = gaveNotice(c.Messages[at:])
	for _, m := range c.Messages[at:] {
		if result, ok := m.(*ai.ToolResultMessage); ok && strings.HasPrefix(result.ToolCallID, demoCalls) {
			s.results = append(s.results, result)
		}
	}
	return s
}

// attachments matches the files that a command line puts before a prompt.
var attachments = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<file name="[^"]*">.*?</file>\s*`)
})

// read takes what a user says from the first text that is not only attached files.
func (s *situation) read(content ai.Content) {
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Text:
			if s.text == "" {
				s.text = strings.TrimSpace(attachments().ReplaceAllString(strings.ToValidUTF8(b.Text, "\uFFFD"), ""))
			}
		case *ai.Image:
			s.images++
		default:
		}
	}
}

func gaveNotice(messages []ai.Message) bool {
	for _, m := range messages {
		if answer, ok := m.(*ai.AssistantMessage); ok && strings.Contains(answer.Content.Text(), demoMark) {
			return true
		}
	}
	return false
}

// lastFile returns the file that the latest call before the newest message named.
func (s *situation) lastFile() string {
	for _, m := range slices.Backward(s.before) {
		answer, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, call := range answer.Content.ToolCalls() {
			if call.Name == toolRead || call.Name == toolWrite || call.Name == toolEdit {
				var args struct {
					Path string `json:"path"`
				}
				if json.Unmarshal(call.Arguments, &args) == nil && args.Path != "" {
					return args.Path
				}
			}
		}
	}
	return ""
}

// demoReply is the demo model's answer.
func demoReply(req *ai.Request) Reply {
	s := situationOf(req)
	if asksForSummary(s) {
		return Say("This summary comes from the scripted demo model, which is not an AI model and cannot condense a conversation: what was said before is not described here.")
	}
	tasks := understand(s.text, s.lastFile())
	if len(tasks) == 0 || tasks[0].kind.talks() {
		return s.talk(tasks)
	}
	return s.work(planFor(tasks, s.tools))
}

// asksForSummary reports whether a session wants its conversation condensed: a long text
// about a summary, without tools.
func asksForSummary(s *situation) bool {
	return len(s.tools) == 0 && len(s.text) > 400 && strings.Contains(strings.ToLower(s.text), "summar")
}

// talk answers without tools.
func (s *situation) talk(tasks []task) Reply {
	var text string
	if len(tasks) > 0 {
		text = small(tasks[0].kind, s.tools)
	} else {
		text = s.unknown()
	}
	if s.introduced || s.introducing {
		return Say(text + "\n\n" + demoShort)
	}
	return Say(demoNotice + "\n\n" + text)
}

// work does the next step of a plan, or reports.
func (s *situation) work(p *plan) Reply {
	done := min(len(s.results), len(p.actions))
	if done > 0 && s.results[done-1].IsError {
		return s.report(p.failure(done-1, s.results[done-1]))
	}
	if done == len(p.actions) {
		return s.report(p.success(s.results[:done]))
	}
	next := p.actions[done]
	text := next.doing + next.how + "."
	if !s.introduced && !s.introducing {
		text = demoNotice + "\n\n" + text
	}
	return Of(Text(text), Call("", next.tool, next.args))
}

// report ends a run.
func (s *situation) report(text string) Reply {
	switch {
	case s.introduced:
		return Say(text + "\n\n" + demoShort)
	case s.introducing:
		return Say(text + "\n\n" + demoReminder)
	}
	return Say(demoNotice + "\n\n" + text)
}
