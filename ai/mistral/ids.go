package mistral

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"

	"github.com/rondo-agent/rondo/ai"
)

// idLen is the length of a call's id.
const idLen = 9

// callID makes the id of a call that another model made one that the service accepts. It is
// an [ai.TransformOptions.CallID].
func callID(id string, _ *ai.AssistantMessage) string {
	reduced := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, id)
	if len(reduced) == idLen {
		return reduced
	}
	sum := sha256.Sum256([]byte(id))
	return alphanumeric(sum[:idLen])
}

// newID returns an id for a call that the service gave none.
func newID() string {
	var random [idLen]byte
	_, _ = rand.Read(random[:]) // never fails
	return alphanumeric(random[:])
}

func alphanumeric(bytes []byte) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	out := make([]byte, len(bytes))
	for i, b := range bytes {
		out[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(out)
}
