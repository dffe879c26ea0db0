package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/ai/relay"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/memory"
)

const serveLong = `Serve sessions of the current folder over HTTP: to the page that it has for browsers, and to
programs.

  rondo serve                          at http://127.0.0.1:7310
  rondo serve --port 0 --no-session    at any free port, keeping nothing
  RONDO_SERVE_TOKEN=… rondo serve      with a token that stays the same

It prints a link that opens the page once, and the token that programs send:

  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:7310/api/sessions

Who has the token can do what you can do here: run commands, read and change files. The server
is for this machine unless --host says otherwise; for that, choose the token yourself in
RONDO_SERVE_TOKEN, and put a proxy with TLS before it (--hostname is its name), since HTTP tells
everybody on the way.

The models, tools and instructions are those of the other flags, as for rondo itself. The
relay for programs that have no keys is at /api/stream. docs/http.md describes all of it.`

// serveFlags are flags of rondo itself that count for a server.
var serveFlags = []string{
	"model", "provider", "thinking", "api-key", "models", "script", "session-dir", "no-session",
	"tools", "exclude-tools", "no-tools", "no-builtin-tools", "system-prompt", "append-system-prompt",
	"skill", "no-skills", "prompt-template", "no-prompt-templates", "no-context-files", "extension", "no-extensions", "approve", "no-approve",
}

// serveName is what the command line of a server begins with.
const serveName = "serve"

// errNoMessages refuses what a server has no use for.
var errNoMessages = usage("rondo serve takes no messages; a prompt that begins with the word goes behind --, as in rondo -- serve")

// tokenVariable names the token of a server.
const tokenVariable = "RONDO_SERVE_TOKEN"

// serveCommand is the command line of a server. Its flags set those of the program.
func (p *program) serveCommand() *cobra.Command {
	var host string
	var names []string
	var port int
	cmd := &cobra.Command{
		Use: serveName + " [flags]", Short: "Serve sessions over HTTP", Long: serveLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(); err != nil {
				return asUsage(err)
			}
			if len(args) > 0 && len(p.unknown) == 0 { // else they may be values of flags
				return errNoMessages
			}
			p.flags.args, p.flags.dash = args, len(args)
			return p.serveHTTP(cmd.Context(), host, port, names)
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&host, "host", "127.0.0.1", "address to listen at, or a name of this machine")
	s.StringSliceVar(&names, "hostname", nil, "a further name that the server is reached by, such as that of a proxy with TLS before it; may be repeated")
	s.IntVar(&port, "port", 7310, "port to listen at; 0 takes any that is free")
	for _, name := range serveFlags {
		s.AddFlag(p.cmd.Flags().Lookup(name))
	}
	return cmd
}

// serveHTTP serves until ctx is done.
func (p *program) serveHTTP(ctx context.Context, host string, port int, names []string) (err error) {
	token, given := os.LookupEnv(tokenVariable)
	_ = os.Unsetenv(tokenVariable) // commands that run have no use for it
	if !given {
		if !isLoopback(host) {
			return usage("--host %s lets others in: choose a token for that, of %d characters or more, in %s", host, serve.MinToken, tokenVariable)
		}
		token = serve.NewToken()
	}
	app, err := p.open(ctx, withTelemetry)
	if err != nil {
		return err
	}
	defer p.closeApp(ctx, app)
	settings := config.NewSaver(app.Config().Save, p.noteError)
	defer settings.Close()
	opts, own, err := p.serveOptions(ctx, app, token, settings)
	if err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, own.Close(context.WithoutCancel(ctx))) }()
	opts.Hosts = names
	if _, err := netip.ParseAddr(host); err != nil {
		opts.Hosts = append(opts.Hosts, host)
	}
	server, err := serve.New(opts)
	if err != nil {
		return usage("%s: %w", tokenVariable, err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return usage("listen at %s port %d: %w; choose another one with --port", host, port, err)
	}
	addr := shownAddr(host, listener.Addr())
	fmt.Fprintf(p.show, "Rondo serves %s\n\n  in a browser   %s\n                 (opens once; for another browser, sign in with the token)\n", opts.CWD, server.Link(addr))
	fmt.Fprintf(p.show, "  for programs   http://%s/api\n", addr)
	if given {
		fmt.Fprintf(p.show, "  token          that of %s\n", tokenVariable)
	} else {
		fmt.Fprintf(p.show, "  token          %s\n", opts.Token)
	}
	return server.Serve(ctx, listener)
}

// serveOptions are the settings of a server of the working folder. The session is the server's
// own, for what is asked of no session; a mistake in the configuration shows in it.
func (p *program) serveOptions(ctx context.Context, app *rondo.App, token string, settings *config.Saver) (*serve.Options, *rondo.Session, error) {
	w, err := p.enter(ctx, app)
	if err != nil {
		return nil, nil, err
	}
	if len(p.flags.args) > 0 { // what is left when the extensions have their flags
		return nil, nil, errors.Join(errNoMessages, w.Close())
	}
	own, err := app.Open(ctx, &rondo.SessionOptions{Workspace: w, Store: memory.New(transcript.NewHeader(w.Dir()))})
	if err != nil {
		return nil, nil, err
	}
	told := &once{note: p.note}
	told.notes(own.Notes)
	opts := &serve.Options{
		Token: token, Version: versionText(), CWD: w.Dir(), Models: own.Models, Relay: own.Models.Relay(relay.Token(token)),
		Note: func(note string) { p.note(note) },
		Open: serve.OpenWith(app, settings, told.notes),
	}
	if !p.flags.noSession {
		if opts.Dir, err = app.SessionDir(w.Dir()); err != nil {
			return nil, nil, errors.Join(err, own.Close(ctx))
		}
	}
	return opts, own, nil
}

// once tells each note once: those about a folder are the same for each session.
type once struct {
	note func(...string)

	mu   sync.Mutex
	told map[string]bool
}

func (o *once) notes(notes []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told == nil {
		o.told = make(map[string]bool)
	}
	for _, note := range notes {
		if !o.told[note] {
			o.told[note] = true
			o.note(note)
		}
	}
}

// isLoopback reports whether only this machine can reach a host.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// shownAddr is the address that a browser on this machine reaches the server by.
func shownAddr(host string, addr net.Addr) string {
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
