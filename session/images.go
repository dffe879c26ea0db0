package session

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/internal/picture"
	"github.com/rondo-agent/rondo/transcript"
)

// imageGate is what every image passes on its way into the conversation: those of prompts, of
// the results of tools, and of the messages of extensions. One image that a provider refuses
// would make it refuse every later request.
type imageGate struct {
	keepSize bool // images stay as large as they are
}

// prompt returns the images of a prompt within the limits that providers have. Base64 that
// cannot be decoded is an error, since its sender can mend it. Data that is no image that is
// known here is passed on, since a model may know more types (Pi 0.85).
func (g imageGate) prompt(images []*ai.Image) ([]*ai.Image, error) {
	out := slices.Clone(images)
	for n, img := range images {
		data, err := decodeImage(img)
		if err != nil {
			return nil, fmt.Errorf("image %d of the prompt: %w; send the bytes of the file in standard base64, without a data: prefix", n+1, err)
		}
		if fit, err := g.load(data); err == nil {
			out[n] = fitted(img, data, fit)
		}
	}
	return out, nil
}

// content returns content whose images are whole and within the limits. A note that says what
// is wrong takes the place of one that is not. Content without a change is returned as it is.
func (g imageGate) content(content ai.Content) ai.Content {
	out := content
	for n, block := range content {
		img, ok := block.(*ai.Image)
		if !ok {
			continue
		}
		passed := g.pass(img)
		if passed == block {
			continue
		}
		if &out[0] == &content[0] {
			out = slices.Clone(content)
		}
		out[n] = passed
	}
	return out
}

// pass returns an image that is fit to be sent, or the note in its place.
func (g imageGate) pass(img *ai.Image) ai.Block {
	data, err := decodeImage(img)
	if err == nil {
		var fit *picture.Picture
		if fit, err = g.load(data); err == nil {
			return fitted(img, data, fit)
		}
	}
	return &ai.Text{Text: fmt.Sprintf("(image left out: %v)", err)}
}

func (g imageGate) load(data []byte) (*picture.Picture, error) {
	if g.keepSize {
		return picture.Load(data)
	}
	return picture.Fit(data, nil)
}

// message is content for a message of any role.
func (g imageGate) message(m agent.Message) agent.Message {
	switch m := m.(type) {
	case *ai.UserMessage:
		if content := g.content(m.Content); changed(content, m.Content) {
			c := *m
			c.Content = content
			return &c
		}
	case *ai.ToolResultMessage:
		if content := g.content(m.Content); changed(content, m.Content) {
			c := *m
			c.Content = content
			return &c
		}
	case *transcript.CustomMessage:
		if content := g.content(m.Content.Blocks); changed(content, m.Content.Blocks) {
			c := *m
			c.Content.Blocks = content
			return &c
		}
	default:
	}
	return m
}

// afterToolCall is the last hook that sees a result.
func (g imageGate) afterToolCall(_ context.Context, call *agent.FinishedCall) (*agent.ResultPatch, error) {
	content := g.content(call.Result.Content)
	if !changed(content, call.Result.Content) {
		return nil, nil
	}
	return &agent.ResultPatch{Content: content}, nil
}

// changed reports whether content made a copy.
func changed(content, before ai.Content) bool { return len(before) > 0 && &content[0] != &before[0] }

func decodeImage(img *ai.Image) ([]byte, error) {
	if img.Data == "" {
		return nil, errors.New("it has no data")
	}
	data, err := base64.StdEncoding.DecodeString(img.Data)
	if err == nil {
		return data, nil
	}
	if data, unpadded := base64.RawStdEncoding.DecodeString(img.Data); unpadded == nil {
		return data, nil
	}
	return nil, fmt.Errorf("its data is not base64: %w", err)
}

// fitted returns the image itself if nothing had to change. Providers refuse base64 that has
// line breaks or no padding, which is decoded here.
func fitted(img *ai.Image, data []byte, fit *picture.Picture) *ai.Image {
	exact := len(img.Data) == base64.StdEncoding.EncodedLen(len(data))
	if exact && fit.MIMEType == img.MIMEType && &fit.Data[0] == &data[0] {
		return img
	}
	return &ai.Image{Data: fit.Base64(), MIMEType: fit.MIMEType}
}
