package serve

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/mode/rpc/proto"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/html"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/memory"
)

// listed is what a list says of a session.
type listed struct {
	ID       string `json:"sessionId"`
	Name     string `json:"sessionName,omitzero"`
	First    string `json:"firstMessage,omitzero"`
	Messages int    `json:"messageCount"`
	Modified int64  `json:"modified"` // milliseconds since 1970
	CWD      string `json:"cwd"`
	// IsOpen says that a client of this server uses it, or has until lately.
	IsOpen      bool `json:"isOpen"`
	IsStreaming bool `json:"isStreaming"`
	// Waits says that a dialog of it waits for an answer.
	Waits bool `json:"isWaiting"`
}

// lists remembers what files have said, so that a list reads those alone that have changed.
type lists struct {
	mu    sync.Mutex
	known map[string]*jsonl.Summary
}

func (c *lists) get(info *jsonl.Info) *jsonl.Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known[info.Path]; known != nil && known.Modified.Equal(info.Modified) {
		return known
	}
	return nil
}

func (c *lists) put(all []*jsonl.Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = make(map[string]*jsonl.Summary, len(all))
	for _, s := range all {
		c.known[s.Path] = s
	}
}

// defaultListed is how many sessions a list has unless it is asked for more.
const defaultListed = 100

// listSessions lists the sessions of the folder, the one that was written last first.
func (s *Server) listSessions(_ http.ResponseWriter, r *http.Request) (any, error) {
	limit, err := number(r, "limit", defaultListed)
	if err != nil {
		return nil, err
	}
	search := r.URL.Query().Get("search")
	var files []*jsonl.Summary
	if s.opts.Dir != "" {
		if files, err = jsonl.List(r.Context(), s.opts.Dir, "", &jsonl.ListOptions{Search: search, Known: s.lists.get}); err != nil {
			return nil, withStatus(http.StatusInternalServerError, err)
		}
		if search == "" {
			s.lists.put(files)
		}
	}
	all := s.merge(files, search)
	return struct {
		Sessions []*listed `json:"sessions"`
		Total    int       `json:"total"`
	}{all[:min(len(all), limit)], len(all)}, nil
}

// merge adds to the files what is known of sessions that are open, and those without a file.
func (s *Server) merge(files []*jsonl.Summary, search string) []*listed {
	all := []*listed{}
	byID := map[string]*listed{}
	for _, f := range files {
		one := &listed{ID: f.Header.ID, Name: f.Name, First: f.First, Messages: f.Messages, Modified: f.Modified.UnixMilli(), CWD: f.Header.CWD}
		byID[one.ID] = one
		all = append(all, one)
	}
	for _, o := range s.pool.overviews() {
		one := byID[o.id]
		switch {
		case one == nil && o.header != nil && search == "":
			one = &listed{ID: o.id, Modified: o.header.Timestamp.Millis(), CWD: o.header.CWD}
			all = append(all, one)
		case one == nil:
			continue
		}
		if o.l != nil {
			o.l.describe(one)
		}
	}
	slices.SortStableFunc(all, func(a, b *listed) int {
		return cmp.Or(cmp.Compare(b.Modified, a.Modified), strings.Compare(b.ID, a.ID))
	})
	return all
}

// describe adds what is known of an open session.
func (l *live) describe(one *listed) {
	st := l.Session.State()
	one.IsOpen, one.IsStreaming, one.Waits = true, st.Busy || st.Compacting, l.ui.waiting()
	if name, err := l.Session.Name(); err == nil {
		one.Name = name
	}
	if one.First == "" { // it is in no file, or was not when that was read
		messages := l.messages()
		one.Messages = len(messages)
		for _, m := range messages {
			if m, ok := m.(*ai.UserMessage); ok {
				text := m.Content.Text()
				one.First = strings.ToValidUTF8(text[:min(len(text), 500)], "")
				break
			}
		}
	}
}

// number reads a parameter of the address that is a number from 0 on.
func number(r *http.Request, name string, otherwise int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%s is no number from 0 on", name, text)
	}
	return n, nil
}

// createSession makes a session in the server's folder.
func (s *Server) createSession(w http.ResponseWriter, r *http.Request) (any, error) {
	var fields struct {
		Name string `json:"name"`
	}
	if err := s.fields(w, r, &fields); err != nil {
		return nil, err
	}
	l, leave, err := s.pool.create(s.opts.CWD)
	if err != nil {
		return nil, err
	}
	defer leave()
	if fields.Name != "" {
		if err := l.Session.SetName(fields.Name); err != nil {
			return nil, err
		}
	}
	return created{s.shown(l)}, nil
}

