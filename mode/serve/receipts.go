package serve

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
)

// maxReceipts is how many ids of a session's prompts are remembered.
const maxReceipts = 256

// receipts remember which messages of a session have been accepted, by the ids that clients
// give them, so that one which is sent again is not taken twice.
type receipts struct {
	mu    sync.Mutex
	byID  map[string]*receipt
	order []string // oldest first
}

// receipt is what a client gets for a message.
type receipt struct {
	digest [sha256.Size]byte
	ready  chan struct{} // closed when the rest is known
	failed bool
	answer accepted
	from   uint64 // number of the last event before those that the message has caused
	epoch  string
}

// accepted is the body of the answer.
type accepted struct {
	Disposition string `json:"disposition"`
	// LastEventID is the id to read the stream from: the events that the message causes come
	// after it.
	LastEventID string `json:"lastEventId"`
	Repeated    bool   `json:"repeated,omitzero"`
}

// errOtherMessage means that an id was used again for something else.
var errOtherMessage = errors.New("a message with this id was accepted before, and it was another one: give each message an id of its own")

// take begins the acceptance of a message. If there is a receipt for it, or will be once who
// else is at it has finished, that is returned instead, as known.
func (r *receipts) take(ctx context.Context, id string, body []byte) (mine, known *receipt, err error) {
	digest := sha256.Sum256(body)
	for {
		r.mu.Lock()
		old := r.byID[id]
		if old == nil {
			mine = &receipt{digest: digest, ready: make(chan struct{})}
			r.add(id, mine)
			r.mu.Unlock()
			return mine, nil, nil
		}
		r.mu.Unlock()
		if old.digest != digest {
			return nil, nil, errOtherMessage
		}
		select {
		case <-old.ready:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if !old.failed {
			return nil, old, nil
		}
	}
}

// add needs the mutex.
func (r *receipts) add(id string, rec *receipt) {
	if r.byID == nil {
		r.byID = make(map[string]*receipt)
	}
	r.byID[id] = rec
	if r.order = append(r.order, id); len(r.order) > maxReceipts {
		delete(r.byID, r.order[0])
		r.order = append(r.order[:0:0], r.order[1:]...)
	}
}

// done says what has become of the message. One that was refused may be sent again.
func (r *receipts) done(id string, rec *receipt, err error) {
	if err != nil {
		r.mu.Lock()
		rec.failed = true
		if r.byID[id] == rec {
			delete(r.byID, id)
		}
		r.mu.Unlock()
	}
	close(rec.ready)
}
