// Package script runs extensions written in TypeScript or JavaScript inside the program: no
// Node, no other process. esbuild turns an extension and what it imports into one module, a
// QuickJS engine in pure Go runs it, and modules of our own (folder facade) stand behind the
// names that extensions import.
//
// # Layers
//
//   - a machine runs JavaScript: an Engine, or, for extensions that need what only Node has, a
//     process of Node or Bun ([Settings].Remote, remote.go, facade/remote.mjs);
//   - [Engine] is one JavaScript machine with its goroutine, timers, limits and host calls. It
//     knows nothing of extensions.
//   - the library (library.go, facade/) is what JavaScript finds there: globals, Node's
//     modules, the packages that extensions import;
//   - the bundler (bundle.go) and its cache make one module of an extension file.
//
// # Host calls
//
// JavaScript reaches Go through operations: a name, a JSON value in, a JSON value out. An
// [Op] is a Go function; a [Table] holds them by name. In a facade module:
//
//	import { host, hostAsync, hostStream } from "rondo:host";
//	const width = host("text.width", { text });          // waits, throws what the op returns
//	const page = await hostAsync("net.fetch", { url });  // runs on a goroutine of its own
//
// # Concurrency
//
// A goroutine owns the machine; everything else sends it jobs. JavaScript that does not give
// way is interrupted after [Limits].Turn of its own time; time in Go operations does not count.
// An Op called by host runs while JavaScript waits. If [Options].CallsBack names it, JavaScript
// may be called meanwhile: with the Op's own context (see [Engine.Invoke]), or by something
// that is urgent, such as an event or a drawing.
package script
