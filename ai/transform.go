package ai

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"
)

// TransformOptions is what a wire needs beyond what [Transform] does for all of them.
type TransformOptions struct {
	// CallID makes an id that this wire accepts from the id of a call that another model
	// made, or that has none; it must give the same result for the same id. Ids that become
	// equal are told apart afterwards. nil keeps all ids.
	CallID func(id string, from *AssistantMessage) string
	// ToolName makes a name that this wire accepts from the name that a model has called a
	// tool by; names that it accepts stay as they are. nil keeps all names.
	ToolName func(name string) string
}

// Texts that stand for what a model cannot be shown. They are single lines in
// parentheses, so that a model takes them for what they are.
const (
	noteUserImage   = "(image left out: this model is sent text only)"
	noteToolImage   = "(image of the tool left out: this model is sent text only)"
	noteRefused     = "(image left out: the service refused it)"
	noteNoOutput    = "(no output)"
	noteNoUserText  = "(empty message)"
	noteNoToolTrace = "No result of this call is recorded. It may or may not have run: check before repeating it."
)

// Transform makes the messages that a model can be sent out of a transcript, which may
// have been written by other models, by another program, or by one that crashed. The
// messages are not changed; what has to differ is copied.
//
// What it guarantees for every wire:
//
//   - Every tool call is followed at once by exactly one result, in the order of the
//     calls. A result that came later is moved; one that is missing is made up and says
//     only that nothing is recorded; one without its call is left out.
//   - Answers that failed or were aborted are left out with the results of their calls,
//     and so are answers with nothing to say.
//   - Call ids differ from each other, and none is empty unless the wire sends none. A result has the name of its call.
//   - Signatures of thinking, text and calls go only to the model, provider and wire that
//     made them. Thinking of others becomes text; withheld thinking of others is left out.
//   - Images become a short note for a model that reads no images, and so do those that its
//     provider has refused, without which every later request would fail as well.
//   - No text is blank where a server would refuse it, and all text is UTF-8.
//   - Messages and blocks of kinds that this package does not know are left out.
//
// opts may be nil.
func Transform(model *Model, messages []Message, opts *TransformOptions) []Message {
	t := transformer{model: model, used: make(map[string]bool), open: make(map[string]openCalls)}
	if opts != nil {
		t.callID, t.toolName = opts.CallID, opts.ToolName
	}
	t.refused = refusedImages(model.Provider, messages)
	for _, m := range messages {
		t.add(m)
	}
	return t.messages()
}

// transformer collects the entries of a transformed transcript.
type transformer struct {
	model    *Model
	callID   func(string, *AssistantMessage) string
	toolName func(string) string
	entries  []entry
	used     map[string]bool      // ids given to calls
	made     int                  // ids made up
	open     map[string]openCalls // by the id in the transcript
	refused  map[Message]bool     // whose images the provider has refused
}

// entry is a message and, for an answer, its calls.
type entry struct {
	message Message
	slots   []*slot
}

// slot is where a call's result belongs.
type slot struct {
	call   *ToolCall // as it will be sent
	result *ToolResultMessage
}

// openCalls are the calls of one answer that share an id, oldest first.
type openCalls struct {
	entry int
	slots []*slot
}

func (t *transformer) add(m Message) {
	switch m := m.(type) {
	case *UserMessage:
		t.entries = append(t.entries, entry{message: t.user(m)})
	case *AssistantMessage:
		t.assistant(m)
	case *ToolResultMessage:
		t.result(m)
	case *SystemMessage:
		if strings.TrimSpace(m.Content) != "" {
			t.entries = append(t.entries, entry{message: m})
		}
	case *UnknownMessage:
	}
}

// messages puts the results behind their calls.
func (t *transformer) messages() []Message {
	out := make([]Message, 0, len(t.entries)*2)
	for _, e := range t.entries {
		out = append(out, e.message)
		for _, s := range e.slots {
			out = append(out, s.answer(e.message.(*AssistantMessage)))
		}
	}
	return out
}

// answer returns the call's result, or one that says that there is none.
func (s *slot) answer(from *AssistantMessage) *ToolResultMessage {
	if s.result == nil {
		return &ToolResultMessage{
			ToolCallID: s.call.ID, ToolName: s.call.Name, Content: TextContent(noteNoToolTrace),
			IsError: true, Timestamp: from.Timestamp,
		}
	}
	if s.result.ToolCallID == s.call.ID && s.result.ToolName == s.call.Name {
		return s.result
	}
	renamed := *s.result
	renamed.ToolCallID, renamed.ToolName = s.call.ID, s.call.Name
	return &renamed
}

func (t *transformer) user(m *UserMessage) *UserMessage {
	content, changed := t.visible(m.Content, t.note(m, noteUserImage))
	if len(content) == 0 {
		content, changed = TextContent(noteNoUserText), true
	}
	if !changed {
		return m
	}
	c := *m
	c.Content = content
	return &c
}

