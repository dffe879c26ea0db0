// Command batch sends each line of a file as a prompt of its own, within a budget for all of them,
// and prints a line of JSON for each answer:
//
//	batch -dollars 2.50 -folder sessions prompts.txt
//
// Each prompt has a session that is kept in the folder. When the command is run again, answers that
// are there are printed and not asked for again, and what they have cost counts.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/session"
)

// answer is a line of the output.
type answer struct {
	Prompt string  `json:"prompt"`
	Answer string  `json:"answer"`
	Cost   float64 `json:"cost"` // US dollars
	Error  string  `json:"error,omitzero"`
}

// errSpent means that the budget is used up. What is left is done when the command is run again
// with a larger one.
var errSpent = errors.New("the budget is used up")

// run answers the prompts of in, and prints the answers.
func run(ctx context.Context, app *rondo.App, dollars float64, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		prompt := strings.TrimSpace(lines.Text())
		if prompt == "" {
			continue
		}
		if dollars <= 0 {
			return errSpent
		}
		a, err := ask(ctx, app, fmt.Sprintf("prompt-%d", n), prompt, dollars)
		if err != nil {
			return err
		}
		dollars -= a.Cost
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// ask answers one prompt, if the session of this id has no answer yet.
func ask(ctx context.Context, app *rondo.App, id, prompt string, dollars float64) (a *answer, err error) {
	s, err := app.ResumeID(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	a = &answer{Prompt: prompt}
	if s.LastAnswer() == nil || s.Outcome() != nil { // never asked, or ended in the middle
		res, err := s.Prompt(ctx, session.Prompt{Text: prompt, Verbatim: true, Budget: &session.Budget{Cost: dollars}})
		if err != nil {
			return nil, err
		}
		if failed := res.Err(); failed != nil {
			a.Error = failed.Error()
		}
	}
	if last := s.LastAnswer(); last != nil {
		a.Answer = last.Content.Text()
	}
	stats, err := s.Stats() // with what earlier attempts have cost
	if err != nil {
		return nil, err
	}
	a.Cost = stats.Cost
	return a, nil
}

func main() {
	dollars := flag.Float64("dollars", 1, "what all answers may cost, in US dollars")
	folder := flag.String("folder", "sessions", "folder that sessions are kept in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	prompts, err := os.Open(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	app, err := rondo.New(ctx, &rondo.Options{Storage: rondo.StorageOptions{Dir: *folder}})
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(run(ctx, app, *dollars, prompts, os.Stdout), app.Close(ctx)); err != nil {
		log.Fatal(err)
	}
}
