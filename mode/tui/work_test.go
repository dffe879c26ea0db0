package tui_test

import (
	"strings"
	"testing"
)

func TestTool(t *testing.T) {
	c := prepare(t, `{"text": "I look.", "tools": [{"name": "bash", "args": {"command": "for i in 1 2 3 4 5 6 7 8; do echo line $i; done; while ! test -e go; do sleep 0.01; done; echo end"}}]}, "Done."`).show(70, 24)
	c.say("run it")
	c.sees("line 8") // while it runs
	c.write("go", "")
	c.sees("Done.")
	c.shows("  … 4 more lines (ctrl+o shows them)", "  line 5", "  line 6", "  line 7", "  line 8", "  end", "", "Done.")
	c.types(ctrlO)
	c.sees("line 1")
	c.types(ctrlO)
	c.loses("line 1")
}

func TestSteering(t *testing.T) {
	c := prepare(t, slow+`, "Heard you.", "And later."`).show(70, 24)
	c.say("work")
	c.sees("touch started")
	c.say("stop that")
	c.sees("Steering: stop that")
	c.types("one more thing")
	c.sees("one more thing")
	c.types(altEnter)
	c.sees("Follow-up: one more thing")
	c.write("go", "")
	c.sees("And later.")
	c.shows("❯ stop that", "", "Heard you.", "", "❯ one more thing", "", "And later.")
	if strings.Contains(c.text(), "Steering:") || strings.Contains(c.text(), "Follow-up:") {
		t.Errorf("a message is shown as waiting:\n%s", c.text())
	}
}

func TestAbort(t *testing.T) {
	c := prepare(t, slow+`, "never"`).show(70, 24)
	c.say("work")
	c.sees("touch started")
	c.say("first")
	c.say("second")
	c.sees("Steering: second")
	c.types("draft")
	c.types(escape)
	c.loses("Working")
	c.shows("first", "", "second", "", "draft") // in the editor
	if strings.Contains(c.text(), "never") {
		t.Error("the run went on")
	}
}

func TestShell(t *testing.T) {
	c := prepare(t, `"ok"`).show(70, 24)
	c.say("!printf 'one\\n\\033[31mtwo\\033[0m\\n'; exit 3")
	c.shows("  one", "  two", "  exit code 3")
	c.say("!!echo hidden")
	c.shows("!! echo hidden", "  hidden")
	c.leave()
}

// TestAllCommandsEnd starts three commands of the user's own and aborts them.
func TestAllCommandsEnd(t *testing.T) {
	c := prepare(t, `"ok"`).show(70, 30)
	for _, n := range []string{"1", "2", "3"} {
		c.say("!sleep 300; echo " + n)
		c.sees("! sleep 300; echo " + n)
	}
	c.types(escape)
	c.until("three ends", func() bool { return strings.Count(c.text(), "ended before it was done") == 3 })
	c.leave()
}

// TestEscapeDuringTheDelay aborts while a repetition is waited for.
func TestEscapeDuringTheDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := prepare(t, `{"error": {"status": 529, "message": "overloaded", "retryAfterMs": 50000}}, "never"`).show(80, 24)
		c.say("go")
		c.sees("Attempt 1 of 3")
		c.types(escape)
		c.loses("Attempt 1 of 3")
		c.say("/session")
		c.sees("tokens:")
		c.leave()
	})
}

// TestSteeringComesFirst queues a follow-up and then steers.
func TestSteeringComesFirst(t *testing.T) {
	c := prepare(t, slow+`, "Heard now.", "Heard later."`).show(70, 30)
	c.say("work")
	c.sees("touch started")
	c.types("later")
	c.sees("later")
	c.types(altEnter)
	c.sees("Follow-up: later")
	c.say("now")
	c.sees("Steering: now")
	c.write("go", "")
	c.shows("❯ now", "", "Heard now.", "", "❯ later", "", "Heard later.")
	c.leave()
}

// TestWhatIsQueuedIsGivenBack aborts with a message of each kind in the queue.
func TestWhatIsQueuedIsGivenBack(t *testing.T) {
	c := prepare(t, slow+`, "never"`).show(70, 30)
	c.say("work")
	c.sees("touch started")
	c.say("now")
	c.types("later")
	c.sees("later")
	c.types(altEnter)
	c.sees("Follow-up: later")
	c.types(altUp) // by hand
	c.shows("now", "", "later")
	c.types(enter)
	c.sees("Steering: now")
	c.types(escape)
	c.loses("Working")
	c.shows("now", "", "later")
	c.sees("Aborted")
	c.leave()
}

// slow is a call that waits for a file.
const slow = `{"tools": [{"name": "bash", "args": {"command": "touch started; while ! test -e go; do sleep 0.01; done"}}]}`
