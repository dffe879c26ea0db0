// Command bench measures Rondo beside Pi 0.85.0 on the same machine in the same run, and
// prints the ratios with the bars that the design sets.
//
// Both sides are measured in the same way and in turns, so that a busy machine is equally
// unkind to both. Timing is reported, never asserted: a bar that does not hold is printed
// as missed, and only -strict makes it fail the command. README.md says what each row
// means.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options is the command line.
type options struct {
	quick  bool
	strict bool
	only   string
	json   string
	rondo  string
	pi     string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command; it returns the exit code: 2 for a wrong command line, 1 when
// nothing could be measured or -strict finds a bar that does not hold.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseOptions(args, stderr)
	if err != nil {
		return 2
	}
	groups, err := chooseGroups(opt.only)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	started := time.Now()
	rep, err := measure(ctx, opt, groups, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	rep.writeText(stdout)
	fmt.Fprintf(stderr, "bench: took %s\n", time.Since(started).Round(time.Second))
	if opt.json != "" {
		if err := rep.writeJSON(opt.json); err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
	}
	if opt.strict && !rep.allHold() {
		return 1
	}
	return 0
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	opt := &options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&opt.quick, "quick", false, "fewer and shorter runs: under a minute")
	flags.BoolVar(&opt.strict, "strict", false, "exit with 1 if a bar does not hold or could not be judged")
	flags.StringVar(&opt.only, "only", "", "measure only these, separated by commas: "+strings.Join(groupNames(), ", "))
	flags.StringVar(&opt.json, "json", "", "write the report to this `file` as well")
	flags.StringVar(&opt.rondo, "rondo", "", "measure this `program` instead of building ./cmd/rondo")
	flags.StringVar(&opt.pi, "pi", "", "use the Pi under `folder`/node_modules instead of installing it")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintln(stderr, "bench:", err)
		return nil, err
	}
	return opt, nil
}

// measure prepares both sides and runs the groups.
func measure(ctx context.Context, opt *options, groups []group, log io.Writer) (*report, error) {
	b, err := newBench(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	defer b.close()
	rep := newReport(b)
	for _, g := range groups {
		fmt.Fprintf(log, "bench: %s: %s\n", g.name, g.about)
		for _, r := range g.run(ctx, b) {
			r.Group = g.name
			rep.Rows = append(rep.Rows, r)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	rep.NotMeasured = b.failures
	rep.Load = append(rep.Load, load())
	return rep, nil
}
