package session_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

// hardImages are images that no provider takes as they are, and a good one at the end.
func hardImages(t *testing.T) ai.Content {
	t.Helper()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	encode := base64.StdEncoding.EncodeToString
	small := widePNG(t, 8)
	return ai.Content{
		&ai.Image{Data: encode(widePNG(t, 9600)), MIMEType: "image/png"},
		&ai.Image{Data: encode(photo.Bytes()), MIMEType: "image/png"},
		&ai.Image{Data: encode(small)[:40] + "\n" + encode(small)[40:], MIMEType: "image/png"},
		&ai.Image{Data: "!!!", MIMEType: "image/tiff"},
		&ai.Image{Data: encode([]byte("junk")), MIMEType: "image/png"},
		&ai.Image{Data: encode(small[:30]), MIMEType: "image/png"},
		&ai.Image{Data: "", MIMEType: "image/png"},
		&ai.Image{Data: encode(small), MIMEType: "image/png"},
	}
}

// checkImages wants the good half of hardImages in a message, and four notes.
func checkImages(t *testing.T, content ai.Content) {
	t.Helper()
	images, notes := 0, 0
	for _, block := range content {
		switch b := block.(type) {
		case *ai.Image:
			images++
			if err := picture.Check(b.Data, b.MIMEType); err != nil {
				t.Error(err)
			}
			data, _ := base64.StdEncoding.DecodeString(b.Data)
			if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width > 2000 {
				t.Errorf("%d pixels wide, %v", c.Width, err)
			}
		case *ai.Text:
			if strings.HasPrefix(b.Text, "(image left out: ") {
				notes++
			}
		}
	}
	if images != 4 || notes != 4 {
		t.Errorf("%d images and %d notes, want 4 and 4: %s", images, notes, content.Text())
	}
}

// Whatever brings an image into the conversation, what is there can be sent.
func TestEveryImageIsChecked(t *testing.T) {
	hard := hardImages(t)
	plain := toolReturning("look", func() string { return "seen" })
	message := func(m *extension.CustomMessage) *extension.CustomMessage {
		m.CustomType, m.Content = "note", extension.Content{Blocks: hard}
		return m
	}
	ways := []struct {
		name  string
		tool  *agent.Tool
		setUp func(*api)
	}{
		{"the result of a tool", &agent.Tool{Name: "look", Execute: func(context.Context, *agent.Call) (*agent.ToolResult, error) {
			return &agent.ToolResult{Content: hard}, nil
		}}, nil},
		{"a handler of tool_result", plain, func(api *api) {
			extension.On(api, func(context.Context, *extx, *extension.ToolResult) (*extension.ToolResultPatch, error) {
				return &extension.ToolResultPatch{Content: hard}, nil
			})
		}},
		{"a handler of message_end", plain, func(api *api) {
			extension.On(api, func(_ context.Context, _ *extx, e *extension.MessageEnd) (*extension.MessageEndResult, error) {
				m, ok := e.Message.(*ai.ToolResultMessage)
				if !ok {
					return nil, nil
				}
				c := *m
				c.Content = hard
				return &extension.MessageEndResult{Message: &c}, nil
			})
		}},
		{"a message before the run", plain, func(api *api) {
			extension.On(api, func(context.Context, *extx, *extension.BeforeAgentStart) (*extension.BeforeAgentStartResult, error) {
				return &extension.BeforeAgentStartResult{Message: message(new(extension.CustomMessage))}, nil
			})
		}},
		{"a message that is sent", plain, func(api *api) {
			extension.Observe(api, func(context.Context, *extx, *extension.AgentStart) error {
				return api.SendMessage(message(new(extension.CustomMessage)), extension.SendOptions{})
			})
		}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			var d diary
			p := &llm{replies: []answerFunc{calling("c1", "look", "{}", 10), saying("done", 10)}}
			setUp := way.setUp
			if setUp == nil {
				setUp = func(*api) {}
			}
			s := extended(t, &d, p, session.Options{Tools: []*agent.Tool{way.tool}}, setUp)
			mustPrompt(t, s, "go")
			if d.String() != "" {
				t.Error(d.String())
			}
			found := 0
			for _, m := range s.Messages() {
				var content ai.Content
				switch m := m.(type) {
				case *ai.ToolResultMessage:
					content = m.Content
				case *transcript.CustomMessage:
					content = m.Content.Content()
				}
				if len(content) > 1 {
					found++
					checkImages(t, content)
				}
			}
			if found != 1 {
				t.Errorf("%d messages have the images", found)
			}
		})
	}
}

