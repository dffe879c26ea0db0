package script

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"modernc.org/quickjs"
)

//go:generate go run ./internal/typebox

//go:embed facade
var facade embed.FS

// bootName is the script that runs first; it is no module.
const bootName = "rondo:boot"

// undici is a package of npm whose requests the host makes; Node has its own.
const undici = "undici"

// libraryModules maps the names of modules that we bring to their sources below facade/.
var libraryModules = map[string]string{
	bootName:            "boot.js",
	"rondo:encoding":    "globals/encoding.js",
	"rondo:events":      "globals/events.js",
	"rondo:url":         "globals/url.js",
	"rondo:fetch":       "globals/fetch.js",
	"rondo:streams":     "globals/streams.js",
	"rondo:clone":       "globals/clone.js",
	"rondo:callable":    "node/callable.js",
	"rondo:messages":    "globals/messages.js",
	"rondo:console":     "globals/console.js",
	"rondo:intl":        "globals/intl.js",
	"rondo:performance": "globals/performance.js",
	"rondo:crypto":      "globals/crypto.js",
	"rondo:process":     "globals/process.js",
	"rondo:inspect":     "globals/inspect.js",
	"rondo:modules":     "globals/modules.js",
	"rondo:pi":          "pi/runtime.js",
	"rondo:functions":   "pi/functions.js",

	// Parts of pi-coding-agent that few extensions need.
	"rondo:pi/messages":     "pi/messages.js",
	"rondo:pi/program":      "pi/program.js",
	"rondo:pi/session_file": "pi/session_file.js",
	"rondo:pi/session_tree": "pi/session_tree.js",
	"rondo:pi/settings":     "pi/settings.js",
	"rondo:pi/skills":       "pi/skills.js",
	"rondo:pi/tools":        "pi/tools.js",

	"node:assert":              "node/assert.js",
	"node:buffer":              "node/buffer.js",
	"node:child_process":       "node/child_process.js",
	"node:crypto":              "node/crypto.js",
	"node:diagnostics_channel": "node/diagnostics_channel.js",
	"node:events":              "node/events.js",
	"node:fs":                  "node/fs.js",
	"node:fs/promises":         "node/fs_promises.js",
	"node:http":                "node/http.js",
	"node:http2":               "node/http2.js",
	"node:https":               "node/https.js",
	"node:module":              "node/module.js",
	"node:net":                 "node/net.js",
	"node:os":                  "node/os.js",
	"node:path":                "node/path.js",
	"node:path/posix":          "node/path_posix.js",
	"node:path/win32":          "node/path_win32.js",
	"node:perf_hooks":          "node/perf_hooks.js",
	"node:process":             "node/process.js",
	"node:querystring":         "node/querystring.js",
	"node:readline":            "node/readline.js",
	"node:stream":              "node/stream.js",
	"node:string_decoder":      "node/string_decoder.js",
	"node:timers":              "node/timers.js",
	"node:timers/promises":     "node/timers_promises.js",
	"node:tty":                 "node/tty.js",
	"node:url":                 "node/url.js",
	"node:util":                "node/util.js",
	"node:zlib":                "node/zlib.js",
	"node:async_hooks":         "node/async_hooks.js",
	"node:assert/strict":       "node/assert_strict.js",
	"node:console":             "node/console.js",
	"node:constants":           "node/constants.js",
	"node:dns":                 "node/dns.js",
	"node:dns/promises":        "node/dns_promises.js",
	"node:punycode":            "node/punycode.js",
	"node:readline/promises":   "node/readline_promises.js",
	"node:stream/consumers":    "node/stream_consumers.js",
	"node:stream/promises":     "node/stream_promises.js",
	"node:stream/web":          "node/stream_web.js",
	"node:tls":                 "node/tls.js",
	"node:util/types":          "node/util_types.js",
	"node:v8":                  "node/v8.js",
	"node:vm":                  "node/vm.js",
	"node:worker_threads":      "node/worker_threads.js",

	"@earendil-works/pi-coding-agent": "pi/index.js",
	"@earendil-works/pi-agent-core":   "agent/index.js",
	"@earendil-works/pi-tui":          "tui/index.js",
	"@earendil-works/pi-ai/compat":    "ai/compat.js",

	undici: "undici/index.js",

	"typebox":         "typebox/index.js",
	"typebox/value":   "typebox/value.js",
	"typebox/compile": "typebox/compile.js",
	"typebox/format":  "typebox/format.js",
	"typebox/guard":   "typebox/guard.js",
	"typebox/error":   "typebox/error.js",
	"typebox/type":    "typebox/index.js",

	"rondo:typebox/core": "typebox/core.js",
	"rondo:typebox/rest": "typebox/rest.js",
}

