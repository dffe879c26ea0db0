package serve

import (
	"context"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/mode/rpc"
)

// OpenWith returns the Open of [Options] for an application: it opens a session with what the
// session's folder asks for, as the command does. notes, which may be nil, gets what each session
// has to say, such as that an extension was not loaded.
func OpenWith(app *rondo.App, settings rpc.Settings, notes func([]string)) func(*Opening) (*Opened, error) {
	return func(o *Opening) (*Opened, error) {
		s, err := app.Open(context.Background(), &rondo.SessionOptions{Store: o.Store})
		if err != nil {
			return nil, err
		}
		if notes != nil {
			notes(s.Notes)
		}
		return &Opened{Session: s.Session, Models: s.Models, Settings: settings}, nil
	}
}
