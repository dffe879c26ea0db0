// Package oauth logs in to providers and renews their tokens: OpenAI Codex in the browser or
// with a device code, GitHub Copilot with a device code, OpenRouter in the browser.
//
// # Usage
//
//	cred, err := oauth.Codex{}.Login(ctx, &oauth.UI{Browse: open, Code: show, Ask: read}, nil)
//	…
//	cred, err = oauth.Codex{}.Renew(ctx, cred)
//
// The package stores nothing: see config.Config.Login, which keeps credentials in auth.json.
//
// # Errors
//
// [*Error] is what an authorisation server has answered: [ErrDenied] and [ErrExpired] say why
// a login has ended, [ErrRevoked] that a token cannot be renewed any more. No error holds a
// token or a code.
//
// # Concurrency
//
// The values of this package may be used from any goroutine. A login ends when its context
// does, and everything that it has started ends with it.
package oauth
