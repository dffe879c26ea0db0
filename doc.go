// Package rondo is the coding agent as a library: what the program rondo does, without a
// frontend. It reads the user's configuration, decides which files of a project count, loads
// extensions, chooses models and tools, and opens sessions.
//
// # Usage
//
//	app, err := rondo.New(ctx, nil) // the user's configuration, the process's folder
//	s, err := app.Open(ctx, nil)    // a new session; or Resume, Continue, Fork
//	res, err := s.Prompt(ctx, session.Prompt{Text: "explain main.go"})
//	fmt.Println(res.Text(), res.Usage.Cost.Total)
//	err = s.Close(ctx)
//	err = app.Close(ctx)
//
// A [Session] is a [session.Session] with the models that it can ask and the folder that it works
// in. [SessionOptions] give one session its own folder, model, tools or store.
//
// Extensions begin with the frontend: with [SessionOptions.Frontend], or when an [App.Runtime] is
// attached. One that has to know them before it opens a session calls [App.Workspace] first.
//
// # What counts
//
// For each setting the first of these counts: [SessionOptions], [Options], the settings of a
// project that is trusted, those of the user, the default. Files, keys and environment variables
// are those of package config; files of a project are those of package resource.
//
// # Concurrency
//
// All methods may be called from any goroutine, and an App serves any number of sessions at once.
// Sessions share the configuration that the App has read, the renewal of logins, and the place in
// a script of [ModelOptions]; each has its own extensions, models, tools and settings of its
// folder. What one session does never waits for another one.
//
// [Options.Note], [TrustOptions.Ask] and [ExtensionOptions.Themes] may be called from several
// goroutines at once.
//
// # Errors
//
// New refuses misuse with an [*OptionError]. Opening a session returns a [*config.FileError] for
// a file that is wrong, a [*config.NotFoundError] for a model that is not known, a [*LoadError]
// for an extension that the options name and that cannot be loaded, and the errors of the store.
// When opening fails, nothing is left open, and no model has been asked. What stops nothing is a
// note: [Session.Notes] about a session, [Options.Note] about all else.
//
// # Trust
//
// Files of a project that can run code or change what is sent where count only if
// [TrustOptions], the state folder or the user's settings say so. Without any of them they do
// not, and a note says what is left out.
//
// # The process
//
// New sets HTTP_PROXY and HTTPS_PROXY where the settings name a proxy and the environment names
// none. Nothing else of the process is changed. Commands of tools end with their session.
package rondo
