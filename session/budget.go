package session

import (
	"fmt"
	"sync"
	"time"

	"github.com/rondo-agent/rondo/ai"
)

// Budget bounds what the work on a prompt may take, with everything that follows from it until
// the session has settled. A zero field does not bound. When a bound is reached, no further
// request is made, and the session settles in order; see [CauseBudget].
type Budget struct {
	// Turns is the number of answers.
	Turns int
	// Tokens is the number of tokens of all requests and answers, cached ones included.
	Tokens int
	// Cost is in US dollars.
	Cost float64
	// Time is the time since the first run began. A request that is under way then is aborted.
	Time time.Duration
}

// The names of the bounds, as [BudgetError] and the event budget_reached have them.
const (
	BudgetTurns  = "turns"
	BudgetTokens = "tokens"
	BudgetCost   = "cost"
	BudgetTime   = "time"
)

// BudgetError says which bound of a [Budget] was reached. Time is in seconds.
type BudgetError struct {
	Budget       string
	Limit, Spent float64
}

// Error names the bound, the limit and what was spent.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %s is used up: %.6g of %.6g; send another prompt to go on, or raise the budget", e.Budget, e.Spent, e.Limit)
}

// budgetState is what a series has spent of its budget.
type budgetState struct {
	limits Budget

	mu      sync.Mutex
	turns   int
	tokens  int
	cost    float64
	started time.Time
	timer   *time.Timer
	spentUp *BudgetError // the bound that was reached; nil if none was
	stopped bool         // something was left undone for it
}

// begin starts the clock, and the count anew. expire, which must not wait, is called when the time is up.
func (b *budgetState) begin(expire func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.turns, b.tokens, b.cost, b.spentUp, b.stopped = 0, 0, 0, nil, false
	b.started = time.Now()
	if b.limits.Time > 0 {
		b.timer = time.AfterFunc(b.limits.Time, func() {
			b.mu.Lock()
			b.reach(BudgetTime, b.limits.Time.Seconds(), time.Since(b.started).Seconds())
			b.stopped = true
			b.mu.Unlock()
			expire()
		})
	}
}

// end stops the clock.
func (b *budgetState) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
}

// answered counts an answer.
func (b *budgetState) answered(m *ai.AssistantMessage) {
	b.mu.Lock()
	b.turns++
	b.mu.Unlock()
	b.spend(&m.Usage)
}

// spend counts what a request took; u may be nil.
func (b *budgetState) spend(u *ai.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u != nil {
		b.tokens += u.Input + u.Output + u.CacheRead + u.CacheWrite
		b.cost += u.Cost.Total
	}
	l := b.limits
	switch {
	case l.Turns > 0 && b.turns >= l.Turns:
		b.reach(BudgetTurns, float64(l.Turns), float64(b.turns))
	case l.Tokens > 0 && b.tokens >= l.Tokens:
		b.reach(BudgetTokens, float64(l.Tokens), float64(b.tokens))
	case l.Cost > 0 && b.cost >= l.Cost:
		b.reach(BudgetCost, l.Cost, b.cost)
	}
}

// reach needs the mutex.
func (b *budgetState) reach(budget string, limit, spent float64) {
	if b.spentUp == nil {
		b.spentUp = &BudgetError{budget, limit, spent}
	}
}

// stops reports whether a bound was reached, so that what would follow is left undone.
func (b *budgetState) stops() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spentUp == nil {
		return false
	}
	b.stopped = true
	return true
}

// reached returns the bound that something was left undone for; nil if there is none.
func (b *budgetState) reached() *BudgetError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		return nil
	}
	return b.spentUp
}
