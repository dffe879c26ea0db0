package script

import (
	"context"
	"strings"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/fuzzy"
	"github.com/rondo-agent/rondo/internal/term/highlight"
	"github.com/rondo-agent/rondo/internal/term/keys"
	"github.com/rondo-agent/rondo/internal/term/palette"
	"github.com/rondo-agent/rondo/internal/term/width"
)

// TerminalOps are the operations behind facade/tui and facade/agent-ui: text of a terminal,
// keys, Markdown and code. They touch nothing outside of their arguments.
func TerminalOps() Table {
	return textOps().Add(keyOps(), markdownOps(), codeOps(), imageOps(func() extension.UI { return nil }))
}

// textArgs are the arguments of the operations on text.
type textArgs struct {
	Text     string `json:"text"`
	Width    int    `json:"width"`
	Start    int    `json:"start"`
	Length   int    `json:"length"`
	Column   int    `json:"column"`
	Ellipsis string `json:"ellipsis"`
	Pad      bool   `json:"pad"`
	Strict   bool   `json:"strict"`
}

// textOp makes an operation of a function that cannot fail.
func textOp[Out any](fn func(textArgs) Out) Op {
	return Typed(func(_ context.Context, in textArgs) (Out, error) { return fn(in), nil })
}

func textOps() Table {
	return Table{
		"text.width":     textOp(func(in textArgs) int { return width.Of(in.Text) }),
		"text.strip":     textOp(func(in textArgs) string { return width.Strip(in.Text) }),
		"text.truncate":  textOp(func(in textArgs) string { return width.Truncate(in.Text, in.Width, in.Ellipsis, in.Pad) }),
		"text.wrap":      textOp(func(in textArgs) []string { return width.Wrap(in.Text, in.Width) }),
		"text.slice":     textOp(func(in textArgs) string { return width.Slice(in.Text, in.Start, in.Length, in.Strict) }),
		"text.rest":      textOp(func(in textArgs) string { return width.Rest(in.Text, in.Start, in.Length) }),
		"text.link":      textOp(func(in textArgs) string { return width.LinkAt(in.Text, in.Column) }),
		"text.graphemes": textOp(func(in textArgs) []string { return width.Graphemes(in.Text) }),
		"text.fuzzy":     Typed(fuzzyMatches),
	}
}

type fuzzyArgs struct {
	Query string   `json:"query"`
	Texts []string `json:"texts"`
	Words bool     `json:"words"`
}

type fuzzyMatch struct {
	Matches bool    `json:"matches"`
	Score   float64 `json:"score"`
}

func fuzzyMatches(_ context.Context, in fuzzyArgs) ([]fuzzyMatch, error) {
	match := fuzzy.Text
	if in.Words {
		match = fuzzy.Words
	}
	out := make([]fuzzyMatch, len(in.Texts))
	for i, t := range in.Texts {
		if m := match(in.Query, t); m.OK {
			out[i] = fuzzyMatch{Matches: true, Score: m.Score}
		}
	}
	return out, nil
}

type keyArgs struct {
	Data  string `json:"data"`
	ID    string `json:"id"`
	Kitty bool   `json:"kitty"`
}

type keyAnswer struct {
	Name  string     `json:"name"`
	Names []string   `json:"names"`
	Event keys.Event `json:"event"`
	Text  string     `json:"text"`
}

func keyOps() Table {
	return Table{
		"keys.parse": Typed(func(_ context.Context, in keyArgs) (keyAnswer, error) {
			return keyAnswer(keys.Parse(in.Data, in.Kitty)), nil
		}),
		"keys.canonical": Typed(func(_ context.Context, in keyArgs) (string, error) {
			return keys.Canonical(in.ID), nil
		}),
	}
}

type codeArgs struct {
	Code string `json:"code"`
	Lang string `json:"lang"`
	Path string `json:"path"`
}

// codePiece is a part of code with the name of its theme colour, "" for plain text.
type codePiece struct {
	Color string `json:"c"`
	Text  string `json:"s"`
}

func codeOps() Table {
	return Table{
		"code.highlight": Typed(func(_ context.Context, in codeArgs) ([]codePiece, error) {
			lang := highlight.Named(in.Lang)
			if lang == nil {
				return nil, nil
			}
			out := []codePiece{}
			for kind, piece := range lang.Pieces(in.Code) {
				out = append(out, codePiece{Color: palette.Code(kind), Text: piece})
			}
			return out, nil
		}),
		"code.language": Typed(func(_ context.Context, in codeArgs) (string, error) {
			if lang := highlight.ForFile(in.Path); lang != nil {
				return strings.ToLower(lang.Name()), nil
			}
			return "", nil
		}),
	}
}
