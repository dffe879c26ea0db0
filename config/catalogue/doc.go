// Package catalogue knows the providers of models and the models that they have: limits,
// prices, thinking levels, and which wire reaches them.
//
// # Usage
//
//	cat := catalogue.Open(filepath.Join(home, catalogue.File))
//	for _, m := range cat.Models("anthropic") { … }
//
// The table of providers is part of the program and costs nothing. The models are data of
// charm.land/catwalk, which is embedded, with some of this package's own, and with what
// [Catalogue.Refresh] has stored over them. They are decoded when a provider's models are
// first asked for, and not before.
//
// # Errors
//
// A stored file that cannot be read does not count: what is embedded is used, and
// [Catalogue.Problem] says what is wrong.
//
// # Concurrency
//
// A Catalogue may be used from any goroutine. Records are shared and must not be changed.
package catalogue
