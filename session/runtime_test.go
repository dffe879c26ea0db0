package session_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rondo-agent/rondo/session"
	"github.com/rondo-agent/rondo/transcript"
	"github.com/rondo-agent/rondo/transcript/jsonl"
	"github.com/rondo-agent/rondo/transcript/storetest"
)

func TestNewSession(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"))
	d.prompt("first")
	old := d.Session()
	if err := d.New(t.Context(), "/from/here.jsonl"); err != nil {
		t.Fatal(err)
	}
	d.said()
	now := d.Session()
	if now == old || now.ID() == old.ID() || now.Store().Header().ParentSession != "/from/here.jsonl" || now.Store().Header().CWD != old.Store().Header().CWD {
		t.Errorf("the new session is %+v", now.Store().Header())
	}
	if _, err := old.Prompt(t.Context(), session.Prompt{Text: "x"}); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("the old session: %v", err)
	}
	if len(d.files()) != 1 {
		t.Errorf("a session without messages has a file: %v", d.files())
	}
	d.prompt("second")
	d.said("second", "two")
	if d.count("agent_settled") != 2 || len(d.files()) != 2 {
		t.Errorf("events %v, files %v", d.events, d.files())
	}
	if filepath.Dir(now.Store().Path()) != d.dir {
		t.Errorf("the new session is in %s", now.Store().Path())
	}
}

