// Package config finds out what the user has set: the state folder, settings.json,
// models.json, and the credentials of providers. Names and meaning of the files are those of
// Pi 0.85, so that its folder can be used as it is; keys that this package does not know are
// ignored.
//
// # Usage
//
//	home, err := config.Home()
//	cfg, err := config.Load(home)
//	model, level, err := cfg.Find("", "anthropic/claude-opus-4-8:high")
//	stream := cfg.Authorize(router.Stream)(ctx, &ai.Request{Model: model, …})
//
// The models are those of package catalogue, with models.json over them; they are decoded when
// they are needed. [Config.FindServers] adds those of servers on this machine.
//
// # Errors
//
// What is wrong in a file is a [*FileError]: it names the file, the line, the key, and what
// to write instead. No error holds a key, a token, or the output of a command.
//
// # Credentials
//
// For each provider the first of these counts: the key of [Config.SetAPIKey] (--api-key),
// auth.json, the environment, models.json. What is in auth.json owns its provider: if it
// cannot be used, nothing else is tried.
//
// [Config.SaveKey], [Config.Login] and [Config.Logout] change auth.json, under the lock that Pi
// keeps to as well. A login whose token ends is renewed under the same lock when a request needs
// it, so that of many processes one does; if it cannot be renewed, what is stored stays. With the
// setting credentialStore, secrets lie in the system's keyring instead.
//
// Keys and headers in the files may be text; $NAME or ${NAME} for an environment variable;
// $$ and $! for the characters $ and !; or, as a whole, !command for what a shell command
// prints. They are looked up when a request is made and not before, and a command runs once.
//
// # Concurrency
//
// A Config may be used from any goroutine.
package config
