package rpc_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/ai/scripted"
	"github.com/rondo-agent/rondo/mode/rpc"
	"github.com/rondo-agent/rondo/session"
)

// TestEndOfInput_ClientThatDoesNotRead: when the input has ended, a client that does not read its
// output is given up within the time of the end, whatever is being written, and also when commands
// wait behind it.
func TestEndOfInput_ClientThatDoesNotRead(t *testing.T) {
	for name, input := range map[string]string{
		"an event":            `{"type":"prompt","message":"go"}` + "\n",
		"a response":          `{"type":"get_state"}` + "\n",
		"many responses":      strings.Repeat(`{"type":"get_messages"}`+"\n", 3000),
		"of large commands":   strings.Repeat(`{"type":"steer","message":"`+strings.Repeat("x", 1<<10)+`"}`+"\n", 50),
		"of huge commands":    strings.Repeat(`{"type":"steer","message":"`+strings.Repeat("x", 200<<10)+`"}`+"\n", 4),
		"what is no command":  strings.Repeat("hello\n", 100),
		"commands that wait":  strings.Repeat(`{"type":"abort"}`+"\n", 20),
		"and a new session":   `{"type":"new_session"}` + "\n" + strings.Repeat(`{"type":"get_state"}`+"\n", 20),
		"the end of a dialog": `{"type":"set_dialogs","enabled":true}` + "\n" + `{"type":"bash","command":"echo x"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, scripted.New(scripted.Say("an answer")).Stream, session.Options{})
				unread, out := io.Pipe()
				began := time.Now()
				err := rpc.Serve(t.Context(), s, strings.NewReader(input), out, &rpc.Options{CloseTimeout: 10 * time.Second})
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("the end took %v", took)
				}
				if err == nil || !strings.Contains(err.Error(), "it does not read") {
					t.Errorf("Serve: %v", err)
				}
				_ = unread.Close() // what is being written ends with the program
				synctest.Wait()
			})
		})
	}
}

// TestEndOfContext_ClientThatDoesNotRead: the same for a signal, with the input open.
func TestEndOfContext_ClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, scripted.New().Stream, session.Options{})
		unread, out := io.Pipe()
		commands, in := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = io.WriteString(in, strings.Repeat(`{"type":"get_state"}`+"\n", 3)) }()
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		err := rpc.Serve(ctx, s, commands, out, &rpc.Options{CloseTimeout: 10 * time.Second})
		if took := time.Since(began); took > 11*time.Second || err == nil {
			t.Errorf("the end took %v: %v", took, err)
		}
		_, _ = unread.Close(), in.Close()
		synctest.Wait()
	})
}

// TestEndOfInput_SlowClientGetsAll: one that reads slowly, but reads, is waited for.
func TestEndOfInput_SlowClientGetsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, scripted.New().Stream, session.Options{})
		slow, out := io.Pipe()
		got := make(chan int, 1)
		go func() {
			all := 0
			for buf := make([]byte, 16<<10); ; {
				time.Sleep(2 * time.Second)
				n, err := slow.Read(buf)
				all += strings.Count(string(buf[:n]), `"response"`)
				if err != nil {
					break
				}
			}
			got <- all
		}()
		if err := rpc.Serve(t.Context(), s, strings.NewReader(strings.Repeat(`{"type":"get_state"}`+"\n", 30)), out, &rpc.Options{CloseTimeout: 10 * time.Second}); err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = out.Close()
		if n := <-got; n != 30 {
			t.Errorf("%d responses of 30", n)
		}
	})
}
