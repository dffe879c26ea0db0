package rpc

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
)

func getForkMessages(_ context.Context, c *call, _ proto.None) (proto.ForkMessages, error) {
	found, err := session.ForkMessages(c.session.Store())
	messages := []proto.ForkMessage{}
	for _, m := range found {
		messages = append(messages, proto.ForkMessage{EntryID: string(m.EntryID), Text: m.Text})
	}
	return proto.ForkMessages{Messages: messages}, err
}

// getEntries lists the entries in the order of their addition, as the file has them. It writes a
// [proto.Entries].
func getEntries(_ context.Context, c *call, req proto.EntriesRequest) (rawData, error) {
	store := c.session.Store()
	data := rawData(`{"entries":[`)
	start := len(data)
	for e, err := range store.After(transcript.EntryID(req.Since)) {
		if err != nil {
			return nil, fmt.Errorf("get_entries: %w", err)
		}
		if len(data) > start {
			data = append(data, ',')
		}
		if data, err = appendEntry(data, e); err != nil {
			return nil, err
		}
	}
	data = append(data, ']')
	return appendLeaf(data, store), nil
}

// getTree nests the entries. A chain may be as long as the session, so that the tree is
// written without recursion, as a [proto.Tree].
func getTree(_ context.Context, c *call, _ proto.None) (rawData, error) {
	store := c.session.Store()
	roots, err := transcript.Tree(store)
	if err != nil {
		return nil, fmt.Errorf("get_tree: %w", err)
	}
	data, err := appendTree(rawData(`{"tree":`), store, roots)
	if err != nil {
		return nil, fmt.Errorf("get_tree: %w", err)
	}
	return appendLeaf(data, store), nil
}

func appendTree(dst rawData, store transcript.Store, roots []*transcript.Node) (rawData, error) {
	type level struct {
		parent *transcript.Node // nil for the roots
		nodes  []*transcript.Node
		next   int
	}
	dst = append(dst, '[')
	stack := []level{{nodes: roots}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.nodes) {
			dst = append(dst, ']')
			if top.parent != nil {
				dst = appendLabel(dst, top.parent)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if top.next > 0 {
			dst = append(dst, ',')
		}
		n := top.nodes[top.next]
		top.next++
		e, err := store.Entry(n.ID)
		if err != nil {
			return nil, err
		}
		if dst, err = appendEntry(append(dst, `{"entry":`...), e); err != nil {
			return nil, err
		}
		dst = append(dst, `,"children":[`...)
		stack = append(stack, level{parent: n, nodes: n.Children})
	}
	return dst, nil
}

// appendLabel ends a node.
func appendLabel(dst rawData, n *transcript.Node) rawData {
	if n.Label != "" {
		dst = appendText(append(dst, `,"label":`...), n.Label)
		dst = appendText(append(dst, `,"labelTimestamp":`...), n.LabelTime.String())
	}
	return append(dst, '}')
}

func appendEntry(dst rawData, e transcript.Entry) (rawData, error) {
	raw, err := transcript.EncodeEntry(e)
	if err != nil {
		return nil, err
	}
	return append(dst, raw...), nil
}

// appendLeaf ends the data of a response.
func appendLeaf(dst rawData, store transcript.Store) rawData {
	dst = append(dst, `,"leafId":`...)
	if leaf := store.Leaf(); leaf == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendText(dst, string(leaf))
	}
	return append(dst, '}')
}

func appendText(dst rawData, text string) rawData {
	dst, _ = jsontext.AppendQuote(dst, text) // replaces invalid Unicode, which is its only error
	return dst
}
