// Package process runs extensions that are programs of their own, in any language. They speak
// JSON lines over stdin and stdout; docs/extension-protocol.md describes each message.
//
// # Usage
//
// [Open] opens a host that loads what [resource.FindManifest] understands:
//
//	runner := extension.NewRunner(&extension.Options{
//		Hosts: []extension.HostKind{{Name: process.Kind, Open: process.Open(&process.Config{LogDir: dir})}},
//	})
//	runner.Load(ctx, extension.Source{Path: "./my-extension", Host: process.Kind})
//
// # Lifetime
//
// An extension's program is started when the extension is loaded and ended when its host is
// closed; one that ends by itself, or does not answer, is started again a few times, and
// registers anew. Nothing that it has started outlives it, and it does not outlive the host.
//
// # Failures
//
// A program that has ended fails the calls that wait for it. Lines that are no messages are
// reported and dropped. After the last restart, calls that fail closed are refused, and all
// others find that the extension has nothing to say.
package process