func TestSwitch(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"), text("three"))
	d.prompt("first")
	first := d.Session().Store().Path()
	if err := d.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	d.prompt("second")
	if err := d.Switch(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	d.said("first", "one")
	d.prompt("third")
	d.said("first", "one", "third", "three")
	if got := d.Session().Store().Path(); got != first {
		t.Errorf("the session is in %s, want %s", got, first)
	}
}

func TestAnErrorLeavesTheSessionInPlace(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"))
	d.prompt("first")
	s := d.Session()
	write := func(name, text string) string {
		path := filepath.Join(d.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.jsonl", "hello\n")
	gone := write("gone.jsonl", `{"type":"session","version":3,"id":"x","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/no/such/folder"}`+"\n")
	locked, err := jsonl.Open(write("locked.jsonl", `{"type":"session","version":3,"id":"y","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Close()
	files := d.files()
	check := func(name string, err error, want func(error) bool) {
		t.Helper()
		if err == nil || !want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if d.Session() != s || !slices.Equal(d.files(), files) {
			t.Fatalf("%s has changed something: %v", name, d.files())
		}
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	says := func(text string) func(error) bool {
		return func(err error) bool { return strings.Contains(err.Error(), text) }
	}
	ctx := t.Context()
	check("no file", d.Switch(ctx, filepath.Join(d.dir, "none.jsonl")), is(fs.ErrNotExist))
	check("no name", d.Switch(ctx, ""), says("name its file"))
	check("no session", d.Switch(ctx, bad), func(err error) bool { _, ok := errors.AsType[*jsonl.FormatError](err); return ok })
	check("no folder", d.Switch(ctx, gone), func(err error) bool { _, ok := errors.AsType[*transcript.MissingDirError](err); return ok })
	check("in use", d.Switch(ctx, locked.Path()), func(err error) bool { _, ok := errors.AsType[*jsonl.LockedError](err); return ok })
	check("import without folder", d.Import(ctx, gone, ""), func(err error) bool { _, ok := errors.AsType[*transcript.MissingDirError](err); return ok })
	check("import of nothing", d.Import(ctx, bad, ""), says("bad.jsonl"))
	fork := func(id transcript.EntryID, p session.Position) error { _, err := d.Fork(ctx, id, p); return err }
	check("an unknown entry", fork("nonesuch", session.Before), is(transcript.ErrNoEntry))
	check("an unknown entry", fork("nonesuch", session.At), is(transcript.ErrNoEntry))
	check("an answer", fork(s.Store().Leaf(), session.Before), says("no message of the user"))
	check("an unknown position", fork(s.Store().Leaf(), "behind"), says("unknown position"))
	d.failed = errors.New("no tools today")
	check("opening fails", d.New(ctx, ""), is(d.failed))
	check("opening a clone fails", d.Clone(ctx), is(d.failed))
	check("opening itself fails", d.Switch(ctx, s.Store().Path()), is(d.failed))
	d.failed = nil
	d.prompt("second")
	d.said("first", "one", "second", "two")
}

func TestFork(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"), text("other"))
	d.prompt("first")
	d.prompt("second")
	old := d.Session().Store()
	messages, err := session.ForkMessages(old)
	if err != nil {
		t.Fatal(err)
	}
	back, err := d.Fork(t.Context(), messages[1].EntryID, session.Before)
	if err != nil || back != "second" {
		t.Fatalf("Fork: %q, %v", back, err)
	}
	d.said("first", "one")
	if h := d.Session().Store().Header(); h.ParentSession != old.Path() || h.ID == old.Header().ID {
		t.Errorf("the header is %+v", h)
	}
	d.prompt("better")
	d.said("first", "one", "better", "other")
	source := storetest.Reopen(t, old.Path())
	storetest.WantContext(t, source, "user first", "assistant one", "user second", "assistant two")

	// At an entry, the entry comes along.
	branch, err := transcript.Branch(d.Session().Store(), d.Session().Store().Leaf())
	if err != nil {
		t.Fatal(err)
	}
	if back, err = d.Fork(t.Context(), branch[len(branch)-1].Base().ID, session.At); err != nil || back != "" {
		t.Fatalf("Fork: %q, %v", back, err)
	}
	d.said("first", "one", "better", "other")
}

func TestAForkBeforeTheFirstMessageIsEmpty(t *testing.T) {
	d := seat(t, nil, text("one"))
	d.prompt("first")
	old := d.Session().Store()
	messages, _ := session.ForkMessages(old)
	if back, err := d.Fork(t.Context(), messages[0].EntryID, session.Before); err != nil || back != "first" {
		t.Fatalf("Fork: %q, %v", back, err)
	}
	d.said()
	if len(d.files()) != 1 || d.Session().Store().Header().ParentSession != old.Path() {
		t.Errorf("files %v, header %+v", d.files(), d.Session().Store().Header())
	}
}

func TestClone(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"))
	if err := d.Clone(t.Context()); !errors.Is(err, session.ErrNothingToFork) {
		t.Errorf("Clone of an empty session: %v", err)
	}
	d.prompt("first")
	old := d.Session().Store()
	if err := d.Session().SetLabel(old.Leaf(), "here"); err != nil {
		t.Fatal(err)
	}
	if err := d.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.said("first", "one")
	labels, err := transcript.Labels(d.Session().Store())
	if err != nil || len(labels) != 1 || labels[0].Label != "here" {
		t.Errorf("labels %v, %v", labels, err)
	}
	d.prompt("second")
	if len(d.files()) != 2 {
		t.Errorf("files: %v", d.files())
	}
}

func TestSessionsInMemoryStayThere(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"))
	m := &model{replies: d.model.replies}
	s, err := session.New(inMemory(), &session.Options{CWD: t.TempDir(), Stream: m.stream, Model: labModel})
	if err != nil {
		t.Fatal(err)
	}
	r := session.NewRuntime(s, &session.RuntimeOptions{Repository: jsonl.Files{}, Open: d.open})
	defer r.Close(context.Background())
	if _, err := s.Prompt(t.Context(), session.Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.Session().Store().Path() != "" || !slices.Equal(spoken(r.Session()), []string{"first", "one"}) {
		t.Errorf("%q in %q", spoken(r.Session()), r.Session().Store().Path())
	}
	d.prompt("on file")
	if err := r.New(t.Context(), ""); err != nil || r.Session().Store().Path() != "" {
		t.Errorf("New: %v, %q", err, r.Session().Store().Path())
	}
}

func TestARunThatIsLeftIsAbortedAndStored(t *testing.T) {
	gate := make(chan struct{})
	d := seat(t, nil, held("half an", gate), text("two"))
	begun := streaming(d.Session())
	a, err := d.Session().Start(session.Prompt{Text: "first"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun // the run has read its queues then
	if err := d.Session().Queue(session.Prompt{Text: "queued"}, session.Steer); err != nil {
		t.Fatal(err)
	}
	old := d.Session().Store().Path()
	if err := d.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	waitAborted(t, a)
	if d.count("agent_settled") != 1 || d.count("agent_end") != 1 {
		t.Errorf("events: %v", d.events)
	}
	source := storetest.Reopen(t, old)
	storetest.WantContext(t, source, "user first", "assistant half an")
	d.prompt("second")
	d.said("second", "two")
	if d.model.asked() != 2 {
		t.Errorf("%d requests: the queued message was sent", d.model.asked())
	}
}

func TestACloneOfARunningSessionHasItsEnd(t *testing.T) {
	d := seat(t, nil, held("half an", make(chan struct{})), text("two"))
	begun := streaming(d.Session())
	if _, err := d.Session().Start(session.Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := d.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.said("first", "half an")
}

func TestImportOverwritesNothing(t *testing.T) {
	d := seat(t, nil, text("one"))
	d.prompt("first")
	store, path := storetest.File(t)
	header := store.Header()
	header.CWD = t.TempDir()
	for _, e := range []transcript.Entry{
		storetest.At("aaaaaaa1", "", 1, storetest.User("root")), storetest.At("aaaaaaa2", "aaaaaaa1", 2, storetest.Assistant("left")),
		storetest.At("aaaaaaa3", "aaaaaaa1", 3, storetest.Assistant("right")),
	} {
		if err := store.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	store.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 2 {
		if err := d.Import(t.Context(), path, ""); err != nil {
			t.Fatal(err)
		}
		d.said("root", "right")
		ids = append(ids, d.Session().ID())
		if _, err := d.Session().Store().Entry("aaaaaaa2"); err != nil {
			t.Errorf("the other branch: %v", err)
		}
	}
	if ids[0] != header.ID || ids[1] == header.ID {
		t.Errorf("the ids are %q; the first copy keeps %s", ids, header.ID)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the source has changed (%v)", err)
	}
	if len(d.files()) != 3 {
		t.Errorf("files: %v", d.files())
	}
	// In a folder that is there, whatever the file says.
	dir := t.TempDir()
	if err := d.Import(t.Context(), path, dir); err != nil || d.Session().Store().Header().CWD != transcript.CanonicalDir(dir) {
		t.Errorf("Import: %v, %s", err, d.Session().Store().Header().CWD)
	}
}

func TestAnImportThatFailsLeavesNothing(t *testing.T) {
	d := seat(t, nil, text("one"))
	d.prompt("first")
	store, path := storetest.File(t)
	store.Header().CWD = t.TempDir()
	if err := store.Append(storetest.User("root")); err != nil {
		t.Fatal(err)
	}
	store.Close()
	d.failed = errors.New("no tools today")
	files := d.files()
	if err := d.Import(t.Context(), path, ""); !errors.Is(err, d.failed) {
		t.Errorf("Import: %v", err)
	}
	if !slices.Equal(d.files(), files) {
		t.Errorf("files: %v", d.files())
	}
}

func TestSwitchingToItselfReadsTheEnd(t *testing.T) {
	d := seat(t, nil, text("one"), text("two"))
	d.prompt("first")
	d.prompt("second")
	store := d.Session().Store()
	messages, _ := session.ForkMessages(store)
	if _, err := d.Session().Navigate(t.Context(), messages[1].EntryID, nil); err != nil {
		t.Fatal(err)
	}
	d.said("first", "one")
	old := d.Session()
	if err := d.Switch(t.Context(), store.Path()); err != nil {
		t.Fatal(err)
	}
	d.said("first", "one", "second", "two")
	if d.Session() == old {
		t.Error("the session is the same")
	}
	if _, err := old.Prompt(t.Context(), session.Prompt{Text: "x"}); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("the old session: %v", err)
	}
}

func TestAReplacementCanBeCalledOff(t *testing.T) {
	var asked []session.Change
	no := errors.New("not now")
	answer := session.ErrCancelled
	var replaced int
	d := seat(t, &session.RuntimeOptions{
		Before:   func(_ context.Context, c *session.Change) error { asked = append(asked, *c); return answer },
		Replaced: func(_, _ *session.Session, _ *session.Change) { replaced++ },
	}, text("one"))
	d.prompt("first")
	if err := d.New(t.Context(), ""); !errors.Is(err, session.ErrCancelled) {
		t.Errorf("New: %v", err)
	}
	answer = no
	if err := d.Switch(t.Context(), "/x"); !errors.Is(err, no) {
		t.Errorf("Switch: %v", err)
	}
	answer = nil
	if err := d.Clone(t.Context()); err != nil {
		t.Errorf("Clone: %v", err)
	}
	if len(asked) != 3 || asked[0].Reason != session.ReasonNew || asked[1].Path != "/x" || asked[2].Position != session.At || asked[2].EntryID == "" {
		t.Errorf("asked about %+v", asked)
	}
	if replaced != 1 {
		t.Errorf("%d replacements", replaced)
	}
}

func TestARuntimeWithoutARepositoryHasOneSession(t *testing.T) {
	s := open(t, inMemory(), &model{}, session.Options{})
	r := session.NewRuntime(s, nil)
	if err := r.New(t.Context(), ""); !errors.Is(err, session.ErrNoRepository) {
		t.Errorf("New: %v", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestReplacementsTakeTurns(t *testing.T) {
	d := seat(t, nil, text("one"))
	d.prompt("first")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := d.Clone(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d.said("first", "one")
	if len(d.files()) != 9 {
		t.Errorf("%d files", len(d.files()))
	}
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.New(t.Context(), ""); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("New after Close: %v", err)
	}
}
