package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/internal/wire"
)

// maxID is the longest id that the service accepts, in bytes.
const maxID = 64

// separator stands between the two ids of a call.
const separator = "|"

// textSignature is the signature of a text (Pi 0.85).
type textSignature struct {
	V     int    `json:"v"`
	ID    string `json:"id"`
	Phase string `json:"phase,omitzero"`
}

// String returns the JSON; empty if there is nothing to keep.
func (s textSignature) String() string {
	if s.ID == "" && s.Phase == "" {
		return ""
	}
	raw, err := json.Marshal(s, wire.Lax)
	if err != nil { // a struct of strings always encodes
		return ""
	}
	return string(raw)
}

// readTextSignature reads a signature, which in old sessions is the bare id.
func readTextSignature(text string) textSignature {
	var s textSignature
	switch {
	case !strings.HasPrefix(text, "{"):
		s.ID = text
	case json.Unmarshal([]byte(text), &s, wire.Lax) != nil:
		return textSignature{}
	}
	return s
}

// foreignCallID makes the id of a call that another model made one that the service
// accepts. Its item id would name an item of another conversation, so that only one id
// is left.
func foreignCallID(id string, _ *ai.AssistantMessage) string {
	return shortID(wire.PlainID(id))
}

// shortID returns an id of at most [maxID] bytes. One that is too long ends with a hash
// of the whole, since ids often differ only at their end.
func shortID(id string) string {
	if len(id) <= maxID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	suffix := "_" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(id[:maxID-len(suffix)], "") + suffix
}

// ids gives out the ids of a request, each of which is used once.
type ids struct {
	calls    map[string]string // call ids of the request, by the ids in the transcript
	callIDs  map[string]bool
	itemIDs  map[string]bool // of calls
	messages map[string]bool // true once used
	made     int
}

func newIDs() *ids {
	return &ids{
		calls: make(map[string]string), callIDs: make(map[string]bool),
		itemIDs: make(map[string]bool), messages: make(map[string]bool),
	}
}

// reserve keeps the ids of texts from being made up for others.
func (s *ids) reserve(m ai.Message) {
	answer, ok := m.(*ai.AssistantMessage)
	if !ok {
		return
	}
	for _, block := range answer.Content {
		if t, ok := block.(*ai.Text); ok && t.Signature != "" {
			s.messages[readTextSignature(t.Signature).ID] = false
		}
	}
}

// message returns the id and the phase of a text.
func (s *ids) message(signature string) (id, phase string) {
	sig := readTextSignature(signature)
	if used := s.messages[sig.ID]; used || sig.ID == "" || len(sig.ID) > maxID {
		sig.ID = s.makeUp()
	}
	s.messages[sig.ID] = true
	return sig.ID, sig.Phase
}

// makeUp returns an id for a text that has none. It depends on the texts before only, so
// that the beginning of a conversation stays the same from request to request.
func (s *ids) makeUp() string {
	for {
		s.made++
		id := fmt.Sprintf("msg_local_%d", s.made)
		if _, taken := s.messages[id]; !taken {
			return id
		}
	}
}

// call returns the two ids of a call; the item id may be empty.
func (s *ids) call(id string) (callID, itemID string) {
	callID, itemID, _ = strings.Cut(id, separator)
	callID = shortID(callID)
	for base, n := callID, 2; s.callIDs[callID] || callID == ""; n++ {
		callID = shortID(fmt.Sprintf("%s_%d", base, n))
	}
	if len(itemID) > maxID || s.itemIDs[itemID] {
		itemID = ""
	}
	s.callIDs[callID], s.itemIDs[itemID] = true, true
	s.calls[id] = callID
	return callID, itemID
}

// answered returns the call id of a result.
func (s *ids) answered(id string) string {
	if callID, ok := s.calls[id]; ok {
		return callID
	}
	callID, _, _ := strings.Cut(id, separator)
	return shortID(callID)
}