func (t *transformer) result(m *ToolResultMessage) {
	calls := t.open[m.ToolCallID]
	i := slices.IndexFunc(calls.slots, func(s *slot) bool { return s.result == nil })
	if i < 0 {
		return
	}
	content, changed := t.visible(m.Content, t.note(m, noteToolImage))
	if len(content) == 0 {
		content, changed = TextContent(noteNoOutput), true
	}
	if changed {
		c := *m
		c.Content = content
		m = &c
	}
	calls.slots[i].result = m
}

// note returns what stands in the place of the images of a message; empty if they are sent.
func (t *transformer) note(m Message, unseen string) string {
	switch {
	case !t.model.Reads(InputImage):
		return unseen
	case t.refused[m]:
		return noteRefused
	}
	return ""
}

// visible returns the blocks that the model can be shown in a user message or a tool
// result: texts that are not blank, and images or, if it is not empty, the note in their
// place, once for images in a row.
func (t *transformer) visible(content Content, note string) (visible Content, changed bool) {
	noted := false
	for _, block := range content {
		switch b := block.(type) {
		case *Text:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			visible = append(visible, validText(b))
			noted = false
		case *Image:
			if note == "" {
				visible = append(visible, b)
			} else if !noted {
				visible = append(visible, &Text{Text: note})
				noted = true
			}
		default:
		}
	}
	return visible, !slices.Equal(visible, content)
}

func (t *transformer) assistant(m *AssistantMessage) {
	if m.Failed() {
		return
	}
	own := m.Model == t.model.ID && m.Provider == t.model.Provider && m.API == t.model.API
	content := make(Content, 0, len(m.Content))
	var slots []*slot
	for _, block := range m.Content {
		switch b := block.(type) {
		case *Text:
			content = appendBlock(content, replayText(b, own))
		case *Thinking:
			content = appendBlock(content, replayThinking(b, own))
		case *ToolCall:
			call := t.call(b, m, own)
			content = append(content, call)
			slots = append(slots, t.openSlot(b.ID, call))
		default:
		}
	}
	if len(content) == 0 {
		return
	}
	if !slices.Equal(content, m.Content) {
		c := *m
		c.Content = content
		m = &c
	}
	t.entries = append(t.entries, entry{m, slots})
}

func appendBlock(content Content, b Block) Content {
	if b == nil {
		return content
	}
	return append(content, b)
}

// openSlot makes the slot of a call of the next entry. Newer calls take an id over from
// older ones, since some servers number their calls anew in every answer.
func (t *transformer) openSlot(id string, call *ToolCall) *slot {
	s := &slot{call: call}
	calls := t.open[id]
	if calls.entry != len(t.entries) {
		calls = openCalls{entry: len(t.entries)}
	}
	calls.slots = append(calls.slots, s)
	t.open[id] = calls
	return s
}

func (t *transformer) call(b *ToolCall, from *AssistantMessage, own bool) *ToolCall {
	id, name := b.ID, b.Name
	if id == "" { // made up after the calls before, so that the same transcript has the same ids
		t.made++
		id = fmt.Sprintf("call_local_%d", t.made)
	}
	if t.callID != nil && (!own || b.ID == "") {
		id = t.callID(id, from)
	}
	if id != "" { // a wire may leave all of them out
		id = t.distinct(id)
		t.used[id] = true
	}
	if t.toolName != nil {
		name = t.toolName(name)
	}
	if id == b.ID && name == b.Name && (own || b.ThoughtSignature == "") {
		return b
	}
	c := *b
	c.ID, c.Name = id, name
	if !own {
		c.ThoughtSignature = ""
	}
	return &c
}

// distinct returns id, or where it is taken a variant that is not and that has the same
// length if the id is long enough to hold a hash.
func (t *transformer) distinct(id string) string {
	const digits = 8
	variant := id
	for n := 2; t.used[variant]; n++ {
		if len(id) <= digits {
			variant = fmt.Sprintf("%s_%d", id, n)
			continue
		}
		h := fnv.New32a()
		fmt.Fprintf(h, "%s %d", id, n)
		variant = fmt.Sprintf("%s%08x", id[:len(id)-digits], h.Sum32())
	}
	return variant
}

// replayText returns the block to send, or nil. A blank text stays if it carries the
// signature of the model that reads it.
func replayText(b *Text, own bool) Block {
	if strings.TrimSpace(b.Text) == "" && (!own || b.Signature == "") {
		return nil
	}
	if own || b.Signature == "" {
		return validText(b)
	}
	return validText(&Text{Text: b.Text})
}

// replayThinking returns the block to send, or nil. Thinking of another model goes over
// as text (Pi 0.85).
func replayThinking(b *Thinking, own bool) Block {
	blank := strings.TrimSpace(b.Thinking) == ""
	switch {
	case own && blank && b.Signature == "":
		return nil
	case own:
		return b
	case blank || b.Redacted:
		return nil
	}
	return validText(&Text{Text: b.Thinking})
}

func validText(b *Text) *Text {
	if utf8.ValidString(b.Text) {
		return b
	}
	c := *b
	c.Text = strings.ToValidUTF8(b.Text, "\uFFFD")
	return &c
}
