package scripted

import (
	"fmt"
	"io"

	"github.com/rondo-agent/rondo/ai"
)

// Script is a list of replies. [ParseScript] and [Load] read one from JSON:
//
//	{
//	  "loop": false,
//	  "replies": [
//	    "A plain text is a whole reply.",
//	    {"thinking": "Which file?", "text": "I look.", "tools": [
//	      {"name": "read", "args": {"path": "notes.txt"}},
//	      {"id": "c2", "name": "bash", "rawArgs": "{\"command\": \"ls"}
//	    ]},
//	    {"text": ["Two ", "pieces."], "paceMs": 40},
//	    {"error": {"status": 529, "message": "overloaded"}}
//	  ]
//	}
//
// loop: when the replies have been used up, begin again with the first. A loop should
// leave out the ids of tool calls, which then get new ones.
//
// What a reply says, in this order:
//
//	thinking   text of a thinking block; a list of strings gives the pieces it comes in
//	text       text of a text block, likewise
//	tools      tool calls: name; id, which may be left out; args, an object, or rawArgs, a
//	           text or list of pieces that is sent as it is; neither means {}
//
// or, for any other order,
//
//	blocks     a list of {"thinking": …}, {"text": …} and {"tool": {…}}
//
// How it comes:
//
//	chunks           pieces of each block that does not list its pieces (default: word by word)
//	delayMs          milliseconds before the first event
//	paceMs           milliseconds before each piece
//	tokensPerSecond  speed, four characters being a token
//	hold             name of a gate to wait at before the first event
//	gate, gateAt     name of a gate inside the answer, and how many pieces come before it (0)
//
// Gates are opened by a program ([Model.Release]); where nobody does that, a reply waits
// until it is aborted.
//
// How it ends:
//
//	stop    stop, length, toolUse, deferred, error or aborted (default: toolUse or stop)
//	usage   token counts: input, output, cacheRead, cacheWrite (default: simulated)
//	error   the reply fails: a message, or an object with message, status (of HTTP), code
//	        and retryAfterMs
//	cutAt   the reply breaks off after this many pieces
type Script struct {
	Replies []Reply
	// Loop says that the first reply follows the last.
	Loop bool
}

// Model returns a model that plays the script from its beginning.
func (s *Script) Model() *Model {
	m := New(s.Replies...)
	if s.Loop {
		m.again = m.queue
	}
	return m
}

// Stream returns a function that plays the script from its beginning, one reply for each
// request. Unlike [Script.Model] it keeps no requests, so that it can run for long. Gates
// stay closed.
func Stream(script *Script) ai.StreamFunc {
	m := script.Model()
	m.keep = false
	return m.Stream
}

// Load reads a script to the end of r. Errors are those of r or as in [ParseScript].
func Load(r io.Reader) (*Script, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	return ParseScript(data)
}

// ParseScript reads a script in the JSON format that [Script] describes. An error names
// line and place, such as replies[2].tools[0].name, and says what to write instead.
func ParseScript(data []byte) (*Script, error) {
	root, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	s, err := readScript(root)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return s, nil
}
