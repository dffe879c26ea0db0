package rpc_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/compaction"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
)

// notebook writes down what is saved.
type notebook struct {
	mu    sync.Mutex
	saved []string
}

func (n *notebook) Save(key string, value any) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.saved = append(n.saved, fmt.Sprintf("%s=%v", key, value))
	return nil
}

// summaries answers prompts with their number, and requests for summaries by another stream.
func summaries(stream ai.StreamFunc) ai.StreamFunc {
	prompts := scripted.New(scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))
	return func(ctx context.Context, req *ai.Request) *ai.Stream {
		if strings.Contains(req.Context.SystemPrompt, "keep the notes") {
			return stream(ctx, req)
		}
		return prompts.Stream(ctx, req)
	}
}

func TestCompact(t *testing.T) {
	s := open(t, summaries(scripted.New(scripted.Say("SUMMARY")).Stream), session.Options{Compaction: compaction.Settings{KeepRecentTokens: 4}})
	c := connect(t, s, nil)
	for _, want := range []string{`"success":false,"error":"there is nothing to compact: the conversation has no messages yet"`, ``, ``} {
		if want != "" {
			if got := c.ask(`{"id":1,"type":"compact"}`); !strings.Contains(got, want) {
				t.Errorf("%s", got)
			}
			continue
		}
		c.send(`{"type":"prompt","message":"a question"}`)
		c.until("agent_settled")
	}
	got := c.ask(`{"id":2,"type":"compact","customInstructions":"be short"}`)
	if !strings.HasPrefix(got, `{"id":2,"type":"response","command":"compact","success":true,"data":{"summary":"SUMMARY","firstKeptEntryId":"`) {
		t.Errorf("%s", got)
	}
	if got := c.ask(`{"type":"compact","customInstructions":5}`); !strings.Contains(got, "customInstructions must not be a number") {
		t.Errorf("%s", got)
	}
	c.end()
}

// What an abort ends is answered before the abort, also if it has hardly begun.
func TestAbortComesAfterTheCompactionThatItEnds(t *testing.T) {
	held := scripted.New(scripted.Reply{Blocks: scripted.Say("late").Blocks, Hold: "gate"})
	s := open(t, summaries(held.Stream), session.Options{Compaction: compaction.Settings{KeepRecentTokens: 4}})
	c := connect(t, s, nil)
	for range 2 {
		c.send(`{"type":"prompt","message":"a question"}`)
		c.until("agent_settled")
	}
	c.send(`{"id":1,"type":"compact"}`, `{"id":2,"type":"get_state"}`, `{"id":3,"type":"prompt","message":"meanwhile"}`, `{"id":4,"type":"compact"}`, `{"id":5,"type":"abort"}`)
	var order []string
	for _, line := range c.until(`{"id":5`) {
		if strings.HasPrefix(line, `{"id":`) {
			order = append(order, line[6:7])
		}
		for id, want := range map[string]string{"1": `"success":false`, "2": `"isCompacting":true`, "3": "is being compacted", "4": "is being compacted", "5": `"success":true`} {
			if strings.HasPrefix(line, `{"id":`+id) && !strings.Contains(line, want) {
				t.Errorf("%s", line)
			}
		}
	}
	if !slices.Equal(order, []string{"2", "3", "4", "1", "5"}) {
		t.Errorf("responses to %v", order)
	}
	c.end()
}

func TestSwitches(t *testing.T) {
	book := new(notebook)
	c, rt := connectRuntime(t, scripted.New(scripted.Say("one")).Stream, nil, &rpc.Options{Settings: book})
	for _, name := range []string{"set_auto_compaction", "set_auto_retry"} {
		if got := c.ask(fmt.Sprintf(`{"type":%q}`, name)); !strings.Contains(got, "enabled is missing: use true or false") {
			t.Errorf("%s", got)
		}
		if got := c.ask(fmt.Sprintf(`{"type":%q,"enabled":"no"}`, name)); !strings.Contains(got, "enabled must not be a text") && !strings.Contains(got, "enabled must not be a string") {
			t.Errorf("%s", got)
		}
		if got := c.ask(fmt.Sprintf(`{"type":%q,"enabled":false}`, name)); !strings.Contains(got, `"success":true`) {
			t.Errorf("%s", got)
		}
	}
	if got := c.ask(`{"type":"get_state"}`); !strings.Contains(got, `"autoCompactionEnabled":false`) {
		t.Errorf("%s", got)
	}
	if got := c.ask(`{"type":"abort_retry"}`); !strings.Contains(got, `"success":true`) {
		t.Errorf("%s", got)
	}
	c.ask(`{"type":"new_session"}`)
	if st := rt.Session().State(); st.AutoCompaction || st.AutoRetry {
		t.Errorf("a new session has %+v", st)
	}
	c.end()
	if !slices.Equal(book.saved, []string{"compaction.enabled=false", "retry.enabled=false"}) {
		t.Errorf("saved %v", book.saved)
	}
}
