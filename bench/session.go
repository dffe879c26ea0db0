package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sessionSize is how large the files are that are opened, in bytes.
const sessionSize = 100_000_000

// sessions measures opening a large session in RPC mode.
func sessions(ctx context.Context, b *bench) []row {
	return append(
		openings(ctx, b, "compacted", true),
		openings(ctx, b, "all of it", false)...)
}

// openings measures one kind of file.
func openings(ctx context.Context, b *bench, kind string, compacted bool) []row {
	file := filepath.Join(b.scratch, strings.ReplaceAll(kind, " ", "-")+".jsonl")
	if err := writeSession(file, b.scratch, sessionSize, compacted); err != nil {
		b.fail("a large session", err)
		return nil
	}
	pi, rondo := b.programs(ctx, "a large session, "+kind, 1, b.clients, func(ctx context.Context, p *program) (values, error) {
		return measureOpening(ctx, p, file)
	})
	line := func(what, key string, unit unit) row {
		return row{What: what, Unit: unit, Pi: pi[key], Rondo: rondo[key]}
	}
	return []row{
		line(kind+", first answer", "ready", nanoseconds),
		line("  processor time to it", "cpu", nanoseconds),
		line("  resident memory", "rss", byteCount),
	}
}

// measureOpening starts a program over a session and waits for its first answer.
func measureOpening(ctx context.Context, p *program, file string) (values, error) {
	ws, err := newWorkspace(noModel)
	if err != nil {
		return nil, err
	}
	defer ws.remove()
	r, err := startRPC(ctx, p, ws, "--session", file)
	if err != nil {
		return nil, err
	}
	defer r.stop()
	ready, err := r.getState()
	if err != nil {
		return nil, err
	}
	found := values{"ready": {float64(ready)}}
	if cpu, err := processorTime(r.cmd.Process.Pid); err == nil {
		found["cpu"] = sample{float64(cpu)}
	}
	if rss, _, err := memory(r.cmd.Process.Pid); err == nil {
		found["rss"] = sample{rss}
	}
	return found, nil
}

// writeSession writes a session of about size bytes that works in the folder dir: prompts,
// and for each four calls of a tool whose output is 50 KB of a program.
func writeSession(path, dir string, size int, compacted bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := sessionWriter{w: bufio.NewWriterSize(f, 1<<20)}
	fmt.Fprintf(w.w, `{"type":"session","version":3,"id":"large","timestamp":%q,"cwd":%q}`+"\n", sessionTime, dir)
	w.entry(`"type":"model_change"`, `"provider":"lab","modelId":"m"`)
	w.entry(`"type":"thinking_level_change"`, `"thinkingLevel":"off"`)
	output := fmt.Sprintf("%q", strings.Repeat("\tif err := f.Close(); err != nil {\n\t\treturn fmt.Errorf(\"close %s: %w\", name, err)\n\t}\n", 600))
	for w.written < size {
		w.user("the next file")
		for range 4 {
			call := fmt.Sprintf("call_%d", w.entries)
			w.assistant(fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"read","arguments":{"path":"main.go"}}`, call), "toolUse")
			w.message(fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"toolName":"read","content":[{"type":"text","text":%s}],"isError":false`, call, output))
		}
		w.assistant(`{"type":"text","text":"Done."}`, "stop")
	}
	if compacted {
		w.entry(`"type":"compaction"`, fmt.Sprintf(`"summary":"Files were read.","firstKeptEntryId":"%08x","tokensBefore":90000`, w.entries))
		w.user("go on")
		w.assistant(`{"type":"text","text":"Gladly."}`, "stop")
	}
	if err := w.w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

const sessionTime = "2025-01-01T00:00:00.000Z"

// sessionWriter writes entries, each the child of the one before it.
type sessionWriter struct {
	w                *bufio.Writer
	entries, written int
}

// entry writes an entry whose type and fields are given as JSON. A failed write shows when
// the writer is flushed.
func (w *sessionWriter) entry(typ, fields string) {
	parent := "null"
	if w.entries > 0 {
		parent = fmt.Sprintf(`"%08x"`, w.entries)
	}
	w.entries++
	n, _ := fmt.Fprintf(w.w, `{%s,"id":"%08x","parentId":%s,"timestamp":%q,%s}`+"\n", typ, w.entries, parent, sessionTime, fields)
	w.written += n
}

func (w *sessionWriter) message(fields string) {
	w.entry(`"type":"message"`, `"message":{`+fields+`,"timestamp":1735689600000}`)
}

func (w *sessionWriter) user(text string) {
	w.message(fmt.Sprintf(`"role":"user","content":[{"type":"text","text":%q}]`, text))
}

func (w *sessionWriter) assistant(block, stop string) {
	w.message(fmt.Sprintf(`"role":"assistant","content":[%s],"api":"openai-completions","provider":"lab","model":"m",`+
		`"usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":%q`, block, stop))
}