// What is no base64 is refused at once, and the conversation stays as it was.
func TestAPromptWithABrokenImageIsRefused(t *testing.T) {
	p := &llm{replies: []answerFunc{saying("one", 10)}}
	s := openOver(t, inMemory(), p, session.Options{})
	for _, data := range []string{"", "!!!", "data:image/png;base64,iVBORw0KGgo="} {
		images := []*ai.Image{{Data: base64.StdEncoding.EncodeToString(widePNG(t, 8)), MIMEType: "image/png"}, {Data: data, MIMEType: "image/png"}}
		_, err := s.Prompt(t.Context(), session.Prompt{Text: "look", Images: images})
		queued := s.Queue(session.Prompt{Text: "look", Images: images}, session.FollowUp)
		for _, err := range []error{err, queued} {
			if err == nil || !strings.Contains(err.Error(), "image 2 of the prompt") {
				t.Errorf("%q: %v", data, err)
			}
		}
	}
	if n := len(s.Messages()); n != 0 || s.State().Busy {
		t.Errorf("%d messages, busy %v", n, s.State().Busy)
	}
	mustPrompt(t, s, "go")
}

// A provider has refused an image: the next prompt goes through, in a session that was opened
// again too, and so does a compaction.
func TestARefusedImageDoesNotBlockTheSession(t *testing.T) {
	store, path := storetest.File(t)
	refusal := &ai.StatusError{Status: 400, Message: "messages.2.content.1.image.source.base64: Could not process image"}
	p := &llm{replies: []answerFunc{saying("one", 10), failsWith(refusal), saying("three", 10)}, summary: []answerFunc{saying("SUMMARY", 10)}}
	eyes := *labModel
	eyes.Input = []string{ai.InputText, ai.InputImage}
	opts := session.Options{Model: &eyes, Compaction: keeping(1)}
	s := openOver(t, store, p, opts)
	good := &ai.Image{Data: base64.StdEncoding.EncodeToString(widePNG(t, 8)), MIMEType: "image/png"}
	ask := func(s *session.Session, text string, images ...*ai.Image) {
		t.Helper()
		if _, err := s.Prompt(t.Context(), session.Prompt{Text: text, Images: images}); err != nil {
			t.Fatal(err)
		}
	}
	ask(s, "first", good)
	ask(s, "second", &ai.Image{Data: "aGVsbG8=", MIMEType: "image/png"})
	if s.Outcome() == nil {
		t.Fatal("the refusal is no failure")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = openOver(t, storetest.Reopen(t, path), p, opts)
	if _, err := s.Compact(t.Context(), ""); err != nil {
		t.Errorf("compact right after the refusal: %v", err)
	}
	ask(s, "third", good)
	if s.Outcome() != nil {
		t.Fatal(s.Outcome())
	}
	sent := ai.Transform(&eyes, p.asked[2].Context.Messages, nil)
	want := []string{"(image left out: the service refused it)", "image"}
	var got []string
	for _, m := range sent {
		if u, ok := m.(*ai.UserMessage); ok && len(u.Content) > 1 {
			last := u.Content[len(u.Content)-1]
			if text, ok := last.(*ai.Text); ok {
				got = append(got, text.Text)
			} else {
				got = append(got, last.Type())
			}
		}
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
