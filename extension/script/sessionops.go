package script

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/internal/lenient"
)

// sessionOps are the operations that read the session.
func (h *host) sessionOps() Table {
	return Table{
		"pi.session": ask(h, func(s extension.Session) map[string]string {
			return map[string]string{"id": s.SessionID(), "file": s.SessionFile(), "dir": s.SessionDir()}
		}),
		"pi.getSessionName": ask(h, func(s extension.Session) jsontext.Value {
			if s.SessionName() == "" {
				return nil
			}
			return quoted(s.SessionName())
		}),
		"pi.header": ask(h, extension.Session.Header),
		"pi.leaf":   ask(h, extension.Session.LeafID),
		"pi.tree":   ask(h, extension.Session.Tree),
		"pi.label": act(h, func(_ context.Context, in *instance, a struct{ ID string }) (string, error) {
			s, err := in.x.Session()
			if err != nil {
				return "", err
			}
			return s.Label(a.ID), nil
		}),
		"pi.entries": act(h, entries),
	}
}

// entries gives the machine the entries that it does not have yet.
func entries(_ context.Context, in *instance, a struct {
	Session string
	Have    int
},
) (any, error) {
	s, err := in.x.Session()
	if err != nil {
		return nil, err
	}
	all, id := s.Entries(), s.SessionID()
	from := a.Have
	if a.Session != id || from > len(all) {
		from = 0
	}
	return map[string]any{"session": id, "from": from, "entries": all[from:]}, nil
}

func quoted(s string) jsontext.Value {
	out, err := json.Marshal(s, lenient.Options)
	if err != nil {
		return nil
	}
	return out
}
