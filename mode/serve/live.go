package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"weak"

	"github.com/rondo-agent/rondo/agent"
	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/event"
	"github.com/rondo-agent/rondo/session/ring"
)

// live is a session that is open: its events in a ring, and what they have led to.
type live struct {
	*Opened
	ui       *UI
	receipts *receipts
	ring     *ring.Ring
	epoch    string // of the ring; ids of another one are of no use

	mu      sync.Mutex // one event after another: its id, its effect
	view    view
	buf     []byte
	settles []uint64 // numbers of the newest agent_settled

	snapshots snapshots

	unsubscribe func()
	started     chan struct{} // closed when the extensions have started
	ending      context.Context
	end         context.CancelFunc
}

// snapshot is the state of a session after the event of a number, as a frame of a stream.
type snapshot struct {
	at    uint64
	frame []byte
}

func itoa(i int) string { return strconv.Itoa(i) }

// newEpoch returns a name for a ring that no other one has.
func newEpoch() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// newLive begins to follow a session that nothing has happened in yet.
func newLive(opened *Opened, ui *UI, seen *receipts, limits ring.Limits) *live {
	l := &live{Opened: opened, ui: ui, receipts: seen, ring: ring.New(limits), epoch: newEpoch()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsubscribe = l.Session.SubscribeStored(l.onEvent)
	l.view.messages = slices.Clip(l.Session.Messages()) // what is added must not reach the agent's list
	ui.publish = l.publish
	l.started = make(chan struct{})
	l.snapshots.turn = make(chan struct{}, 1)
	l.ending, l.end = context.WithCancel(context.Background())
	return l
}

// begin lets the extensions begin, which may ask the clients.
func (l *live) begin(reason extension.StartReason) {
	defer close(l.started)
	l.Session.Attach(session.Frontend{UI: l.ui, Mode: extension.ModeRPC, OnError: l.ui.failed})
	l.Session.Begin(l.ending, reason, "")
}

// ready waits until the extensions have started.
func (l *live) ready(ctx context.Context) error {
	select {
	case <-l.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the streams once they have had everything. The session is closed before.
func (l *live) close() {
	l.end()
	<-l.started
	l.unsubscribe()
	l.ui.end()
	l.ring.Close()
}

// onEvent is the subscriber of the session: it gives the event an id, and waits for no reader.
func (l *live) onEvent(ev event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.append(ev.AppendJSON)
	l.view.apply(ev, l.Session.Messages)
	if _, ok := ev.(*event.AgentSettled); ok {
		if l.settles = append(l.settles, n); len(l.settles) > maxSettles {
			l.settles = append(l.settles[:0], l.settles[len(l.settles)-maxSettles/2:]...)
		}
	}
}

// maxSettles is how many ends of prompts are remembered, for streams that end there.
const maxSettles = 64

// publish adds an event that is not the session's own.
func (l *live) publish(event any) {
	data := appendValue(nil, event)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(func(dst []byte) []byte { return append(dst, data...) })
}

// append writes an event as a frame of a stream; the mutex is held.
func (l *live) append(event func([]byte) []byte) uint64 {
	l.buf = appendID(l.buf[:0], l.epoch, l.ring.Last()+1)
	l.buf = append(l.buf, dataField...)
	l.buf = event(l.buf)
	l.buf = append(l.buf, "\n\n"...)
	n := l.ring.Append(l.buf)
	if cap(l.buf) > 256<<10 {
		l.buf = nil // one huge event need not keep its memory
	}
	return n
}

const (
	idField   = "id: "
	dataField = "data: "
)

// appendID appends the line of a frame that has its id.
func appendID(dst []byte, epoch string, n uint64) []byte {
	dst = append(append(dst, idField...), epoch...)
	return append(strconv.AppendUint(append(dst, '-'), n, 10), '\n')
}

// id is that of the event of a number.
func (l *live) id(n uint64) string { return l.epoch + "-" + strconv.FormatUint(n, 10) }

// place returns the number that an id has in this session's ring; false if it is of another.
func (l *live) place(id string) (uint64, bool) {
	rest, ok := strings.CutPrefix(id, l.epoch+"-")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, err == nil
}

// settledAfter returns the number of the first agent_settled after the event n.
func (l *live) settledAfter(n uint64) (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.settles {
		if at > n {
			return at, true
		}
	}
	return 0, false
}

// Large snapshots are made for several clients: one of largeSnapshot bytes or more is used again,
// and made at most once in snapshotInterval. So readers that fall behind together, since they
// cannot keep up, cost little memory and leave the processors to the run.
const (
	largeSnapshot    = 64 << 10
	snapshotInterval = 250 * time.Millisecond
)

// snapshots makes them, one at a time.
type snapshots struct {
	turn   chan struct{} // holds a value while one is being made
	newest weak.Pointer[snapshot]
	size   int
	made   time.Time
}

// takeSnapshot returns the state after some event that the ring still has all later events
// of. The error is ctx's.
func (l *live) takeSnapshot(ctx context.Context) (*snapshot, error) {
	made := &l.snapshots
	select {
	case made.turn <- struct{}{}:
		defer func() { <-made.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if recent := made.newest.Value(); recent != nil {
		since, ok := l.ring.Since(recent.at)
		if ok && (since == 0 || len(recent.frame) >= largeSnapshot && since <= len(recent.frame)) {
			return recent, nil
		}
	}
	if rest := snapshotInterval - time.Since(made.made); made.size >= largeSnapshot && rest > 0 {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	l.mu.Lock()
	v, at, dialogs := l.view, l.ring.Last(), l.ui.pending()
	l.mu.Unlock()
	s := &snapshot{at: at, frame: l.encode(&v, at, dialogs)}
	made.newest, made.size, made.made = weak.Make(s), len(s.frame), time.Now()
	return s, nil
}

// encode writes a snapshot; no lock is held, since it may be large.
func (l *live) encode(v *view, at uint64, ui *uiState) []byte {
	dst := appendID(nil, l.epoch, at)
	dst = append(dst, dataField...)
	dst = append(dst, `{"type":"snapshot","state":`...)
	dst = appendValue(dst, l.state())
	dst = v.appendJSON(append(dst, ','))
	dst = append(dst, `,"toolViews":`...)
	dst = appendValue(dst, l.Session.ToolViews())
	dst = append(dst, `,"ui":`...)
	dst = append(appendValue(dst, ui), '}')
	return append(dst, "\n\n"...)
}

// messages returns the conversation as the events have it.
func (l *live) messages() []agent.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view.messages
}

// addMessage adds a message to the conversation that no event of the session's is about.
func (l *live) addMessage(m agent.Message, event any) {
	data := appendValue(nil, event)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(func(dst []byte) []byte { return append(dst, data...) })
	l.view.messages = append(l.view.messages, m)
}

// active reports whether something goes on that must not be ended.
func (l *live) active() bool {
	st := l.Session.State()
	return st.Busy || st.Compacting || l.ui.waiting() || l.Keep
}

// state is what the server says of a session: the data of the RPC command get_state and more.
type state struct {
	ID                    string           `json:"sessionId"`
	Name                  string           `json:"sessionName,omitzero"`
	File                  string           `json:"sessionFile,omitzero"`
	CWD                   string           `json:"cwd"`
	Model                 *ai.Model        `json:"model,omitzero"`
	ThinkingLevel         ai.ThinkingLevel `json:"thinkingLevel"`
	IsStreaming           bool             `json:"isStreaming"`
	IsCompacting          bool             `json:"isCompacting"`
	IsRetrying            bool             `json:"isRetrying"`
	SteeringMode          agent.QueueMode  `json:"steeringMode"`
	FollowUpMode          agent.QueueMode  `json:"followUpMode"`
	AutoCompactionEnabled bool             `json:"autoCompactionEnabled"`
	AutoRetryEnabled      bool             `json:"autoRetryEnabled"`
	MessageCount          int              `json:"messageCount"`
	PendingMessageCount   int              `json:"pendingMessageCount"`
}

func (l *live) state() *state {
	s := l.Session
	st := s.State()
	name, err := s.Name()
	if err != nil {
		name = "" // it cannot be read, which the next command that needs the file reports
	}
	return &state{
		ID: s.ID(), Name: name, File: s.Store().Path(), CWD: s.Store().Header().CWD,
		Model: st.Model, ThinkingLevel: st.Thinking, IsStreaming: st.Busy, IsCompacting: st.Compacting, IsRetrying: st.Retrying,
		SteeringMode: st.SteeringMode, FollowUpMode: st.FollowUpMode,
		AutoCompactionEnabled: st.AutoCompaction, AutoRetryEnabled: st.AutoRetry,
		MessageCount: st.Messages, PendingMessageCount: st.Pending,
	}
}

// publishState notifies all clients that settings of the session have changed.
func (l *live) publishState() {
	l.publish(struct {
		Type  string `json:"type"`
		State *state `json:"state"`
	}{"state_changed", l.state()})
}