func (s *Server) removeSession(_ http.ResponseWriter, r *http.Request) (any, error) {
	if err := s.pool.remove(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

// shown is a session as a resource.
type shown struct {
	*state
	// LastEventID is the id to read the stream from.
	LastEventID string             `json:"lastEventId"`
	Dialogs     []*proto.UIRequest `json:"dialogs"`
}

func (s *Server) shown(l *live) *shown {
	at := l.id(l.ring.Last()) // before the state, which may be newer than the id but not older
	return &shown{state: l.state(), LastEventID: at, Dialogs: l.ui.pending().Dialogs}
}

func (s *Server) showSession(_ http.ResponseWriter, _ *http.Request, l *live) (any, error) {
	return s.shown(l), nil
}

// showMessages lists messages of the conversation; before and limit choose a part.
func (s *Server) showMessages(_ http.ResponseWriter, r *http.Request, l *live) (any, error) {
	all := l.messages()
	before, err := number(r, "before", len(all))
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", len(all))
	if err != nil {
		return nil, err
	}
	before = min(before, len(all))
	first := max(before-limit, 0)
	return struct {
		Messages []agent.Message `json:"messages"`
		Skipped  int             `json:"skippedMessages"`
		Total    int             `json:"total"`
	}{append([]agent.Message{}, all[first:before]...), first, len(all)}, nil
}

// export answers with the session as a page that stands alone.
func (s *Server) export(w http.ResponseWriter, _ *http.Request, l *live) (any, error) {
	var page bytes.Buffer
	if err := html.HTML(&page, l.Session.Store(), &html.Options{ToolView: l.Session.ToolView}); err != nil {
		return nil, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	// The page has scripts and styles of its own; it is saved, and not shown from here.
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "rondo-"+l.Session.ID()+".html"))
	h.Set("Content-Security-Policy", "sandbox")
	_, _ = io.Copy(w, &page) // a client that is gone needs no answer
	return written, nil
}

// fork makes a session with a part of another one: what lies before a message of the user, or
// all of it.
func (s *Server) fork(w http.ResponseWriter, r *http.Request, l *live) (any, error) {
	var fields struct {
		EntryID transcript.EntryID `json:"entryId"`
	}
	if err := s.fields(w, r, &fields); err != nil {
		return nil, err
	}
	store := l.Session.Store()
	leaf, text := store.Leaf(), ""
	if fields.EntryID != "" {
		messages, err := session.ForkMessages(store)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(messages, func(m session.ForkMessage) bool { return m.EntryID == fields.EntryID })
		if i < 0 {
			return nil, fmt.Errorf("fork at %q: %w", fields.EntryID, transcript.ErrNoEntry)
		}
		e, err := store.Entry(fields.EntryID)
		if err != nil {
			return nil, err
		}
		leaf, text = e.Base().ParentID, messages[i].Text
	}
	id, err := s.pool.copy(store, leaf)
	if err != nil {
		return nil, err
	}
	return created{struct {
		ID   string `json:"sessionId"`
		Text string `json:"text"`
	}{id, text}}, nil
}

// copy makes a session that begins with the path to an entry of another one.
func (p *pool) copy(from transcript.Store, leaf transcript.EntryID) (id string, err error) {
	header := transcript.NewHeader(from.Header().CWD)
	header.ParentSession = from.Path()
	e := &entry{id: header.ID, header: header}
	var store transcript.Store
	if p.opts.Dir == "" {
		e.memory = memory.New(header)
		store = e.memory
	} else {
		e.path = filepath.Join(p.opts.Dir, jsonl.FileName(header))
		file, err := jsonl.Create(e.path, header, nil)
		if err != nil {
			return "", err
		}
		store = file
	}
	if err := transcript.CopyBranch(store, from, leaf); err != nil {
		if file, ok := store.(*jsonl.Store); ok {
			err = errors.Join(err, file.Discard())
		}
		return "", err
	}
	if e.memory == nil {
		if err := errors.Join(p.keepUnsaved(e, store), store.Close()); err != nil {
			return "", err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", ErrClosing
	}
	p.entries[e.id] = e
	return e.id, nil
}
