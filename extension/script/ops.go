package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/lenient"
)

// Op is one operation that JavaScript can ask of Go: JSON in, JSON out. No output stands for
// undefined. An error is thrown in JavaScript with its text; a [*Error] also sets the fields
// that Node's errors have. [Typed] and [Reaching] make one.
type Op struct {
	run func(ctx context.Context, in []byte) (out []byte, err error)
	// reaches says that the operation acts outside of the machine, and asks its policy.
	reaches bool
	// inTurn says that it begins when the one before it has: see queue.
	inTurn bool
}

// Table holds operations by name. Names have the form "room.verb": "fs.read", "text.width".
type Table map[string]Op

// Add takes the operations of other tables in; a name that exists is replaced.
func (t Table) Add(others ...Table) Table {
	for _, other := range others {
		maps.Copy(t, other)
	}
	return t
}

// Typed makes an operation of a function with typed input and output that reads and changes
// nothing but its arguments and the session. One that does is made by [Reaching].
func Typed[In, Out any](fn func(ctx context.Context, in In) (Out, error)) Op {
	return Op{run: func(ctx context.Context, raw []byte) ([]byte, error) { return typed(ctx, raw, fn) }}
}

// Reaching makes an operation of a function that acts outside of the machine: on files, by
// programs or the network, or by reading variables. Before it is called, accesses says what
// for, and may complete the input; if the policy of the machine refuses one of them, the
// function is not called. What comes up later it asks for itself.
func Reaching[In, Out any](accesses func(in *In) []Access, fn func(ctx context.Context, in In) (Out, error)) Op {
	return Op{reaches: true, run: func(ctx context.Context, raw []byte) ([]byte, error) {
		return typed(ctx, raw, func(ctx context.Context, in In) (out Out, err error) {
			if err := permit(ctx, accesses(&in)...); err != nil {
				return out, err
			}
			return fn(ctx, in)
		})
	}}
}

// asked stands for the accesses of a function that asks for them as they come up.
func asked[In any](*In) []Access { return nil }

func typed[In, Out any](ctx context.Context, raw []byte, fn func(ctx context.Context, in In) (Out, error)) ([]byte, error) {
	var in In
	if bytes.Contains(raw, []byte(`\ud`)) { // maybe half a character
		if mended, err := lenient.JSON(raw); err == nil {
			raw = mended
		}
	}
	if err := json.Unmarshal(raw, &in, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("arguments of a host operation: %w", err)
	}
	out, err := fn(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out, jsontext.AllowInvalidUTF8(true))
}

// Error is an error with the fields that JavaScript of Node looks at.
type Error struct {
	Name    string `json:"name,omitzero"` // class, "Error" when empty
	Message string `json:"message"`
	Code    string `json:"code,omitzero"` // "ENOENT"
	Errno   int    `json:"errno,omitzero"`
	Syscall string `json:"syscall,omitzero"`
	Path    string `json:"path,omitzero"`
	Stack   string `json:"stack,omitzero"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// wire is what the machine gets to know of an error.
func wire(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = fileError(err)
	}
	out, mErr := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if mErr != nil {
		return `{"message":"an error that cannot be written as JSON"}`
	}
	return string(out)
}

// fileError names errors of the file system as Node does: "ENOENT: no such file or
// directory, open 'x'".
func fileError(err error) *Error {
	e := &Error{Message: err.Error()}
	if errors.Is(err, context.Canceled) {
		e.Name, e.Code = "AbortError", "ABORT_ERR"
		return e
	}
	code, text, number := errnoName(err)
	if code == "" {
		return e
	}
	e.Code, e.Errno = code, -number
	pe, isPath := errors.AsType[*fs.PathError](err)
	if !isPath {
		return e
	}
	e.Syscall, e.Path = nodeSyscall(pe.Op), pe.Path
	e.Message = fmt.Sprintf("%s: %s, %s '%s'", code, text, e.Syscall, pe.Path)
	return e
}

func nodeSyscall(op string) string {
	switch op {
	case "readdirent", "fdopendir":
		return "scandir"
	case "remove", "unlinkat":
		return "unlink"
	}
	return op
}

// errnos are the errors of the system that have a name and a text in Node.
var errnos = []struct {
	number     syscall.Errno
	code, text string
}{
	{syscall.ENOTEMPTY, "ENOTEMPTY", "directory not empty"},
	{syscall.EPERM, "EPERM", "operation not permitted"},
	{syscall.EISDIR, "EISDIR", "illegal operation on a directory"},
	{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
	{syscall.EPIPE, "EPIPE", "broken pipe"},
	{syscall.EINVAL, "EINVAL", "invalid argument"},
	{syscall.ENOSPC, "ENOSPC", "no space left on device"},
	{syscall.EXDEV, "EXDEV", "cross-device link not permitted"},
	{syscall.EMFILE, "EMFILE", "too many open files"},
	{syscall.EBUSY, "EBUSY", "resource busy or locked"},
	{syscall.EROFS, "EROFS", "read-only file system"},
	{syscall.ELOOP, "ELOOP", "too many symbolic links encountered"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG", "name too long"},
	{syscall.EBADF, "EBADF", "bad file descriptor"},
	{syscall.ECONNREFUSED, "ECONNREFUSED", "connection refused"},
	{syscall.ECONNRESET, "ECONNRESET", "connection reset by peer"},
	{syscall.ETIMEDOUT, "ETIMEDOUT", "connection timed out"},
	{syscall.EHOSTUNREACH, "EHOSTUNREACH", "host is unreachable"},
	{syscall.ENETUNREACH, "ENETUNREACH", "network is unreachable"},
	{syscall.EADDRINUSE, "EADDRINUSE", "address already in use"},
	{syscall.EADDRNOTAVAIL, "EADDRNOTAVAIL", "address not available"},
}

// errnoName returns Node's code and text for an error of the system, code "" for another.
func errnoName(err error) (code, text string, number int) {
	no, ok := errors.AsType[syscall.Errno](err)
	for _, e := range errnos {
		if ok && errors.Is(no, e.number) {
			return e.code, e.text, int(no)
		}
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		code, text = "ENOENT", "no such file or directory"
	case errors.Is(err, os.ErrExist):
		code, text = "EEXIST", "file already exists"
	case errors.Is(err, os.ErrPermission):
		code, text = "EACCES", "permission denied"
	default:
		return "", "", 0
	}
	return code, text, int(no)
}

// guarded runs an operation; a panic in it becomes an error of that call.
func guarded(ctx context.Context, name string, op Op, in []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("host operation %s failed: %v\n%s", name, p, debug.Stack())
		}
	}()
	return op.run(ctx, in)
}

// guard prepares an operation that JavaScript does not wait for, in its turn.
func guard(q *queue, name string, op Op, in []byte) func(ctx context.Context) ([]byte, error) {
	run := func(ctx context.Context) ([]byte, error) { return guarded(ctx, name, op, in) }
	if !op.inTurn {
		return run
	}
	t := q.take()
	return func(ctx context.Context) ([]byte, error) { return t.run(ctx, run) }
}