// apart are the folders below facade/ each of whose files is a module by itself, as rondo:tui/text
// is: extensions need few of them.
var apart = []string{"agent-ui", "ai", "tui"}

// libraryFile returns the source of a module, below facade/, "" if there is no such module.
func libraryFile(name string) string {
	if file, ok := libraryModules[name]; ok {
		return file
	}
	file := strings.TrimPrefix(name, "rondo:")
	if folder, _, ok := strings.Cut(file, "/"); ok && file != name && slices.Contains(apart, folder) {
		return file + ".js"
	}
	return ""
}

// nodeModules are the names of Node's modules without their prefix; those that the library
// lacks are met at the first use of something in them.
var nodeModules = strings.Fields(`assert assert/strict async_hooks buffer child_process cluster
	console constants crypto dgram diagnostics_channel dns dns/promises domain events fs
	fs/promises http http2 https inspector inspector/promises module net os path path/posix
	path/win32 perf_hooks process punycode querystring readline readline/promises repl sea
	sqlite stream stream/consumers stream/promises stream/web string_decoder sys test timers
	timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib`)

// canonical returns the library's name of a module, "" if it is none of ours.
func canonical(name string) string {
	for old, now := range map[string]string{"@mariozechner/": "@earendil-works/", "@sinclair/": ""} {
		if rest, ok := strings.CutPrefix(name, old); ok && (old == "@sinclair/") == strings.HasPrefix(rest, "typebox") {
			name = now + rest
		}
	}
	if name == "@earendil-works/pi-ai" {
		return name + "/compat" // extensions in Pi get the older names under it too
	}
	bare := strings.TrimPrefix(name, "node:")
	for _, n := range nodeModules {
		if n == bare {
			return "node:" + bare
		}
	}
	for _, room := range []string{"@earendil-works/pi-coding-agent", "@earendil-works/pi-agent-core", "@earendil-works/pi-tui", "@earendil-works/pi-ai", "typebox"} {
		if name == room || strings.HasPrefix(name, room+"/") {
			return name
		}
	}
	if strings.HasPrefix(name, "rondo:") || strings.HasPrefix(name, "node:") || name == undici {
		return name
	}
	return ""
}

// libraryVersion names the state of the facade and of what compiles it.
var libraryVersion = sync.OnceValue(func() string {
	h := sha256.New()
	fmt.Fprintln(h, quickjs.Version(), bytecodeFormat)
	for name, sum := range facadeSums() {
		fmt.Fprintln(h, name)
		h.Write(sum)
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
})

// facadeSums yields a checksum of each embedded file. The compiler has put them beside the
// files, where they are read by name: to add up 700 KB at every start takes a millisecond. A test
// fails should a newer compiler keep them elsewhere.
func facadeSums() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		files := reflect.ValueOf(facade).FieldByName("files").Elem()
		for i := range files.Len() {
			if !yield(files.Index(i).FieldByName("name").String(), files.Index(i).FieldByName("hash").Bytes()) {
				return
			}
		}
	}
}

// bytecodeFormat changes when the way in which modules are compiled does.
const bytecodeFormat = "4"

// compiled holds the modules of the library that have been compiled in this process, which the
// cache may not have.
var compiled sync.Map

// hostLibrary is __library(name): it defines a module and returns the name under which it
// did, "" if there is no such module.
func (e *Engine) hostLibrary(args []any) (any, error) {
	name := canonical(text(args, 0))
	if libraryFile(name) == "" {
		return "", nil
	}
	resume := e.watch.pause(e.opts.Limits.Turn)
	err := e.runLibrary(name)
	resume()
	if err != nil {
		return nil, err
	}
	return name, nil
}

// runLibrary runs a script of the library: the one that is first, or one that defines a module.
func (e *Engine) runLibrary(name string) error {
	code, err := e.libraryCode(name)
	if err == nil {
		err = e.raw.run(code)
	}
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	return nil
}

// libraryCode returns a module's bytecode: from memory, from the cache, or compiled now.
func (e *Engine) libraryCode(name string) (code []byte, err error) {
	if code, ok := compiled.Load(name); ok {
		return code.([]byte), nil
	}
	c := cache{e.opts.Cache}
	key := path.Join("library", libraryVersion(), strings.NewReplacer("/", "-", ":", "-", "@", "").Replace(name))
	if code = c.read(key); code != nil {
		return code, nil
	}
	source, err := librarySource(name)
	if err != nil {
		return nil, err
	}
	e.raw.withoutSources(func() { code, err = e.vm.Compile(source, quickjs.EvalGlobal) })
	if err != nil {
		return nil, err
	}
	c.write(key, code)
	compiled.Store(name, code)
	return code, nil
}
