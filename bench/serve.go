package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// serveToken lets the benchmark in.
const serveToken = "a-token-for-benchmarks"

// The clients of a server, and how many idle sessions it gets.
const (
	fanReaders   = 100
	usedSessions = 300
	idleSessions = 10_000
)

// serving measures the HTTP mode, which Pi does not have.
func serving(ctx context.Context, b *bench) []row {
	m, err := startModel()
	if err != nil {
		b.fail("serve", err)
		return nil
	}
	defer m.close()
	_, found := b.turns(ctx, "serve", 0, 1, nil, func(ctx context.Context) (values, error) {
		p := b.rondo.command(ctx, b)
		if p == nil {
			return nil, errors.New("there is no program")
		}
		found := values{}
		for _, part := range []func(context.Context, *bench, *program, *model, values) error{fans, idles} {
			if err := part(ctx, b, p, m, found); err != nil {
				return nil, err
			}
		}
		return found, nil
	})
	line := func(what, key string, unit unit, bar bar) row {
		return row{What: what, Unit: unit, Rondo: found[key], Bar: bar}
	}
	return []row{
		line("prompt, 200 deltas 1 ms apart", "alone", nanoseconds, bar{}),
		line("  with 100 readers, against none", "fan", times, atMost(1.1)),
		line("  with 100 that never read", "stalled", times, atMost(1.05)),
		line("  memory of a reader", "reader", byteCount, atMost(128<<10)),
		line("an idle session, used once", "used", byteCount, atMost(64<<10)),
		line("10 000 idle sessions, resident", "idle", byteCount, atMost(1<<30)),
	}
}

// fans measures prompts with and without readers, in turns.
func fans(ctx context.Context, b *bench, p *program, m *model, found values) error {
	return withServer(ctx, p, m.url, func(s *httpServer) error {
		session, err := s.create()
		if err != nil {
			return err
		}
		m.say(shortAnswer)
		if _, err := s.prompt(session); err != nil {
			return err
		}
		m.say(pacedAnswer)
		for range b.prompts {
			took := map[string]float64{}
			for _, kind := range []string{"alone", "fan", "stalled"} {
				readers := &readers{reads: kind == "fan"}
				before, _, noMemory := memory(s.cmd.Process.Pid)
				if kind != "alone" {
					if err := readers.open(s, session, fanReaders); err != nil {
						return err
					}
				}
				wall, err := s.prompt(session)
				if after, _, err := memory(s.cmd.Process.Pid); err == nil && noMemory == nil && kind == "fan" && len(found["reader"]) == 0 {
					found["reader"] = sample{(after - before) / fanReaders} // the first time, when it is new
				}
				readers.close()
				if err != nil {
					return err
				}
				took[kind] = float64(wall)
			}
			found.add(values{"alone": {took["alone"]}, "fan": {took["fan"] / took["alone"]}, "stalled": {took["stalled"] / took["alone"]}})
		}
		return nil
	})
}

// idles measures the memory of sessions that nobody uses.
func idles(ctx context.Context, b *bench, p *program, m *model, found values) error {
	m.say(shortAnswer)
	return withServer(ctx, p, m.url, func(s *httpServer) error {
		pid := s.cmd.Process.Pid
		before, _, err := memory(pid)
		if errors.Is(err, errUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range idleSessions {
			session, err := s.create()
			if err == nil && i < usedSessions {
				_, err = s.prompt(session)
			}
			if err != nil {
				return err
			}
			if i == usedSessions-1 {
				time.Sleep(idleTime)
				after, _, err := memory(pid)
				if err != nil {
					return err
				}
				found["used"] = sample{(after - before) / usedSessions}
			}
			if b.quick && i == 10*usedSessions {
				break // the bar is for all of them
			}
		}
		time.Sleep(idleTime)
		after, _, err := memory(pid)
		if !b.quick {
			found["idle"] = sample{after}
		}
		return err
	})
}

// readers are streams of one session.
type readers struct {
	reads bool
	conns []net.Conn
	work  sync.WaitGroup
}

// open connects n readers, which read everything or nothing.
func (r *readers) open(s *httpServer, session string, n int) error {
	for range n {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			return err
		}
		r.conns = append(r.conns, conn)
		if !r.reads {
			_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // or it would seem to read for long
		}
		if _, err := fmt.Fprintf(conn, "GET /api/sessions/%s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", session, s.addr, serveToken); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			return err
		}
		if r.reads {
			r.work.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // ends with the connection
		}
	}
	return nil
}

func (r *readers) close() {
	for _, conn := range r.conns {
		conn.Close()
	}
	r.work.Wait()
}

// httpServer is a program that serves.
type httpServer struct {
	cmd    *exec.Cmd
	addr   string
	stderr bytes.Buffer
}

// withServer runs a program as a server.
func withServer(ctx context.Context, p *program, model string, use func(*httpServer) error) error {
	ws, err := newWorkspace(model)
	if err != nil {
		return err
	}
	defer ws.remove()
	ctx, cancel := context.WithTimeout(ctx, 10*rpcTimeout)
	defer cancel()
	s := &httpServer{cmd: p.command(ctx, ws, "serve", "--port", "0", "--provider", "lab", "--model", "m")}
	s.cmd.Env = append(s.cmd.Env, "RONDO_SERVE_TOKEN="+serveToken)
	s.cmd.Stderr = &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	defer func() {
		cancel()
		_ = s.cmd.Wait() // it was killed
	}()
	lines := bufio.NewScanner(out)
	for s.addr == "" && lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			s.addr, _, _ = strings.Cut(rest, "/")
		}
	}
	if s.addr == "" {
		return fmt.Errorf("the server said no address: %s", tail(s.stderr.String(), 600))
	}
	return use(s)
}

func (s *httpServer) send(path, body string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+serveToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err == nil && res.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		return nil, fmt.Errorf("%s: %s %s", path, res.Status, text)
	}
	return res, err
}

// create makes a session and returns its id.
func (s *httpServer) create() (string, error) {
	res, err := s.send("/api/sessions", "{}")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var made struct {
		ID string `json:"sessionId"`
	}
	return made.ID, json.UnmarshalRead(res.Body, &made)
}

// prompt sends a prompt and returns the time until it has settled.
func (s *httpServer) prompt(session string) (time.Duration, error) {
	started := time.Now()
	res, err := s.send("/api/sessions/"+session+"/prompt?stream=1", `{"message":"hi"}`)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && (!bytes.Contains(text, []byte(`{"type":"agent_settled"}`)) || bytes.Contains(text, []byte(`"errorMessage"`))) {
		err = fmt.Errorf("the prompt ended with %s", tail(string(text), 600))
	}
	return time.Since(started), err
}
