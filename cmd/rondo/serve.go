package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rondo-agent/rondo/ai"
	"github.com/rondo-agent/rondo/ai/relay"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/mode/serve"
	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/session/memory"
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
	p.startTelemetry(ctx)
	defer p.stopTelemetry(ctx)
	opts, own, err := p.serveOptions(ctx, token)
	if err != nil {
		return asUsage(err)
	}
	defer func() { err = errors.Join(err, own.session.Close(context.WithoutCancel(ctx))) }()
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
	fmt.Fprintf(p.out, "Rondo serves %s\n\n  in a browser   %s\n                 (opens once; for another browser, sign in with the token)\n", opts.CWD, server.Link(addr))
	fmt.Fprintf(p.out, "  for programs   http://%s/api\n", addr)
	if given {
		fmt.Fprintf(p.out, "  token          that of %s\n", tokenVariable)
	} else {
		fmt.Fprintf(p.out, "  token          %s\n", opts.Token)
	}
	return server.Serve(ctx, listener)
}

// serveOptions are the settings of a server of the working folder. The first assembly is the
// server's own, for what is asked of no session; a mistake in the configuration shows in it.
func (p *program) serveOptions(ctx context.Context, token string) (*serve.Options, *assembly, error) {
	home, err := config.Home()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Load(home)
	if err != nil {
		return nil, nil, err
	}
	useProxy(cfg)
	p.findServers(ctx, cfg)
	here, e, err := p.prepare(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	if len(p.flags.args) > 0 { // what is left when the extensions have their flags
		return nil, nil, errors.Join(errNoMessages, e.close())
	}
	cwd := here.Dir()
	own := &assembly{models: &models{cfg: here.cfg, brought: e.providers, servers: p.servers}, store: memory.New(session.NewHeader(cwd))}
	if err := own.models.choose(&p.flags); err != nil {
		return nil, nil, errors.Join(err, e.close())
	}
	begin := *own.models // what the command line asks for
	if err := p.open(own, here, cwd, e); err != nil {
		return nil, nil, errors.Join(err, e.close())
	}
	said := &said{note: p.note}
	said.once(append(own.notes, own.models.notes...))
	opts := &serve.Options{
		Token: token, Version: versionText(), CWD: cwd, Models: own.models, Relay: relayOf(own.models, token),
		Note: func(note string) { p.note([]string{note}) },
		Open: func(o *serve.Opening) (*serve.Opened, error) { return p.openServed(&begin, said, o) },
	}
	if !p.flags.noSession {
		if opts.Dir, err = p.projectSessions(here.cfg, cwd); err != nil {
			return nil, nil, errors.Join(err, own.session.Close(ctx))
		}
	}
	return opts, own, nil
}

// said passes each note on once: what is to be said of a folder is the same for each session.
type said struct {
	note func([]string)

	mu   sync.Mutex
	seen map[string]bool
}

func (s *said) once(notes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, note := range notes {
		if !s.seen[note] {
			if s.seen == nil {
				s.seen = make(map[string]bool)
			}
			s.seen[note] = true
			s.note([]string{note})
		}
	}
}

// openServed opens a session of the server.
func (p *program) openServed(base *models, said *said, o *serve.Opening) (*serve.Opened, error) {
	a, err := p.openAt(base, o.Store)
	if err != nil {
		return nil, err
	}
	said.once(append(a.notes, a.models.notes...))
	return &serve.Opened{Session: a.session, Models: a.models, Settings: saver{a.models.cfg}}, nil
}

// saver implements [rpc.Settings].
type saver struct{ cfg *config.Config }

func (s saver) Save(key string, value any) error { return s.cfg.Save(key, value) }

// relayOf serves programs that ask models through this one and have no keys.
func relayOf(m *models, token string) http.Handler {
	resolve := func(ctx context.Context, asked *ai.Model) (*relay.Target, error) {
		found := m.Get(asked.Provider, asked.ID)
		if found == nil {
			return nil, fmt.Errorf("the model %s/%s is not available here; GET /api/models lists those that are", asked.Provider, asked.ID)
		}
		target := &relay.Target{Model: found}
		if m.cfg.Ready(found) == nil {
			credential, err := m.cfg.Credential(ctx, found)
			if err != nil {
				return nil, err
			}
			target.Options.APIKey = credential.APIKey // named, so that it is kept out of what the client sees
		}
		return target, nil
	}
	return relay.Handler(m.stream(), relay.Token(token), resolve, nil)
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
